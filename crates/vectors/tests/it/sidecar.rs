//! What was saved is read back as it was, and what was damaged is refused.

use std::sync::LazyLock;

use crate::common::Random;
use proptest::prelude::*;
use reflexio_vectors::{Error, Filter, Index, Memory, Options, Query, Row};

const DIMENSION: usize = 72;

fn built(memory: Memory) -> (Index, Vec<Vec<f32>>) {
    let random = &mut Random(4);
    let vectors = random.clustered(700, 9, DIMENSION);
    let index = Index::new(Options { memory, ..Options::new(DIMENSION) }).unwrap();
    let rows: Vec<Row<'_>> =
        (0..).zip(&vectors).map(|(id, vector)| Row { id, vector, labels: random.labels() }).collect();
    index.upsert(1, &rows[..600], 1).unwrap();
    index.upsert(2, &rows[600..], 1).unwrap();
    index.remove(1, &[3, 5, 8]);
    (index, vectors)
}

/// One saved index for all damage.
static SAVED: LazyLock<Vec<u8>> = LazyLock::new(|| built(Memory::Compact).0.save(1));

#[test]
fn a_loaded_index_answers_like_the_saved_one() {
    for memory in [Memory::Compact, Memory::Generous] {
        let (index, vectors) = built(memory);
        let bytes = index.save(42);
        let (loaded, stamp) = Index::load(&bytes, Options { memory, ..Options::new(DIMENSION) }).unwrap();
        assert_eq!(stamp, 42);
        assert_eq!(loaded.size(), index.size());
        assert_eq!(loaded.save(42), bytes);
        for seed in 0..40 {
            let filter = Random(seed).filter(1 + seed as u32 % 2);
            let query = Query { vector: &vectors[seed as usize], filter: &filter, k: 5, threads: 1 };
            let fetch = |ids: &[u64]| -> Vec<Vec<f32>> {
                ids.iter().map(|id| vectors[*id as usize].clone()).collect()
            };
            assert_eq!(loaded.search(&query, fetch), index.search(&query, fetch));
        }
        assert_eq!(loaded.remove(1, &[3, 4]), 1);
    }
}

#[test]
fn a_sidecar_of_another_index_is_refused() {
    let bytes = built(Memory::Compact).0.save(1);
    let load = |bytes: &[u8], options| Index::load(bytes, options).err();
    assert_eq!(load(&bytes, Options::new(384)), Some(Error::OtherOptions));
    assert_eq!(
        load(&bytes, Options { memory: Memory::Generous, ..Options::new(DIMENSION) }),
        Some(Error::OtherOptions)
    );
    let mut newer = bytes.clone();
    newer[8] = 99;
    assert_eq!(load(&newer, Options::new(DIMENSION)), Some(Error::Format(99)));
    assert_eq!(load(b"", Options::new(DIMENSION)), Some(Error::Corrupt("it ends too early")));
    assert_eq!(load(&[0; 100], Options::new(DIMENSION)), Some(Error::Corrupt("it is not a sidecar")));
}

#[test]
fn an_empty_index_survives_a_round_trip() {
    let index = Index::new(Options::new(8)).unwrap();
    let (loaded, stamp) = Index::load(&index.save(0), Options::new(8)).unwrap();
    assert_eq!((loaded.size(), stamp), (index.size(), 0));
    let (vector, filter) = (Random(1).unit(8), Filter::org(1));
    let query = Query { vector: &vector, filter: &filter, k: 1, threads: 1 };
    assert_eq!(loaded.search(&query, |_| Vec::new()), Ok(Vec::new()));
}

proptest! {
    #[test]
    fn damage_anywhere_is_an_error_and_never_a_panic(at in any::<prop::sample::Index>(), flip in 1u8.., cut in any::<bool>()) {
        let mut bytes = SAVED.clone();
        let at = at.index(bytes.len());
        if cut {
            bytes.truncate(at);
        } else {
            bytes[at] ^= flip;
        }
        let error = Index::load(&bytes, Options::new(DIMENSION)).err();
        prop_assert!(matches!(error, Some(Error::Corrupt(_) | Error::Format(_))), "{:?}", error);
    }

    /// With a checksum that fits the damage, the contents are still not trusted.
    #[test]
    fn nonsense_with_a_right_checksum_never_panics(at in any::<prop::sample::Index>(), flip in 1u8..) {
        let mut bytes = SAVED.clone();
        let end = bytes.len() - 32;
        bytes[at.index(end)] ^= flip;
        let checksum = blake3::hash(&bytes[..end]);
        bytes[end..].copy_from_slice(checksum.as_bytes());
        if let Ok((index, _)) = Index::load(&bytes, Options::new(DIMENSION)) {
            let (vector, filter) = (Random(1).unit(DIMENSION), Filter::org(1));
            let query = Query { vector: &vector, filter: &filter, k: 5, threads: 1 };
            prop_assert!(index.search(&query, |_| Vec::new()).is_ok());
        }
    }
}
