//! What is saved comes back, and what is damaged is refused.

use proptest::prelude::*;
use reflexio_postings::{Error, Index};

use crate::common::{Database, ORG, Random};

fn built(seed: u64) -> (Index, Database) {
    let random = &mut Random(seed);
    let (index, mut model) = (Index::new(), Database::default());
    for id in 0..400 {
        model.0.insert(id, (random.text(30), random.labels()));
    }
    model.rows().chunks(90).for_each(|rows| _ = index.apply(ORG, rows, &[]));
    let gone: Vec<u64> = (0..400).step_by(9).collect();
    index.apply(ORG, &[], &gone);
    gone.iter().for_each(|id| _ = model.0.remove(id));
    (index, model)
}

#[test]
fn a_loaded_index_is_the_same() {
    let (index, model) = built(1);
    let bytes = index.save(42);
    let (loaded, stamp) = Index::load(&bytes).unwrap();
    assert_eq!(stamp, 42);
    assert_eq!(loaded.save(42), bytes);
    assert_eq!(loaded.size().rows, index.size().rows);
    let random = &mut Random(5);
    for _ in 0..50 {
        model.check(&loaded, &random.query(), &random.filter(), 10);
    }
    let (empty, stamp) = Index::load(&Index::new().save(7)).unwrap();
    assert_eq!((empty.size().rows, stamp), (0, 7));
}

#[test]
fn another_format_is_refused_by_its_number() {
    let mut bytes = built(1).0.save(1);
    bytes[8] = 99;
    assert_eq!(Index::load(&bytes).err(), Some(Error::Format(99)));
}

#[test]
fn every_cut_is_refused() {
    let bytes = built(2).0.save(1);
    for length in (0..bytes.len()).step_by(61).chain(bytes.len() - 40..bytes.len()).chain(0..80) {
        assert!(Index::load(&bytes[..length]).is_err(), "{length} bytes");
    }
}

/// A damaged byte string with a checksum that fits it: what only a bug could write.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.truncate(bytes.len() - 32);
    let checksum = blake3::hash(&bytes);
    bytes.extend(checksum.as_bytes());
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_changed_byte_is_refused(seed in 0u64..3, at in any::<prop::sample::Index>(), change in 1u8..) {
        let mut bytes = built(seed).0.save(1);
        let at = at.index(bytes.len());
        bytes[at] ^= change;
        prop_assert!(Index::load(&bytes).is_err());
    }

    #[test]
    fn any_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(Index::load(&bytes).is_err());
    }

    #[test]
    fn a_changed_byte_under_a_right_checksum_never_panics_while_loading(at in any::<prop::sample::Index>(), change in 1u8..) {
        let mut bytes = built(1).0.save(1);
        let at = 12 + at.index(bytes.len() - 44);
        bytes[at] ^= change;
        drop(Index::load(&sealed(bytes)));
    }
}
