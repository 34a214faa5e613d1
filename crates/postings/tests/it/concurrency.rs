//! A writer replaces rows while readers search: nobody sees half of a change.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use reflexio_postings::{Index, Query, Row};
use reflexio_search::TextQuery;
use reflexio_vectors::{Filter, Labels};

use crate::common::ORG;

const ROWS: u64 = 40;
const GENERATIONS: i64 = 600;

#[test]
fn a_search_sees_all_of_a_change_or_nothing_of_it() {
    let index = Index::new();
    let published = AtomicI64::new(-1);
    let done = AtomicBool::new(false);
    let common = TextQuery::parse("common ");
    let count =
        |filter: &Filter| index.search(&Query { query: &common, filter, k: 4 * ROWS as usize }).len() as u64;
    // Every generation updates half of the rows, and deletes the other half to add it under new ids.
    let write = |generation: i64| {
        let id = |at: u64, generation: i64| {
            if at.is_multiple_of(2) { at } else { at + ROWS * (generation + 1) as u64 }
        };
        let text = format!("common generation{generation} filler");
        let rows: Vec<Row<'_>> = (0..ROWS)
            .map(|at| {
                let labels = Labels { time: generation, user: at as u32 % 3, ..Labels::default() };
                Row { id: id(at, generation), terms: &text, labels }
            })
            .collect();
        let old: Vec<u64> = (1..ROWS).step_by(2).map(|at| id(at, generation - 1)).collect();
        index.apply(ORG, &rows, &old);
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
                    let fresh = count(&Filter { from: known, ..Filter::org(ORG) });
                    assert_eq!(fresh, ROWS, "a published change is missing");
                    let next = count(&Filter { from: known + 1, to: known + 1, ..Filter::org(ORG) });
                    assert!(next == 0 || next == ROWS, "half of a change is visible: {next}");
                }
            });
        }
        (1..GENERATIONS).for_each(write);
        done.store(true, Ordering::SeqCst);
    });
    assert_eq!(index.size().rows as u64, ROWS);
}

#[test]
fn writers_of_one_org_lose_nothing() {
    let index = Index::new();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let index = &index;
            scope.spawn(move || {
                for id in writer * 200..(writer + 1) * 200 {
                    let text = format!("word{id} common");
                    index.apply(ORG, &[Row { id, terms: &text, labels: Labels::default() }], &[]);
                    if id % 4 == 3 {
                        assert_eq!(index.apply(ORG, &[], &[id - 1]), 1);
                    }
                }
            });
        }
    });
    assert_eq!(index.size().rows, 600);
    assert!(index.size().parts < 30, "parts are merged: {:?}", index.size());
}
