//! A writer replaces rows while readers search: nobody sees half of a change.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use crate::common::Random;
use reflexio_vectors::{Filter, Index, Labels, Options, Query, Row};

const ORG: u32 = 1;
const ROWS: u64 = 40;
const GENERATIONS: i64 = 400;

#[test]
fn a_search_sees_all_of_a_change_or_nothing_of_it() {
    let random = &mut Random(1);
    let vectors: Vec<Vec<f32>> = (0..ROWS).map(|_| random.unit(16)).collect();
    let index = Index::new(Options::new(16)).unwrap();
    let published = AtomicI64::new(-1);
    let done = AtomicBool::new(false);
    let fetch = |ids: &[u64]| -> Vec<Vec<f32>> {
        ids.iter().map(|id| vectors[(id % ROWS) as usize].clone()).collect()
    };
    let count = |filter: &Filter| {
        let query = Query { vector: &vectors[0], filter, k: 4 * ROWS as usize, threads: 1 };
        index.search(&query, fetch).unwrap().len() as u64
    };
    // Every generation updates half of the rows, and deletes the other half to add it under new ids.
    let write = |generation: i64| {
        let id = |at: u64, generation: i64| {
            if at.is_multiple_of(2) { at } else { at + ROWS * (generation + 1) as u64 }
        };
        let rows: Vec<Row<'_>> = (0..ROWS)
            .map(|at| {
                let labels = Labels { time: generation, user: at as u32 % 3, ..Labels::default() };
                Row { id: id(at, generation), vector: &vectors[at as usize], labels }
            })
            .collect();
        let old: Vec<u64> = (1..ROWS).step_by(2).map(|at| id(at, generation - 1)).collect();
        index.apply(ORG, &rows, &old, 1).unwrap();
        published.store(generation, Ordering::SeqCst);
    };
    write(0);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let mut last = false;
                while !last {
                    last = done.load(Ordering::SeqCst);
                    let known = published.load(Ordering::SeqCst);
                    assert_eq!(count(&Filter::org(ORG)), ROWS, "rows are missing or there twice");
                    assert_eq!(
                        count(&Filter { from: known, ..Filter::org(ORG) }),
                        ROWS,
                        "a published change is missing"
                    );
                    let next = count(&Filter { from: known + 1, to: known + 1, ..Filter::org(ORG) });
                    assert!(next == 0 || next == ROWS, "half of a change is visible: {next}");
                }
            });
        }
        scope.spawn(|| {
            while !done.load(Ordering::SeqCst) {
                index.recentre(|_, ids| fetch(ids));
            }
        });
        (1..GENERATIONS).for_each(write);
        done.store(true, Ordering::SeqCst);
    });
    assert_eq!(index.size().rows as u64, ROWS);
}

#[test]
fn writers_of_one_org_lose_nothing() {
    let random = &mut Random(2);
    let vectors: Vec<Vec<f32>> = (0..800).map(|_| random.unit(8)).collect();
    let index = Index::new(Options::new(8)).unwrap();
    std::thread::scope(|scope| {
        for (writer, vectors) in vectors.chunks(200).enumerate() {
            let index = &index;
            scope.spawn(move || {
                for (at, vector) in vectors.iter().enumerate() {
                    let id = (writer * 200 + at) as u64;
                    index.upsert(ORG, &[Row { id, vector, labels: Labels::default() }], 1).unwrap();
                    if at % 4 == 3 {
                        assert_eq!(index.remove(ORG, &[id - 1]), 1);
                    }
                }
            });
        }
    });
    assert_eq!(index.size().rows, 600);
    assert!(index.size().parts < 20, "parts are merged: {:?}", index.size());
}
