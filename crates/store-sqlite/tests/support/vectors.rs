//! Rows with vectors made by hand.

use reflexio_store::{
    Ask, Embedded, InteractionFilter, Interactions, Profiles, RowRef, Scored, VectorModel, Vectors,
};
use reflexio_store_sqlite::SqliteStore;
use reflexio_types::{
    Interaction, NEVER_EXPIRES, OrgId, Profile, ProfileBody, ProfileTimeToLive, Status, Timestamp,
};

use super::org;

pub(crate) const DIMENSION: usize = 8;

pub(crate) fn model() -> VectorModel {
    VectorModel { id: "hand-made".to_owned(), dimension: DIMENSION }
}

/// A unit vector for a number: any number, always the same vector, rarely that of another number.
pub(crate) fn vector(n: u64) -> Vec<f32> {
    let mut state = n.wrapping_add(1);
    let mut next = || {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (state >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    let numbers: Vec<f32> = (0..DIMENSION).map(|_| next()).collect();
    let length = numbers.iter().map(|number| number * number).sum::<f32>().sqrt();
    numbers.into_iter().map(|number| number / length).collect()
}

/// The number in a text like `User: turn 17`.
pub(crate) fn number(text: &str) -> u64 {
    text.rsplit(' ').next().and_then(|word| word.parse().ok()).unwrap()
}

/// Embeds what waits, up to so many rows; each row gets the vector of the number in its text.
pub(crate) async fn embed_some(store: &SqliteStore, limit: usize) -> u64 {
    let mut taken = 0;
    for (org, rows) in store.unembedded(limit).await.unwrap() {
        let rows: Vec<(RowRef, Embedded)> =
            rows.into_iter().map(|row| (row.row, Embedded::Vector(vector(number(&row.text))))).collect();
        taken += store.put_vectors(&org, &model(), rows).await.unwrap();
    }
    taken
}

pub(crate) async fn embed_all(store: &SqliteStore) {
    while embed_some(store, 1000).await > 0 {}
}

pub(crate) fn near(vector: Vec<f32>, limit: usize) -> Ask {
    Ask { meaning: vec![vector], limit, ..Ask::default() }
}

pub(crate) async fn nearest(store: &SqliteStore, org: &OrgId, ask: &Ask) -> Vec<Scored<Interaction>> {
    store.search_interactions(org, &InteractionFilter::default(), ask).await.unwrap()
}

/// The profile with this number, found by its meaning.
pub(crate) fn profile(n: u64) -> Profile {
    Profile {
        id: format!("p{n}").into(),
        user_id: format!("u{}", n % 7).into(),
        request_id: "r1".into(),
        last_modified: Timestamp(1),
        time_to_live: ProfileTimeToLive::Infinity,
        expires_at: NEVER_EXPIRES,
        source: None,
        status: Status::Current,
        body: ProfileBody { content: format!("fact {n}"), ..ProfileBody::default() },
    }
}

pub(crate) async fn add_profiles(store: &SqliteStore, rows: Vec<Profile>) {
    store.add_profiles(&org(), rows, None).await.unwrap();
}
