//! Lists must be read through the index that was made for them, however large the tables grow.

use reflexio_store::{
    AgentPlaybookFilter, InteractionFilter, ProfileFilter, RequestFilter, UserPlaybookFilter,
};
use reflexio_types::{
    AgentPlaybook, Interaction, OrgId, Profile, Request, Status, TimeRange, Timestamp, UserPlaybook,
};
use rusqlite::{Connection, params_from_iter};
use tempfile::TempDir;

use crate::predicate::Predicate;
use crate::rows::{Stored, select_text};
use crate::{Options, agent_playbooks, interactions, profiles, requests, schema, user_playbooks};

#[test]
fn interactions_are_listed_through_an_index() {
    let every = InteractionFilter::default();
    let of_user = InteractionFilter { user_id: Some("u1".into()), ..every.clone() };
    let of_session = InteractionFilter { session_id: Some("s1".into()), ..of_user.clone() };
    let of_request = InteractionFilter { request_id: Some("r1".into()), ..every.clone() };
    let newest = Interaction::ORDER;
    check::<Interaction>(interactions::filtered(&org(), &every), newest, "interactions_by_time", "");
    check::<Interaction>(interactions::filtered(&org(), &every), "t.id DESC", "interactions_by_arrival", "");
    check::<Interaction>(interactions::filtered(&org(), &of_user), newest, "interactions_by_user", "");
    let timed = InteractionFilter { time: since(), ..of_user };
    check::<Interaction>(interactions::filtered(&org(), &timed), newest, "interactions_by_user", "");
    check::<Interaction>(
        interactions::filtered(&org(), &of_session),
        newest,
        "interactions_by_request",
        SORT,
    );
    check::<Interaction>(
        interactions::filtered(&org(), &of_request),
        newest,
        "interactions_by_request",
        SORT,
    );
}

#[test]
fn requests_are_listed_through_an_index() {
    let every = RequestFilter::default();
    let of_user = RequestFilter { user_id: Some("u1".into()), ..every.clone() };
    let of_session = RequestFilter { session_id: Some("s1".into()), ..every.clone() };
    check::<Request>(requests::filtered(&org(), &every), Request::ORDER, "requests_by_time", "");
    check::<Request>(requests::filtered(&org(), &of_user), Request::ORDER, "requests_by_user", "");
    check::<Request>(requests::filtered(&org(), &of_session), Request::ORDER, "requests_by_session", "");
    let page = requests::filtered(&org(), &every).within("t.session_id", vec!["s1".into()]);
    check::<Request>(page, requests::OF_SESSIONS, "requests_by_session", SORT);
}

#[test]
fn learned_rows_are_listed_through_an_index() {
    let every = ProfileFilter { status: vec![Status::Current], ..ProfileFilter::default() };
    let of_user = ProfileFilter { user_id: Some("u1".into()), ..every.clone() };
    check::<Profile>(profiles::filtered(&org(), &every), Profile::ORDER, "profiles_by_time", "");
    check::<Profile>(profiles::filtered(&org(), &of_user), Profile::ORDER, "profiles_by_user", "");
    let every = UserPlaybookFilter { status: vec![Status::Current], ..UserPlaybookFilter::default() };
    let of_user = UserPlaybookFilter { user_id: Some("u1".into()), ..every.clone() };
    let order = UserPlaybook::ORDER;
    check::<UserPlaybook>(user_playbooks::filtered(&org(), &every), order, "user_playbooks_by_time", "");
    check::<UserPlaybook>(user_playbooks::filtered(&org(), &of_user), order, "user_playbooks_by_user", "");
    let every = AgentPlaybookFilter { status: vec![Status::Current], ..AgentPlaybookFilter::default() };
    let order = AgentPlaybook::ORDER;
    check::<AgentPlaybook>(agent_playbooks::filtered(&org(), &every), order, "agent_playbooks_by_time", "");
}

/// Few rows, which may be sorted.
const SORT: &str = "USE TEMP B-TREE FOR ORDER BY";

fn org() -> OrgId {
    OrgId::new("acme")
}

fn since() -> TimeRange {
    TimeRange { start: Some(Timestamp(1)), end: None }
}

/// The first step must use the index, and rows must come in order unless sorting is expected.
#[track_caller]
fn check<R: Stored>(predicate: Predicate, order: &str, index: &str, sort: &str) {
    let folder = TempDir::new().unwrap();
    let sql = schema::open_writer(&folder.path().join("test.db"), &Options::default()).unwrap();
    let text = select_text::<R>(&predicate, order);
    let steps = plan(&sql, &text, predicate);
    assert!(
        steps.iter().any(|step| step.contains(&format!("SEARCH t USING INDEX {index} "))),
        "{text}: {steps:?}"
    );
    let sorted = steps.iter().any(|step| step == SORT);
    assert_eq!(sorted, sort == SORT, "{text}: {steps:?}");
}

fn plan(sql: &Connection, text: &str, predicate: Predicate) -> Vec<String> {
    let mut values = predicate.into_values();
    values.push(10.into());
    let mut statement = sql.prepare(&format!("EXPLAIN QUERY PLAN {text}")).unwrap();
    let rows = statement.query_map(params_from_iter(values), |row| row.get(3)).unwrap();
    rows.collect::<rusqlite::Result<_>>().unwrap()
}
