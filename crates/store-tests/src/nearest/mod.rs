//! Searching by meaning under any filter, compared with looking at every row.

mod filters;
mod rows;

use std::collections::HashMap;

use proptest::collection::vec;
use proptest::prelude::*;
use reflexio_store::{Ask, InteractionOrder, Store};
use reflexio_types::{OrgId, TimeRange};

use self::filters::{
    agent_playbook_filter, interaction_filter, profile_filter, shifted_agent_playbooks, user_playbook_filter,
};
use self::rows::{Rows, some_rows};
use crate::embedding::{DIMENSION, Hit, hits, model, near};
use crate::property::holds;
use crate::sample::ALL;

/// How many rows of each kind; few enough that an approximate index has to look at all of them.
const MOST_ROWS: usize = 24;

/// A vector per row, by its content; some rows have none.
type Meanings = HashMap<String, Vec<f32>>;

pub(crate) fn unit() -> impl Strategy<Value = Vec<f32>> {
    vec(-1.0_f32..1.0, DIMENSION).prop_filter_map("it has a direction", |vector| {
        let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
        (length > 0.1).then(|| vector.iter().map(|number| number / length).collect())
    })
}

pub(crate) fn few<T: Strategy>(inner: T) -> impl Strategy<Value = Option<T::Value>> {
    prop::option::weighted(0.2, inner)
}

pub(crate) fn time() -> impl Strategy<Value = TimeRange> {
    (few(0..6_i64), few(0..6_i64)).prop_map(|(start, end)| TimeRange {
        start: start.map(crate::sample::at),
        end: end.map(crate::sample::at),
    })
}

pub fn a_search_by_meaning_finds_what_looking_at_every_row_finds<G, S: Store>(
    make: impl AsyncFnOnce() -> (G, S),
) {
    let questions = || vec((unit(), prop_oneof![Just(ALL), 0..8_usize]), 1..3);
    let filters = (
        vec(interaction_filter(), 1..6),
        vec(profile_filter(), 1..6),
        vec(user_playbook_filter(), 1..6),
        vec(agent_playbook_filter(), 1..6),
    );
    holds(make, 48, &(some_rows(MOST_ROWS), filters, questions()), &agrees);
}

type Filters = (
    Vec<reflexio_store::InteractionFilter>,
    Vec<reflexio_store::ProfileFilter>,
    Vec<reflexio_store::UserPlaybookFilter>,
    Vec<reflexio_store::AgentPlaybookFilter>,
);

async fn agrees(store: &dyn Store, org: &OrgId, (rows, filters, questions): (Rows, Filters, Questions)) {
    store.use_model(Some(&model())).await.unwrap();
    let meanings = rows.write(store, org).await;
    let (interactions, profiles, user_playbooks, agent_playbooks) = filters;
    for (vector, limit) in questions {
        let ask = Ask { limit, ..near(vector) };
        for filter in &interactions {
            let order = InteractionOrder::NewestFirst;
            let listed = store.interactions(org, filter, order, ALL).await.unwrap();
            let found = store.search_interactions(org, filter, &ask).await.unwrap();
            let listed = listed.into_iter().map(|row| row.turn.content);
            same(&hits(found, |row| row.turn.content), listed, &meanings, &ask, filter);
        }
        for filter in &profiles {
            let listed = store.profiles(org, filter, ALL).await.unwrap();
            let found = store.search_profiles(org, filter, &ask).await.unwrap();
            let listed = listed.into_iter().map(|row| row.body.content);
            same(&hits(found, |row| row.body.content), listed, &meanings, &ask, filter);
        }
        for filter in &user_playbooks {
            let listed = store.user_playbooks(org, filter, ALL).await.unwrap();
            let found = store.search_user_playbooks(org, filter, &ask).await.unwrap();
            let listed = listed.into_iter().map(|row| row.body.content);
            same(&hits(found, |row| row.body.content), listed, &meanings, &ask, filter);
        }
        for filter in &agent_playbooks {
            let filter = &shifted_agent_playbooks(store, org, filter).await;
            let listed = store.agent_playbooks(org, filter, ALL).await.unwrap();
            let found = store.search_agent_playbooks(org, filter, &ask).await.unwrap();
            let listed = listed.into_iter().map(|row| row.body.content);
            same(&hits(found, |row| row.body.content), listed, &meanings, &ask, filter);
        }
    }
}

type Questions = Vec<(Vec<f32>, usize)>;

/// The rows that the filter lists, the nearest of them first.
fn same(
    found: &[Hit],
    listed: impl Iterator<Item = String>,
    meanings: &Meanings,
    ask: &Ask,
    filter: &impl std::fmt::Debug,
) {
    let cosine = |content: &str| -> Option<f64> {
        let vector = meanings.get(content)?;
        Some(vector.iter().zip(&ask.meaning[0]).map(|(a, b)| f64::from(a * b)).sum())
    };
    let mut expected: Vec<(String, f64)> =
        listed.filter_map(|content| cosine(&content).map(|cosine| (content, cosine))).collect();
    expected.sort_by(|a, b| b.1.total_cmp(&a.1));
    expected.truncate(ask.limit);
    let cosines: Vec<f64> = found.iter().map(|hit| hit.cosine.unwrap()).collect();
    assert_eq!(cosines.len(), expected.len(), "{filter:?} {ask:?}: {found:?}, not {expected:?}");
    for (hit, (content, best)) in found.iter().zip(&expected) {
        let exact = cosine(&hit.content).unwrap();
        let fits = (hit.cosine.unwrap() - exact).abs() < 1e-5 && (exact - best).abs() < 1e-5;
        assert!(fits, "{filter:?}: {hit:?} in the place of {content}, {best}");
    }
    let mut names: Vec<&str> = found.iter().map(|hit| hit.content.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), found.len(), "each row once: {found:?}");
}
