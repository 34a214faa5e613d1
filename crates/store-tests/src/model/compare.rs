use std::cmp::Reverse;
use std::fmt::Debug;

use reflexio_search::{TextQuery, terms};
use reflexio_store::{
    AgentPlaybookFilter, Ask, InteractionFilter, InteractionOrder, Page, ProfileFilter, RequestDetail,
    RequestFilter, SessionGroup, Store, UserPlaybookFilter,
};
use reflexio_types::OrgId;

use super::Model;
use crate::sample::{ALL, agent_playbooks, image, interactions, profiles, user_playbooks};

const QUERIES: [&str; 4] = ["apple", "pear NOT plum ", "\"apple pear\"", "東京 AND apple"];

/// Everything that can be listed or found must be what the model says.
pub(super) async fn compare(store: &dyn Store, org: &OrgId, model: &Model, step: &impl Debug) {
    let listed = interactions(store, org).await;
    assert_eq!(listed, sorted(&model.interactions, |row| (Reverse(row.turn.created_at), row.id)), "{step:?}");
    let every = InteractionFilter::default();
    let latest = store.interactions(org, &every, InteractionOrder::LatestArrivalFirst, ALL).await.unwrap();
    assert_eq!(latest, sorted(&model.interactions, |row| Reverse(row.id)), "{step:?}");
    let (groups, more) = store.sessions(org, &RequestFilter::default(), Page::first(ALL)).await.unwrap();
    assert_eq!((groups, more), (sessions(model), false), "{step:?}");

    let listed = profiles(store, org).await;
    assert_eq!(
        listed,
        sorted(&model.profiles, |row| (Reverse(row.last_modified), row.id.clone())),
        "{step:?}"
    );
    let listed = user_playbooks(store, org).await;
    assert_eq!(listed, sorted(&model.user_playbooks, |row| Reverse((row.created_at, row.id))), "{step:?}");
    let listed = agent_playbooks(store, org).await;
    assert_eq!(listed, sorted(&model.agent_playbooks, |row| Reverse((row.created_at, row.id))), "{step:?}");
    for name in ["i0", "i1"] {
        let expected = model.images().contains_key(image(name).id.as_str()).then(|| image(name));
        assert_eq!(store.image(org, &image(name).id).await.unwrap(), expected, "{step:?}");
    }
    for text in QUERIES {
        searches(store, org, model, &TextQuery::parse(text), step).await;
    }
}

async fn searches(store: &dyn Store, org: &OrgId, model: &Model, query: &TextQuery, step: &impl Debug) {
    let matches = |text: String| query.matches(&terms(&text));
    let mut found = ids(
        store.search_interactions(org, &InteractionFilter::default(), &Ask::words(query, ALL)).await.unwrap(),
        |row| row.id,
    );
    found.sort_unstable();
    let expected = model.interactions.iter().filter(|row| matches(row.turn.searchable_text()));
    assert_eq!(found, expected.map(|row| row.id).collect::<Vec<_>>(), "{step:?}, {query:?}");

    let mut found = ids(
        store.search_profiles(org, &ProfileFilter::default(), &Ask::words(query, ALL)).await.unwrap(),
        |row| row.id,
    );
    found.sort_unstable();
    let expected = model.profiles.iter().filter(|row| matches(row.searchable_text()));
    assert_eq!(
        found,
        sorted(&expected.map(|row| row.id.clone()).collect::<Vec<_>>(), Clone::clone),
        "{step:?}"
    );

    let every = UserPlaybookFilter::default();
    let mut found =
        ids(store.search_user_playbooks(org, &every, &Ask::words(query, ALL)).await.unwrap(), |row| row.id);
    found.sort_unstable();
    let expected = model.user_playbooks.iter().filter(|row| matches(row.searchable_text()));
    assert_eq!(found, expected.map(|row| row.id).collect::<Vec<_>>(), "{step:?}, {query:?}");

    let every = AgentPlaybookFilter::default();
    let mut found =
        ids(store.search_agent_playbooks(org, &every, &Ask::words(query, ALL)).await.unwrap(), |row| row.id);
    found.sort_unstable();
    let expected = model.agent_playbooks.iter().filter(|row| matches(row.searchable_text()));
    assert_eq!(found, expected.map(|row| row.id).collect::<Vec<_>>(), "{step:?}, {query:?}");
}

fn ids<R, I>(rows: Vec<reflexio_store::Scored<R>>, id: fn(R) -> I) -> Vec<I> {
    rows.into_iter().map(|hit| id(hit.row)).collect()
}

/// Requests newest first, of one second the latest arrival; sessions by their newest request.
fn sessions(model: &Model) -> Vec<SessionGroup> {
    let mut requests: Vec<_> = model.requests.iter().enumerate().collect();
    requests.sort_by_key(|(arrival, request)| Reverse((request.created_at, *arrival)));
    let mut groups: Vec<SessionGroup> = Vec::new();
    for (_, request) in requests {
        let said = model.interactions.iter().filter(|row| row.request_id == request.id).cloned();
        let detail = RequestDetail { request: request.clone(), interactions: said.collect() };
        match groups.iter_mut().find(|group| group.session_id == request.session_id) {
            Some(group) => group.requests.push(detail),
            None => {
                groups.push(SessionGroup { session_id: request.session_id.clone(), requests: vec![detail] })
            }
        }
    }
    groups
}

fn sorted<R: Clone, K: Ord>(rows: &[R], key: impl Fn(&R) -> K) -> Vec<R> {
    let mut rows = rows.to_vec();
    rows.sort_by_key(key);
    rows
}
