//! Changing what makes vectors: those of one model are never compared with those of another.

use reflexio_store::{Embedded, Error, Store, VectorIndex, VectorModel};
use reflexio_types::RowKind;

use crate::embedding::{
    axis, both, embed, embed_all, find, found, model, near, put, the_waiting, waiting, write,
};
use crate::sample::{acme, settle};

/// As long as the first, so that only its name tells them apart.
fn second() -> VectorModel {
    VectorModel { id: "second".to_owned(), ..model() }
}

fn longer() -> VectorModel {
    VectorModel { dimension: 16, ..model() }
}

async fn put_all(store: &dyn Store, model: &VectorModel, vector: &[f32]) -> u64 {
    let rows = waiting(store, &acme()).await;
    let rows = rows.into_iter().map(|row| (row.row, Embedded::Vector(vector.to_vec()))).collect();
    store.put_vectors(&acme(), model, rows).await.unwrap()
}

pub async fn another_model_makes_all_rows_wait_and_compares_none(store: &dyn Store) {
    let long = [axis(0), vec![0.0; 8]].concat();
    for (new, vector) in [(second(), axis(0)), (longer(), long)] {
        store.use_model(Some(&model())).await.unwrap();
        for kind in RowKind::ALL {
            write(store, &acme(), kind, &format!("apple-{}", new.dimension + new.id.len())).await;
        }
        embed_all(store, &acme(), |_| axis(0)).await;
        let rows = find(store, &acme(), RowKind::Profile, &near(axis(0))).await.len();
        store.use_model(Some(&new)).await.unwrap();
        assert_eq!(waiting(store, &acme()).await.len(), 4 * rows, "{new:?}");
        for kind in RowKind::ALL {
            assert!(found(store, &acme(), kind, vector.clone()).await.is_empty(), "{kind:?} of {new:?}");
            let by_words = find(store, &acme(), kind, &both("apple", vector.clone())).await;
            assert_eq!(by_words.len(), rows);
            assert!(by_words.iter().all(|hit| hit.cosine.is_none()), "{by_words:?}");
            assert!(found(store, &acme(), kind, axis(0)).await.is_empty(), "a question of the old model");
        }
        assert_eq!(put_all(store, &new, &vector).await, 4 * rows as u64);
        for kind in RowKind::ALL {
            assert_eq!(found(store, &acme(), kind, vector.clone()).await.len(), rows, "{kind:?} of {new:?}");
        }
        assert_eq!(waiting(store, &acme()).await, []);
    }
}

pub async fn switching_back_serves_what_is_left_and_asks_for_the_rest(store: &dyn Store) {
    store.use_model(Some(&model())).await.unwrap();
    write(store, &acme(), RowKind::Profile, "apple").await;
    write(store, &acme(), RowKind::Profile, "pear").await;
    embed_all(store, &acme(), |_| axis(0)).await;
    store.use_model(Some(&second())).await.unwrap();
    let row = the_waiting(store, &acme(), "apple").await;
    let rows = vec![(row, Embedded::Vector(axis(1)))];
    assert_eq!(store.put_vectors(&acme(), &second(), rows).await.unwrap(), 1);
    store.use_model(Some(&model())).await.unwrap();
    assert_eq!(found(store, &acme(), RowKind::Profile, axis(0)).await, ["pear"], "its vector is still there");
    assert!(embed(store, &acme(), "apple", axis(0)).await);
    embed_all(store, &acme(), |_| axis(0)).await;
    assert_eq!(found(store, &acme(), RowKind::Profile, axis(0)).await.len(), 2);
    assert_eq!(waiting(store, &acme()).await, []);
}

pub async fn using_the_same_model_again_changes_nothing(store: &dyn Store) {
    store.use_model(Some(&model())).await.unwrap();
    settle(store, &acme()).await;
    embed_all(store, &acme(), |_| axis(0)).await;
    store.use_model(Some(&model())).await.unwrap();
    assert_eq!(waiting(store, &acme()).await, []);
    for kind in RowKind::ALL {
        assert_eq!(found(store, &acme(), kind, axis(0)).await.len(), 1, "{kind:?}");
    }
}

pub async fn what_one_model_refused_the_next_may_take(store: &dyn Store) {
    store.use_model(Some(&model())).await.unwrap();
    write(store, &acme(), RowKind::Profile, "apple").await;
    let row = the_waiting(store, &acme(), "apple").await;
    put(store, &acme(), row, Embedded::Refused("too sour".to_owned())).await;
    store.use_model(Some(&model())).await.unwrap();
    assert_eq!(waiting(store, &acme()).await, [], "it is the same model");
    store.use_model(Some(&second())).await.unwrap();
    assert_eq!(waiting(store, &acme()).await.len(), 1);
    assert_eq!(put_all(store, &second(), &axis(0)).await, 1);
}

pub async fn without_a_model_only_words_are_searched(store: &dyn Store) {
    assert_eq!(store.vector_index(), VectorIndex::Off);
    store.use_model(Some(&model())).await.unwrap();
    write(store, &acme(), RowKind::Profile, "apple").await;
    assert!(embed(store, &acme(), "apple", axis(0)).await);
    write(store, &acme(), RowKind::Profile, "pear").await;
    let late = the_waiting(store, &acme(), "pear").await;
    store.use_model(None).await.unwrap();
    assert_eq!(store.vector_index(), VectorIndex::Off);
    assert_eq!(store.unembedded(100).await.unwrap(), []);
    assert!(found(store, &acme(), RowKind::Profile, axis(0)).await.is_empty());
    assert!(!put(store, &acme(), late, Embedded::Vector(axis(0))).await);
    let hits = find(store, &acme(), RowKind::Profile, &both("apple", axis(0))).await;
    assert_eq!((hits.len(), hits[0].cosine), (1, None));
    write(store, &acme(), RowKind::Profile, "plum").await;

    store.use_model(Some(&model())).await.unwrap();
    assert_eq!(found(store, &acme(), RowKind::Profile, axis(0)).await, ["apple"]);
    assert_eq!(waiting(store, &acme()).await.len(), 2, "also what was written meanwhile");
}

pub async fn a_model_that_cannot_be_searched_is_refused_and_the_one_before_stays(store: &dyn Store) {
    store.use_model(Some(&model())).await.unwrap();
    write(store, &acme(), RowKind::Profile, "apple").await;
    assert!(embed(store, &acme(), "apple", axis(0)).await);
    let nothing = VectorModel { id: "nothing".to_owned(), dimension: 0 };
    let refused = store.use_model(Some(&nothing)).await;
    assert!(matches!(refused, Err(Error::UnusableModel(_))), "{refused:?}");
    assert_eq!(found(store, &acme(), RowKind::Profile, axis(0)).await, ["apple"]);
    write(store, &acme(), RowKind::Profile, "pear").await;
    assert!(embed(store, &acme(), "pear", axis(0)).await, "its vectors are taken");
}

pub async fn the_index_tells_how_many_rows_it_holds(store: &dyn Store) {
    store.use_model(Some(&model())).await.unwrap();
    settle(store, &acme()).await;
    assert!(matches!(store.vector_index(), VectorIndex::Ready { rows: 0, .. }));
    embed_all(store, &acme(), |_| axis(0)).await;
    assert!(matches!(store.vector_index(), VectorIndex::Ready { rows: 4, bytes } if bytes > 0));
    store.clear_user(&acme(), &"u1".into()).await.unwrap();
    assert!(matches!(store.vector_index(), VectorIndex::Ready { rows: 1, .. }));
}
