//! The index against a map of rows: whatever is done to both, they answer alike.

use proptest::prelude::*;
use reflexio_postings::{Index, Query, Row};
use reflexio_search::TextQuery;
use reflexio_vectors::{Filter, Labels};

use crate::common::{Database, ORG, Random, terms};

/// One step on the index and on the model.
fn step(index: &mut Index, model: &mut Database, random: &mut Random) {
    let some_ids = |random: &mut Random, limit| -> Vec<u64> {
        (0..random.below(limit)).map(|_| u64::from(random.below(60)) << random.below(2).pow(5)).collect()
    };
    match random.below(12) {
        0..6 => {
            let fresh: Vec<(u64, String)> =
                some_ids(random, 20).into_iter().map(|id| (id, random.text(12))).collect();
            let rows: Vec<Row<'_>> =
                fresh.iter().map(|(id, terms)| Row { id: *id, terms, labels: random.labels() }).collect();
            let gone = some_ids(random, 4);
            index.apply(ORG, &rows, &gone);
            gone.iter().for_each(|id| _ = model.0.remove(id));
            model.0.extend(rows.into_iter().map(|row| (row.id, (row.terms.to_owned(), row.labels))));
        }
        6..8 => {
            let gone = some_ids(random, 30);
            let there = gone.iter().filter(|id| model.0.remove(id).is_some()).count();
            assert_eq!(index.apply(ORG, &[], &gone), there);
        }
        8..11 => relabel(index, model, &some_ids(random, 10), random),
        _ => {
            let stamp = random.next();
            let (loaded, loaded_stamp) = Index::load(&index.save(stamp)).unwrap();
            assert_eq!(loaded_stamp, stamp);
            *index = loaded;
        }
    }
    assert_eq!(index.size().rows, model.0.len());
}

fn relabel(index: &Index, model: &mut Database, ids: &[u64], random: &mut Random) {
    let same_user = random.below(2) == 0;
    let labels: Vec<(u64, Labels)> = ids
        .iter()
        .map(|id| {
            let mut labels = random.labels();
            if let Some((_, old)) = model.0.get(id).filter(|_| same_user) {
                labels.user = old.user;
            }
            (*id, labels)
        })
        .collect();
    let mut there: Vec<u64> = ids.iter().copied().filter(|id| model.0.contains_key(id)).collect();
    there.sort_unstable();
    there.dedup();
    assert_eq!(index.relabel(ORG, &labels), there.len());
    for (id, labels) in labels {
        model.0.entry(id).and_modify(|row| row.1 = labels);
    }
}

fn check_steps(seed: u64) {
    let random = &mut Random(seed);
    let (mut index, mut model) = (Index::new(), Database::default());
    for _ in 0..60 {
        step(&mut index, &mut model, random);
        check_queries(&index, &model, random);
    }
}

#[test]
fn sums_that_differ_by_rounding_only_are_a_tie() {
    check_steps(873_684_220_748_291_664);
}

fn check_queries(index: &Index, model: &Database, random: &mut Random) {
    for _ in 0..3 {
        let k = [1, 2, 5, 1000][random.below(4) as usize];
        model.check(index, &random.query(), &random.filter(), k);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn every_search_is_exact(seed in any::<u64>()) {
        check_steps(seed);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn long_lists_are_searched_exactly(seed in any::<u64>()) {
        let random = &mut Random(seed);
        let mut model = Database::default();
        for id in 0..3000 + u64::from(random.below(7000)) {
            let labels = Labels { user: random.below(3) * random.below(2), ..random.labels() };
            model.0.insert(id, (random.text(9), labels));
        }
        let index = Index::new();
        let rows = model.rows();
        for rows in rows.chunks(700) {
            index.apply(ORG, rows, &[]);
        }
        for _ in 0..60 {
            let k = [1, 3, 10, 100, 20_000][random.below(5) as usize];
            model.check(&index, &random.query(), &random.filter(), k);
        }
    }

    #[test]
    fn statistics_are_those_of_the_scope(seed in any::<u64>()) {
        let random = &mut Random(seed);
        let (mut index, mut model) = (Index::new(), Database::default());
        for _ in 0..40 {
            step(&mut index, &mut model, random);
            let filter = random.filter();
            let (term, other, last) = (random.word(), random.word(), random.word());
            let query = TextQuery::parse(&format!("{term} \"{term} {other}\" {last} NOT {other} "));
            let found = index.search_counted(&Query { query: &query, filter: &filter, k: 0 });
            let scope: Vec<Vec<String>> = model.0.values()
                .filter(|(_, labels)| filter.user.is_none_or(|user| user == labels.user))
                .map(|(text, _)| terms(text))
                .collect();
            let holding = |asked: &[&str]| scope.iter().filter(|terms| terms.windows(asked.len()).any(|own| own == asked)).count() as f64;
            prop_assert_eq!(found.hits, Vec::new());
            prop_assert_eq!(found.statistics.rows, scope.len());
            prop_assert_eq!(found.statistics.holding, vec![holding(&[term]), holding(&[term, other]), holding(&[last])]);
            let terms = scope.iter().map(Vec::len).sum::<usize>() as f64;
            prop_assert!((found.statistics.average_length - (terms / scope.len().max(1) as f64).max(1.0)).abs() < 1e-9);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2))]

    #[test]
    fn every_search_is_exact_while_merges_wait_for_more_work(seed in any::<u64>()) {
        // Single rows bring little work: merging a thousand long ones takes many writes.
        let random = &mut Random(seed);
        let (index, mut model) = (Index::new(), Database::default());
        for id in 0..2200 {
            let (terms, labels) = (random.text(160), random.labels());
            index.apply(ORG, &[Row { id, terms: &terms, labels: labels.clone() }], &[]);
            model.0.insert(id, (terms, labels));
            let some = [u64::from(random.below(id as u32 + 1)), u64::from(random.below(id as u32 + 1))];
            match random.below(12) {
                0 => {
                    index.apply(ORG, &[], &some);
                    some.iter().for_each(|id| _ = model.0.remove(id));
                }
                1 => relabel(&index, &mut model, &some, random),
                _ => {}
            }
            if id % 157 == 156 {
                check_queries(&index, &model, random);
            }
        }
        prop_assert_eq!(index.size().rows, model.0.len());
    }
}

#[test]
fn an_org_sees_only_its_own_rows() {
    let index = Index::new();
    let row = |id, terms| Row { id, labels: Labels::default(), terms };
    index.apply(1, &[row(1, "apple pear")], &[]);
    index.apply(2, &[row(1, "pear"), row(2, "pear")], &[]);
    let query = TextQuery::parse("pear");
    let count = |org| index.search(&Query { query: &query, filter: &Filter::org(org), k: 9 }).len();
    assert_eq!((count(1), count(2), count(3)), (1, 2, 0));
    index.remove_org(2);
    assert_eq!((count(1), count(2), index.size().rows), (1, 0, 1));
}

#[test]
fn a_put_of_a_known_id_replaces_it_and_wins_over_its_removal() {
    let index = Index::new();
    let row = |id, terms| Row { id, labels: Labels::default(), terms };
    assert_eq!(index.apply(ORG, &[row(1, "apple"), row(1, "pear")], &[]), 0);
    let count =
        |text| index.search(&Query { query: &TextQuery::parse(text), filter: &Filter::org(ORG), k: 9 }).len();
    assert_eq!((count("apple"), count("pear")), (0, 1));
    assert_eq!(index.apply(ORG, &[row(1, "plum")], &[1, 5]), 1);
    assert_eq!((count("pear"), count("plum")), (0, 1));
    assert_eq!(index.apply(ORG, &[], &[1]), 1);
    assert_eq!((count("plum"), index.size().rows, index.size().parts), (0, 0, 0));
}
