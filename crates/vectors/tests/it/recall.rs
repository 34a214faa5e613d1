//! What the stages cost in accuracy, and that neither kernels nor threads change an answer.

use crate::common::{Database, Random, ids};
use reflexio_vectors::{Filter, Index, Kernel, Memory, Options, Query, Row, Widths};

const ORG: u32 = 1;
const K: usize = 10;

fn database(random: &mut Random, rows: usize, dimension: usize) -> Database {
    let vectors = random.clustered(rows, rows / 100 + 1, dimension);
    Database((0..).zip(vectors).map(|(id, vector)| (id, (vector, random.labels()))).collect())
}

fn recall(index: &Index, database: &Database, queries: &[Vec<f32>], filter: &Filter) -> f32 {
    let (mut found, mut expected) = (0, 0);
    for vector in queries {
        let query = Query { vector, filter, k: K, threads: 1 };
        let hits = ids(&index.search(&query, |ids| database.fetch(ids)).unwrap());
        let exact = ids(&database.nearest(vector, filter, K));
        found += exact.iter().filter(|id| hits.contains(id)).count();
        expected += exact.len();
    }
    found as f32 / expected as f32
}

fn check_recall(memory: Memory, centred: bool) {
    let random = &mut Random(3);
    let database = database(random, 4000, 128);
    let queries: Vec<Vec<f32>> = database
        .0
        .values()
        .step_by(160)
        .map(|(vector, _)| {
            crate::common::unit(vector.iter().map(|value| value + 0.03 * random.normal()).collect())
        })
        .collect();
    let index = Index::new(Options { memory, ..Options::new(128) }).unwrap();
    let batch = if centred { 4000 } else { 100 };
    for rows in database.rows().chunks(batch) {
        index.upsert(ORG, rows, 2).unwrap();
    }
    if !centred {
        assert!(index.needs_recentring());
        assert_eq!(index.recentre(|_, ids| database.fetch(ids)), 4000);
        assert!(!index.needs_recentring());
    }
    let some = Filter { versions: Some(vec![1]), from: -2, ..Filter::org(ORG) };
    for filter in [Filter::org(ORG), Filter::user(ORG, 2), some] {
        let recall = recall(&index, &database, &queries, &filter);
        assert!(recall >= 0.99, "{recall} with {filter:?}");
    }
}

#[test]
fn compact_codes_find_99_of_100_neighbours() {
    check_recall(Memory::Compact, true);
}

#[test]
fn generous_codes_find_99_of_100_neighbours() {
    check_recall(Memory::Generous, true);
}

#[test]
fn codes_around_a_centre_found_later_find_99_of_100_neighbours() {
    check_recall(Memory::Compact, false);
}

/// Eight dimensions have nine distances, so that nearly everything ties and order must come from ids.
#[test]
fn kernels_and_threads_never_change_an_answer() {
    let random = &mut Random(5);
    let database = database(random, 110_000, 8);
    let queries: Vec<Vec<f32>> = (0..4).map(|_| random.unit(8)).collect();
    let filters = [Filter::org(ORG), Filter { names: Some(vec![0, 2]), ..Filter::org(ORG) }];
    let mut answers = Vec::new();
    for kernel in Kernel::available() {
        let widths = Widths { scanned: 300, exact: 40, margin: 1.0 };
        let index = Index::new(Options { kernel, widths, ..Options::new(8) }).unwrap();
        database.rows().chunks(30_000).for_each(|rows| _ = index.upsert(ORG, rows, 2).unwrap());
        for threads in [1, 3] {
            let mut hits = Vec::new();
            for vector in &queries {
                for filter in &filters {
                    let query = Query { vector, filter, k: K, threads };
                    hits.push(index.search(&query, |ids| database.fetch(ids)).unwrap());
                }
            }
            answers.push(hits);
        }
    }
    for answer in &answers {
        assert_eq!(answer, &answers[0]);
    }
}

#[test]
fn equal_vectors_come_newest_first() {
    let vector = Random(9).unit(16);
    let index = Index::new(Options::new(16)).unwrap();
    let row = |id| Row { id, vector: &vector, labels: Random(id).labels() };
    index.upsert(ORG, &(0..100).map(row).collect::<Vec<_>>(), 1).unwrap();
    let filter = Filter::org(ORG);
    let query = Query { vector: &vector, filter: &filter, k: 3, threads: 1 };
    let hits = index.search(&query, |ids| ids.iter().map(|_| vector.clone()).collect()).unwrap();
    assert_eq!(ids(&hits), [99, 98, 97]);
}
