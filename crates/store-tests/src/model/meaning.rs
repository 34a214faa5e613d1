use std::collections::BTreeMap;
use std::fmt::Debug;
use std::hash::{DefaultHasher, Hash, Hasher};

use reflexio_search::terms;
use reflexio_store::{
    AgentPlaybookFilter, InteractionFilter, ProfileFilter, Scored, Store, UserPlaybookFilter,
};
use reflexio_types::{OrgId, RowKind};

use super::Model;
use crate::embedding::{DIMENSION, embed_all, near, waiting};

/// Rows by kind and id, each with the text that its vector has to be made of.
type Texts = BTreeMap<(RowKind, String), String>;

/// Before rows are embedded, what is found is true; after that, everything is found.
pub(super) async fn compare(store: &dyn Store, org: &OrgId, model: &Model, step: &impl Debug) {
    let texts = texts(model);
    let early = found(store, org, &texts, step).await;
    let late = waiting(store, org).await;
    assert_eq!(early + late.len(), texts.len(), "each row is found or waits, {step:?}: {late:?}");
    assert_eq!(embed_all(store, org, vector).await, late.len() as u64, "{step:?}");
    assert_eq!(found(store, org, &texts, step).await, texts.len(), "{step:?}");
}

/// A unit vector that belongs to a text.
fn vector(text: &str) -> Vec<f32> {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    let bits = hasher.finish();
    let number = |at: usize| f32::from((bits >> (8 * at)) as u8) - 127.5;
    let numbers: Vec<f32> = (0..DIMENSION).map(number).collect();
    let length = numbers.iter().map(|number| number * number).sum::<f32>().sqrt();
    numbers.into_iter().map(|number| number / length).collect()
}

fn texts(model: &Model) -> Texts {
    let turns = model.interactions.iter().map(|row| (row.id.to_string(), row.turn.searchable_text()));
    let profiles = model.profiles.iter().map(|row| (row.id.to_string(), row.searchable_text()));
    let user = model.user_playbooks.iter().map(|row| (row.id.to_string(), row.searchable_text()));
    let agent = model.agent_playbooks.iter().map(|row| (row.id.to_string(), row.searchable_text()));
    let of = |kind| move |(id, text)| ((kind, id), text);
    turns
        .map(of(RowKind::Interaction))
        .chain(profiles.map(of(RowKind::Profile)))
        .chain(user.map(of(RowKind::UserPlaybook)))
        .chain(agent.map(of(RowKind::AgentPlaybook)))
        .filter(|(_, text)| !terms(text).is_empty())
        .collect()
}

/// How many rows are found by meaning, each with the cosine of its text.
async fn found(store: &dyn Store, org: &OrgId, texts: &Texts, step: &impl Debug) -> usize {
    let asked = vector("what is asked for");
    let ask = near(asked.clone());
    let turns = store.search_interactions(org, &InteractionFilter::default(), &ask).await.unwrap();
    let profiles = store.search_profiles(org, &ProfileFilter::default(), &ask).await.unwrap();
    let user = store.search_user_playbooks(org, &UserPlaybookFilter::default(), &ask).await.unwrap();
    let agent = store.search_agent_playbooks(org, &AgentPlaybookFilter::default(), &ask).await.unwrap();
    let mut hits = hits(RowKind::Interaction, &turns, |row| row.id.to_string());
    hits.extend(self::hits(RowKind::Profile, &profiles, |row| row.id.to_string()));
    hits.extend(self::hits(RowKind::UserPlaybook, &user, |row| row.id.to_string()));
    hits.extend(self::hits(RowKind::AgentPlaybook, &agent, |row| row.id.to_string()));
    for (row, cosine) in &hits {
        let text = texts.get(row).map(String::as_str);
        let own =
            text.map(|text| vector(text).iter().zip(&asked).map(|(a, b)| f64::from(a * b)).sum::<f64>());
        assert!(own.is_some_and(|own| (own - cosine).abs() < 1e-5), "{row:?} {text:?} {cosine}, {step:?}");
    }
    hits.len()
}

/// Each row once, as a map would not tell.
fn hits<R>(kind: RowKind, rows: &[Scored<R>], id: fn(&R) -> String) -> Vec<((RowKind, String), f64)> {
    let hits: Vec<_> = rows.iter().map(|hit| ((kind, id(&hit.row)), hit.cosine.unwrap())).collect();
    let distinct: BTreeMap<_, _> = hits.iter().cloned().collect();
    assert_eq!(distinct.len(), hits.len(), "{hits:?}");
    hits
}
