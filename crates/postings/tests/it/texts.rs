//! Texts of every kind, and questions about nothing.

use reflexio_postings::{Index, Query, Row, Statistics};
use reflexio_search::{TextQuery, terms};
use reflexio_vectors::{Filter, Labels};

use crate::common::{Database, ORG, ids};

fn index_of(texts: &[&str]) -> (Index, Database) {
    let mut model = Database::default();
    for (id, text) in (0..).zip(texts) {
        model.0.insert(id, (terms(text).join(" "), Labels { time: id as i64, ..Labels::default() }));
    }
    let index = Index::new();
    index.apply(ORG, &model.rows(), &[]);
    (index, model)
}

#[track_caller]
fn check(texts: &[&str], query: &str, expected: &[u64]) {
    let (index, model) = index_of(texts);
    let query_terms = TextQuery::parse(query);
    let hits = index.search(&Query { query: &query_terms, filter: &Filter::org(ORG), k: 100 });
    assert_eq!(ids(&hits), expected, "`{query}`");
    model.check(&index, query, &Filter::org(ORG), 100);
}

#[test]
fn scripts_without_spaces_are_found_by_their_pairs() {
    check(&["東京都に住む", "京都", "大阪"], "東京都", &[0]);
    check(&["我要退款", "订单", "退款政策 退款"], "退款", &[2, 0]);
}

#[test]
fn emoji_are_no_terms_and_rows_without_terms_are_never_found() {
    check(&["🙂 🙃", "", "refund 🙂"], "🙂", &[]);
    check(&["🙂 🙃", "", "refund 🙂"], "refund", &[2]);
    // A caller may index what it likes, though.
    let index = Index::new();
    index.apply(ORG, &[Row { id: 1, labels: Labels::default(), terms: "🙂 x" }], &[]);
    assert_eq!(
        ids(&index.search(&Query { query: &TextQuery::parse("x "), filter: &Filter::org(ORG), k: 1 })),
        [1]
    );
}

#[test]
fn very_long_terms_and_texts_are_kept_whole() {
    let long = "z".repeat(5000);
    let (index, mut model) = index_of(&["short"]);
    let words: Vec<String> = (0..10_000).map(|word| format!("w{}", word % 3000)).collect();
    model.0.insert(5, (words.join(" "), Labels::default()));
    model.0.insert(6, (format!("{long} {long}a"), Labels::default()));
    model.0.insert(7, ("w7 w8 w7 w8".to_owned(), Labels::default()));
    index.apply(ORG, &model.rows(), &[]);
    for query in ["\"w7 w8\"", "\"w2999 w0\"", "w12 w2999 w7 ", "w29", &long[..64], "w1 NOT w2", "w1 AND w2"]
    {
        model.check(&index, query, &Filter::org(ORG), 10);
    }
    index.relabel(ORG, &[(5, Labels { user: 9, ..Labels::default() })]);
    model.0.entry(5).and_modify(|row| row.1.user = 9);
    model.check(&index, "\"w7 w8\" w9 ", &Filter::user(ORG, 9), 10);
}

#[test]
fn equal_rows_come_newest_first_and_then_by_id() {
    let index = Index::new();
    let row = |id, time| Row { id, labels: Labels { time, ..Labels::default() }, terms: "apple" };
    index.apply(ORG, &[row(4, 1), row(3, 1), row(2, 9), row(9, -3)], &[]);
    index.apply(ORG, &[row(1, 1)], &[]);
    let query = TextQuery::parse("apple");
    let found = |k| ids(&index.search(&Query { query: &query, filter: &Filter::org(ORG), k }));
    assert_eq!(found(9), [2, 1, 3, 4, 9]);
    assert_eq!(found(3), [2, 1, 3]);
}

#[test]
fn no_query_no_rows_and_no_k_are_no_fault() {
    let (index, _) = index_of(&["apple", "pear"]);
    let filter = Filter::org(ORG);
    let (nothing, apple) = (TextQuery::parse(""), TextQuery::parse("apple"));
    assert_eq!(index.search(&Query { query: &nothing, filter: &filter, k: 5 }), []);
    assert_eq!(index.search(&Query { query: &apple, filter: &filter, k: 0 }), []);
    assert_eq!(index.search(&Query { query: &apple, filter: &filter, k: usize::MAX }).len(), 1);
    let counted = index.search_counted(&Query { query: &apple, filter: &filter, k: 0 });
    let statistics = Statistics { rows: 2, average_length: 1.0, holding: vec![1.0] };
    assert_eq!(counted.statistics, statistics);
    let elsewhere = index.search_counted(&Query { query: &apple, filter: &Filter::org(99), k: 5 });
    assert_eq!((elsewhere.hits, elsewhere.statistics.rows), (Vec::new(), 0));
    assert_eq!(index.apply(ORG, &[], &[]), 0);
    assert_eq!(index.relabel(99, &[(1, Labels::default())]), 0);
}
