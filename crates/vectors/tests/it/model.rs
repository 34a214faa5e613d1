//! The index against a map of rows: whatever is done to both, they answer alike.

use crate::common::{Database, Random, ids};
use proptest::prelude::*;
use reflexio_vectors::{Error, Filter, Index, Labels, Memory, Options, Query, Row, Widths};

const ORG: u32 = 7;
const K: usize = 8;

/// Widths at which nothing is cut off, so that the answer must be exact.
const EVERYTHING: Widths = Widths { scanned: 1 << 20, exact: 1 << 20, margin: f32::INFINITY };

/// A scan that passes few rows on, so that the binary codes decide.
const NARROW: Widths = Widths { scanned: 4, exact: 1 << 20, margin: f32::INFINITY };

fn options(dimension: usize, memory: Memory, widths: Widths) -> Options {
    Options { memory, widths, ..Options::new(dimension) }
}

/// One step on the index and on the model.
fn step(index: &mut Index, model: &mut Database, options: Options, random: &mut Random) {
    let dimension = options.dimension;
    let some_ids = |random: &mut Random, limit| -> Vec<u64> {
        (0..random.below(limit)).map(|_| u64::from(random.below(60)) << random.below(2).pow(5)).collect()
    };
    match random.below(12) {
        0..6 => {
            let fresh: Vec<(u64, Vec<f32>)> =
                some_ids(random, 20).into_iter().map(|id| (id, random.unit(dimension))).collect();
            let rows: Vec<Row<'_>> =
                fresh.iter().map(|(id, vector)| Row { id: *id, vector, labels: random.labels() }).collect();
            let gone = some_ids(random, 4);
            index.apply(ORG, &rows, &gone, 1).unwrap();
            gone.iter().for_each(|id| _ = model.0.remove(id));
            model.0.extend(rows.into_iter().map(|row| (row.id, (row.vector.to_vec(), row.labels))));
        }
        6..8 => {
            let gone = some_ids(random, 30);
            let there = gone.iter().filter(|id| model.0.remove(id).is_some()).count();
            assert_eq!(index.remove(ORG, &gone), there);
        }
        8..10 => {
            let labels: Vec<(u64, Labels)> =
                some_ids(random, 10).into_iter().map(|id| (id, random.labels())).collect();
            let mut there: Vec<u64> =
                labels.iter().map(|(id, _)| *id).filter(|id| model.0.contains_key(id)).collect();
            there.sort_unstable();
            there.dedup();
            assert_eq!(index.relabel(ORG, &labels), there.len());
            for (id, labels) in labels {
                model.0.entry(id).and_modify(|row| row.1 = labels);
            }
        }
        10 => assert_eq!(
            index.recentre(|_, ids| model.fetch(ids)),
            if index.size().rows > 0 { model.0.len() } else { 0 }
        ),
        _ => {
            let stamp = random.next();
            let (loaded, loaded_stamp) = Index::load(&index.save(stamp), options).unwrap();
            assert_eq!(loaded_stamp, stamp);
            *index = loaded;
        }
    }
    assert_eq!(index.size().rows, model.0.len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_search_is_exact_when_nothing_is_cut_off(seed in any::<u64>(), generous in any::<bool>(), eighths in 1usize..20) {
        let random = &mut Random(seed);
        let memory = if generous { Memory::Generous } else { Memory::Compact };
        let options = options(eighths * 8, memory, EVERYTHING);
        let mut index = Index::new(options).unwrap();
        let mut model = Database::default();
        for _ in 0..40 {
            step(&mut index, &mut model, options, random);
            let (vector, filter) = (random.unit(options.dimension), random.filter(ORG));
            let query = Query { vector: &vector, filter: &filter, k: K, threads: 1 };
            let hits = index.search(&query, |ids| model.fetch(ids)).unwrap();
            prop_assert_eq!(hits, model.nearest(&vector, &filter, K));
        }
    }

    #[test]
    fn a_narrow_scan_returns_only_live_rows_that_the_filter_admits(seed in any::<u64>()) {
        let random = &mut Random(seed);
        // The scan is at least 20 k wide: ask for one row so that 60 rows do not fit.
        let options = options(64, Memory::Compact, NARROW);
        let mut index = Index::new(options).unwrap();
        let mut model = Database::default();
        for _ in 0..40 {
            step(&mut index, &mut model, options, random);
            let (vector, filter) = (random.unit(options.dimension), random.filter(ORG));
            let query = Query { vector: &vector, filter: &filter, k: 1, threads: 1 };
            let hits = index.search(&query, |ids| model.fetch(ids)).unwrap();
            let admitted = model.0.values().filter(|(_, labels)| filter.admits(labels)).count();
            prop_assert_eq!(hits.len(), admitted.min(1));
            for hit in hits {
                prop_assert!(filter.admits(&model.0[&hit.id].1));
            }
        }
    }
}

#[test]
fn an_org_sees_only_its_own_rows() {
    let random = &mut Random(1);
    let index = Index::new(Options::new(32)).unwrap();
    let vectors = random.clustered(40, 3, 32);
    for (org, vectors) in [(1, &vectors[..20]), (2, &vectors[20..])] {
        let rows: Vec<Row<'_>> =
            (0..).zip(vectors).map(|(id, vector)| Row { id, vector, labels: random.labels() }).collect();
        index.upsert(org, &rows, 1).unwrap();
    }
    for (org, vectors) in [(1, &vectors[..20]), (2, &vectors[20..])] {
        let filter = Filter::org(org);
        let query = Query { vector: &vectors[4], filter: &filter, k: 1, threads: 1 };
        let hits =
            index.search(&query, |ids| ids.iter().map(|id| vectors[*id as usize].clone()).collect()).unwrap();
        assert_eq!(ids(&hits), [4]);
    }
    index.remove_org(1);
    let filter = Filter::org(1);
    let query = Query { vector: &vectors[0], filter: &filter, k: 9, threads: 1 };
    assert_eq!(index.search(&query, |_| Vec::new()), Ok(Vec::new()));
    assert_eq!(index.size().rows, 20);
}

#[test]
fn vectors_that_cannot_be_compared_are_refused() {
    assert_eq!(Index::new(Options::new(12)).err(), Some(Error::UnsupportedDimension(12)));
    let index = Index::new(Options::new(16)).unwrap();
    let add = |vector: &[f32]| index.upsert(ORG, &[Row { id: 3, vector, labels: Labels::default() }], 1);
    assert_eq!(add(&[1.0; 8]), Err(Error::Dimension { expected: 16, got: 8 }));
    assert_eq!(add(&[0.0; 16]), Err(Error::NotUnit(3)));
    assert_eq!(add(&[f32::NAN; 16]), Err(Error::NotUnit(3)));
    assert_eq!(add(&[0.25; 16]), Ok(0));
    let filter = Filter::org(ORG);
    let query = Query { vector: &[2.0; 16], filter: &filter, k: 1, threads: 1 };
    assert_eq!(index.search(&query, |_| Vec::new()), Err(Error::QueryNotUnit));
}
