use super::*;
use crate::{Known, Mt19937};

/// Members as (texts of `a` and `b`, parents, scores).
fn pool(members: &[([&str; 2], &[usize], &[f64])]) -> Pool {
    let mut pool = Pool::default();
    for ([a, b], parents, scores) in members {
        let known = |score: &f64| Known { output: serde_json::Value::Null, score: *score, objectives: None };
        let scored = scores.iter().map(known).enumerate().collect();
        pool.add(Candidate::new([("a", *a), ("b", *b)]).unwrap(), parents.to_vec(), &scored, 0);
    }
    pool
}

fn merged(pool: &Pool, floor: usize) -> Option<Merge> {
    Merges::default().propose(pool, &[1, 2], floor, &mut Mt19937::new(0)).unwrap()
}

#[test]
fn each_component_comes_from_the_one_that_moved() {
    let pool = pool(&[
        (["a0", "b0"], &[], &[0.0; 6]),
        (["a1", "b0"], &[0], &[1.0, 0.0, 0.5, 0.0, 0.0, 0.0]),
        (["a0", "b2"], &[0], &[0.0, 1.0, 0.5, 0.0, 0.0, 0.0]),
    ]);
    let merge = merged(&pool, 5).unwrap();
    assert_eq!(merge.candidate, Candidate::new([("a", "a1"), ("b", "b2")]).unwrap());
    assert_eq!(merge.parents, [1, 2]);
    assert_eq!(merge.examples.len(), TESTED);
    assert!(merge.examples.contains(&0) && merge.examples.contains(&1));
}

#[test]
fn where_both_moved_the_better_mean_decides() {
    let pool = pool(&[
        (["a0", "b0"], &[], &[0.0; 5]),
        (["a1", "b1"], &[0], &[0.25; 5]),
        (["a2", "b0"], &[0], &[0.5; 5]),
    ]);
    assert_eq!(merged(&pool, 5).unwrap().candidate, Candidate::new([("a", "a2"), ("b", "b1")]).unwrap());
}

#[test]
fn nothing_is_merged_below_the_overlap_floor() {
    let pool = pool(&[
        (["a0", "b0"], &[], &[0.0; 2]),
        (["a1", "b0"], &[0], &[0.5; 2]),
        (["a0", "b1"], &[0], &[0.5; 2]),
    ]);
    assert_eq!(merged(&pool, 5), None);
    assert_eq!(merged(&pool, 2).unwrap().examples.len(), TESTED, "filled with replacement");
}

#[test]
fn an_ancestor_is_never_merged_with_its_descendant() {
    let pool = pool(&[
        (["a0", "b0"], &[], &[0.0; 5]),
        (["a1", "b0"], &[0], &[0.5; 5]),
        (["a1", "b1"], &[1], &[0.5; 5]),
    ]);
    assert_eq!(merged(&pool, 5), None);
}

#[test]
fn an_ancestor_better_than_a_descendant_does_not_fit() {
    let pool = pool(&[
        (["a0", "b0"], &[], &[0.75; 5]),
        (["a1", "b0"], &[0], &[0.5; 5]),
        (["a0", "b1"], &[0], &[0.9; 5]),
    ]);
    assert_eq!(merged(&pool, 5), None);
}

#[test]
fn a_triplet_is_tried_once() {
    let pool = pool(&[
        (["a0", "b0"], &[], &[0.1; 5]),
        (["a1", "b0"], &[0], &[0.5; 5]),
        (["a0", "b1"], &[0], &[0.5; 5]),
    ]);
    let (mut merges, mut random) = (Merges::default(), Mt19937::new(0));
    assert!(merges.propose(&pool, &[1, 2], 5, &mut random).unwrap().is_some());
    assert!(merges.propose(&pool, &[1, 2], 5, &mut random).unwrap().is_none());
}

#[test]
fn ancestors_without_a_positive_mean_are_drawn_alike() {
    let mut random = Mt19937::new(7);
    let drawn: BTreeSet<usize> =
        (0..50).map(|_| weighted_or_any(&[0, 1], &[0.0, 0.0], &mut random)).collect();
    assert_eq!(drawn, BTreeSet::from([0, 1]));
    assert!((0..50).all(|_| weighted_or_any(&[0, 1], &[-1.0, 0.5], &mut random) == 1));
}
