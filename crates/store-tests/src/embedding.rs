//! What the claims about vectors share: a model of eight dimensions, rows of every kind, and vectors made by hand.

use reflexio_search::TextQuery;
use reflexio_store::{
    AgentPlaybookFilter, Ask, Embedded, InteractionFilter, ProfileFilter, RowRef, Scored, Store, Unembedded,
    UserPlaybookFilter, VectorModel,
};
use reflexio_types::{OrgId, RowKind};

use crate::sample::{
    ALL, add_agent_playbooks, add_profiles, add_user_playbooks, agent_playbook, profile, request, say,
    user_playbook,
};

pub(crate) const DIMENSION: usize = 8;

pub(crate) fn model() -> VectorModel {
    VectorModel { id: "hand-made".to_owned(), dimension: DIMENSION }
}

/// The unit vector along one axis.
pub(crate) fn axis(n: usize) -> Vec<f32> {
    (0..DIMENSION).map(|at| if at == n { 1.0 } else { 0.0 }).collect()
}

/// A unit vector that has this cosine to the first axis.
pub(crate) fn tilted(cosine: f32) -> Vec<f32> {
    let mut vector = axis(0);
    vector[0] = cosine;
    vector[1] = (1.0 - cosine * cosine).sqrt();
    vector
}

/// Asks for what lies near to a vector.
pub(crate) fn near(vector: Vec<f32>) -> Ask {
    Ask { meaning: vec![vector], limit: ALL, ..Ask::default() }
}

/// Asks for both.
pub(crate) fn both(words: &str, vector: Vec<f32>) -> Ask {
    Ask { words: Some(TextQuery::parse(words)), ..near(vector) }
}

/// Writes a row; its content is also its name, so it has to be one word that no other row has.
pub(crate) async fn write(store: &dyn Store, org: &OrgId, kind: RowKind, content: &str) {
    match kind {
        RowKind::Interaction => drop(say(store, org, request(content, "u1", "s1", 1), &[content]).await),
        RowKind::Profile => add_profiles(store, org, &[profile(content, "u1", 1, content)]).await,
        RowKind::UserPlaybook => {
            add_user_playbooks(store, org, &[user_playbook("u1", 1, content)]).await;
        }
        RowKind::AgentPlaybook => {
            add_agent_playbooks(store, org, &[agent_playbook("rule", 1, content)]).await;
        }
    }
}

/// All rows of an org that wait.
pub(crate) async fn waiting(store: &dyn Store, org: &OrgId) -> Vec<Unembedded> {
    let all = store.unembedded(ALL).await.unwrap();
    all.into_iter().filter(|(other, _)| other == org).flat_map(|(_, rows)| rows).collect()
}

/// The row that waits with this word in its text.
pub(crate) async fn the_waiting(store: &dyn Store, org: &OrgId, word: &str) -> RowRef {
    let rows = waiting(store, org).await;
    let found: Vec<&Unembedded> = rows.iter().filter(|row| has_word(&row.text, word)).collect();
    assert_eq!(found.len(), 1, "`{word}` in {rows:?}");
    found[0].row
}

fn has_word(text: &str, word: &str) -> bool {
    text.split_whitespace().any(|part| part == word)
}

/// Gives the row that waits with this word its vector; says whether it was taken.
pub(crate) async fn embed(store: &dyn Store, org: &OrgId, word: &str, vector: Vec<f32>) -> bool {
    let row = the_waiting(store, org, word).await;
    put(store, org, row, Embedded::Vector(vector)).await
}

pub(crate) async fn put(store: &dyn Store, org: &OrgId, row: RowRef, embedded: Embedded) -> bool {
    store.put_vectors(org, &model(), vec![(row, embedded)]).await.unwrap() == 1
}

/// Gives every row of the org that waits the vector that is made of its text.
pub(crate) async fn embed_all(store: &dyn Store, org: &OrgId, vector: impl Fn(&str) -> Vec<f32>) -> u64 {
    let rows = waiting(store, org).await;
    let rows = rows.into_iter().map(|row| (row.row, Embedded::Vector(vector(&row.text)))).collect();
    store.put_vectors(org, &model(), rows).await.unwrap()
}

/// A row of any kind that was found.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Hit {
    pub(crate) content: String,
    pub(crate) score: f64,
    pub(crate) cosine: Option<f64>,
}

pub(crate) async fn find(store: &dyn Store, org: &OrgId, kind: RowKind, ask: &Ask) -> Vec<Hit> {
    match kind {
        RowKind::Interaction => {
            let rows = store.search_interactions(org, &InteractionFilter::default(), ask).await.unwrap();
            hits(rows, |row| row.turn.content)
        }
        RowKind::Profile => {
            hits(store.search_profiles(org, &ProfileFilter::default(), ask).await.unwrap(), |row| {
                row.body.content
            })
        }
        RowKind::UserPlaybook => {
            let rows = store.search_user_playbooks(org, &UserPlaybookFilter::default(), ask).await.unwrap();
            hits(rows, |row| row.body.content)
        }
        RowKind::AgentPlaybook => {
            let rows = store.search_agent_playbooks(org, &AgentPlaybookFilter::default(), ask).await.unwrap();
            hits(rows, |row| row.body.content)
        }
    }
}

pub(crate) fn hits<R>(rows: Vec<Scored<R>>, content: fn(R) -> String) -> Vec<Hit> {
    let hit = |Scored { row, score, cosine }| Hit { content: content(row), score, cosine };
    rows.into_iter().map(hit).collect()
}

/// What is found by meaning, nearest first.
pub(crate) async fn found(store: &dyn Store, org: &OrgId, kind: RowKind, vector: Vec<f32>) -> Vec<String> {
    find(store, org, kind, &near(vector)).await.into_iter().map(|hit| hit.content).collect()
}
