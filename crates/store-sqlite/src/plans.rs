//! Lists must be read through the index that was made for them, however large the tables grow.

use reflexio_store::{
    AgentPlaybookFilter, EvaluationFilter, InjectionFilter, InteractionFilter, JobFilter, OptimizationFilter,
    OutcomeFilter, ProfileFilter, Reach, RequestFilter, ShadowComparisonFilter, ShadowTurnFilter,
    UserPlaybookFilter,
};
use reflexio_types::{
    AgentPlaybook, AgentPlaybookId, Evaluation, Injection, Interaction, Job, JobState, LearningEvaluation,
    Optimization, OptimizationPurpose, OptimizationTarget, OrgId, Profile, Request, SessionOutcome,
    ShadowComparison, Status, TimeRange, Timestamp, UserPlaybook,
};
use rusqlite::{Connection, params_from_iter};
use tempfile::TempDir;

use crate::predicate::Predicate;
use crate::rows::{Stored, select_text};
use crate::{
    Options, agent_playbooks, analytics, costs, evaluations, injections, interactions, jobs, learning,
    optimizations, outcomes, profiles, requests, schema, shadow_comparisons, user_playbooks,
};

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
fn turns_to_learn_from_are_read_through_an_index() {
    let (org, user, id) = (org(), "u1".into(), Some(reflexio_types::InteractionId(7)));
    let (after, up_to) = (Reach::After(id), Reach::UpTo(id));
    let index = "interactions_by_user_arrival";
    check::<Interaction>(learning::turns_of(&org, &user, after), learning::OLDEST_FIRST, index, "");
    check::<Interaction>(learning::turns_of(&org, &user, up_to), learning::LATEST_FIRST, index, "");
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
fn outcomes_and_judgements_are_listed_through_an_index() {
    let every = OutcomeFilter::default();
    let order = SessionOutcome::ORDER;
    check::<SessionOutcome>(outcomes::filtered(&org(), &every), order, "session_outcomes_by_time", "");
    let timed = OutcomeFilter { time: since(), ..every };
    check::<SessionOutcome>(outcomes::filtered(&org(), &timed), order, "session_outcomes_by_time", "");
    let every = EvaluationFilter::default();
    let of_session = EvaluationFilter { session_id: Some("s1".into()), ..every.clone() };
    let of_version = EvaluationFilter { agent_version: Some("v1".to_owned()), ..every.clone() };
    let order = Evaluation::ORDER;
    check::<Evaluation>(evaluations::filtered(&org(), &every), order, "evaluations_by_time", "");
    check::<Evaluation>(evaluations::filtered(&org(), &of_version), order, "evaluations_by_time", "");
    check::<Evaluation>(evaluations::filtered(&org(), &of_session), order, "evaluations_by_session", "");
    let of_user = EvaluationFilter { user_id: Some("u1".into()), ..of_session.clone() };
    let order = LearningEvaluation::ORDER;
    check::<LearningEvaluation>(
        evaluations::filtered(&org(), &every),
        order,
        "learning_evaluations_by_time",
        "",
    );
    check::<LearningEvaluation>(
        evaluations::filtered(&org(), &of_session),
        order,
        "learning_evaluations_by_session",
        "",
    );
    check::<LearningEvaluation>(
        evaluations::filtered(&org(), &of_user),
        order,
        "learning_evaluations_by_user",
        "",
    );
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

#[test]
fn optimizations_are_listed_through_an_index() {
    let purpose = Some(OptimizationPurpose::Wording);
    let every = OptimizationFilter { purpose, ..OptimizationFilter::default() };
    let target = Some(OptimizationTarget::AgentPlaybook(AgentPlaybookId(1)));
    let of_target = OptimizationFilter { target, ..every.clone() };
    let check = |filter: &OptimizationFilter, index: &str| {
        check::<Optimization>(optimizations::filtered(&org(), filter), Optimization::ORDER, index, "");
    };
    check(&every, "optimizations_by_time");
    check(&of_target, "optimizations_by_target");
}

#[test]
fn shadow_comparisons_are_listed_through_an_index() {
    let every = ShadowComparisonFilter::default();
    let of_user = ShadowComparisonFilter { user_id: Some("u1".into()), ..every.clone() };
    let both = ShadowComparisonFilter { agent_version: Some("v1".to_owned()), ..of_user.clone() };
    let of_session = ShadowComparisonFilter { session_id: Some("s1".into()), ..every.clone() };
    let of_request = ShadowComparisonFilter { request_id: Some("r1".into()), ..every.clone() };
    let order = ShadowComparison::ORDER;
    let check = |filter: &ShadowComparisonFilter, index: &str, sort: &str| {
        check::<ShadowComparison>(shadow_comparisons::filtered(&org(), filter), order, index, sort);
    };
    check(&every, "shadow_comparisons_by_time", "");
    check(&of_user, "shadow_comparisons_by_user", "");
    check(&both, "shadow_comparisons_by_user", "");
    check(&of_session, "shadow_comparisons_by_session", "");
    check(&of_request, "shadow_comparisons_by_request", "");
    let turns = shadow_comparisons::with_shadow(&org(), &ShadowTurnFilter::default(), None);
    check_text(&shadow_comparisons::turns_text(&turns), "interactions_with_shadow");
}

#[test]
fn jobs_are_listed_through_an_index() {
    let every = JobFilter::default();
    let of_state = JobFilter { state: Some(JobState::Dead), ..every.clone() };
    let of_kind = JobFilter { kind: Some("learn".to_owned()), ..every.clone() };
    let of_user = JobFilter { user_id: Some("u1".into()), ..of_kind.clone() };
    let both = JobFilter { kind: of_kind.kind.clone(), ..of_state.clone() };
    let filtered = |filter| jobs::rows::filtered(&org(), filter);
    check::<Job>(filtered(&every), Job::ORDER, "jobs_by_arrival", "");
    check::<Job>(filtered(&of_state), Job::ORDER, "jobs_by_state", "");
    check::<Job>(filtered(&of_kind), Job::ORDER, "jobs_by_kind", "");
    check::<Job>(filtered(&both), Job::ORDER, "jobs_by_state", "");
    check::<Job>(filtered(&of_user), Job::ORDER, "jobs_by_user", "");
    let learning = jobs::rows::unfinished_learning(&org(), &"u1".into());
    check::<Job>(learning, jobs::rows::RUNNING_FIRST, "jobs_unfinished", SORT);
}

#[test]
fn the_queue_never_walks_through_what_waits() {
    use jobs::turns::{FIRST_ORG, FIRST_USER, LAST_ORG, NEXT_ORG, NEXT_USER};
    for text in [FIRST_ORG, NEXT_ORG, LAST_ORG, FIRST_USER, NEXT_USER] {
        check_text(text, "jobs_ready");
    }
    check_text(jobs::claim::PROMOTE, "jobs_waiting");
    check_text(&jobs::attempt::expired_text(), "jobs_leased");
    check_text(jobs::lane::FIRST, "jobs_first");
    check_text(jobs::lane::OLDEST_BEHIND, "jobs_behind");
    check_text(jobs::queue::COVERING, "jobs_keys");
    check_text(jobs::manage::DELETE_FINISHED, "jobs_finished");
    let indexes = ["jobs_ready", "jobs_waiting", "jobs_behind", "jobs_leased", "jobs_finished"];
    for ((_, text), index) in jobs::rows::COUNT_ALL.into_iter().zip(indexes) {
        check_text(text, index);
    }
    check_text(jobs::rows::COUNT_OF_ORG, "jobs_by_state");
}

#[test]
fn the_books_are_never_read_through_for_one_user_run_or_day() {
    check_text(costs::SPENT_BY_ALL, "cost_days_by_day");
    check_text(costs::SPENT_BY_RUN, "model_calls_by_run");
    check_text(costs::FORGET, "model_calls_by_age");
    check_text(costs::ERASE, "model_calls_by_user");
}

#[test]
fn injections_are_listed_counted_and_forgotten_through_an_index() {
    let every = InjectionFilter::default();
    let of_user = InjectionFilter { user_id: Some("u1".into()), ..every.clone() };
    let of_session = InjectionFilter { session_id: Some("s1".into()), ..of_user.clone() };
    let order = Injection::ORDER;
    check::<Injection>(injections::filtered(&org(), &every), order, "injections_by_time", "");
    check::<Injection>(injections::filtered(&org(), &of_user), order, "injections_by_user", "");
    check::<Injection>(injections::filtered(&org(), &of_session), order, "injections_by_session", "");
    check_text(injections::FORGET, "injections_by_age");
    check_text(injections::ERASE[0], "injections_by_user");
    check_text(&injections::TOLD.replace("{session}", "1"), "session_outcomes_by_time");
    check_text(&injections::JUDGED.replace("{session}", "1"), "evaluations_by_time");
}

#[test]
fn playbooks_and_versions_are_counted_from_an_index_alone() {
    let of_org = Predicate::of_org(&org());
    check_text(&analytics::user_text(&of_org), "user_playbooks_by_version");
    check_text(&analytics::published_text(&of_org), "requests_by_version");
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

/// The statement reads the queue through this index and sorts nothing.
#[track_caller]
fn check_text(text: &str, index: &str) {
    let folder = TempDir::new().unwrap();
    let sql = schema::open_writer(&folder.path().join("test.db"), &Options::default()).unwrap();
    let mut statement = sql.prepare(&format!("EXPLAIN QUERY PLAN {text}")).unwrap();
    let nothing = vec![rusqlite::types::Null; statement.parameter_count()];
    let rows = statement.query_map(params_from_iter(nothing), |row| row.get(3)).unwrap();
    let steps: Vec<String> = rows.collect::<rusqlite::Result<_>>().unwrap();
    let through = |step: &String| {
        step.contains(" t USING ") && (step.contains(&format!("INDEX {index} ")) || step.ends_with(index))
    };
    assert!(steps.iter().any(through), "{text}: {steps:?}");
    assert!(!steps.iter().any(|step| step.starts_with("USE TEMP")), "{text}: {steps:?}");
}

fn plan(sql: &Connection, text: &str, predicate: Predicate) -> Vec<String> {
    let mut values = predicate.into_values();
    values.push(10.into());
    let mut statement = sql.prepare(&format!("EXPLAIN QUERY PLAN {text}")).unwrap();
    let rows = statement.query_map(params_from_iter(values), |row| row.get(3)).unwrap();
    rows.collect::<rusqlite::Result<_>>().unwrap()
}
