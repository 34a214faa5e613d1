//! Many rows: several segments, and rows that wait to be merged away.

use reflexio_postings::{Index, Query, Row};
use reflexio_search::TextQuery;
use reflexio_vectors::{Filter, Labels};

use crate::common::{Database, ORG, Random, terms};

/// With rows that were replaced, rarity in a large scope is an estimate; what is found and its order follow from it.
#[test]
fn answers_follow_from_the_statistics_also_where_they_are_estimated() {
    let random = &mut Random(3);
    let (index, mut model) = (Index::new(), Database::default());
    for id in 0..9000 {
        model.0.insert(id, (random.text(9), random.labels()));
    }
    model.rows().chunks(1000).for_each(|rows| _ = index.apply(ORG, rows, &[]));
    let gone: Vec<u64> = (0..9000).step_by(7).collect();
    index.apply(ORG, &[], &gone);
    gone.iter().for_each(|id| _ = model.0.remove(id));
    assert!(index.size().dead_rows > 1000, "{:?}", index.size());
    for word in ["elm ", "k12 ", "東京 "] {
        let query = TextQuery::parse(word);
        let found = index.search_counted(&Query { query: &query, filter: &Filter::org(ORG), k: 20 });
        let exact = model.search(&query, &Filter::org(ORG), 20);
        let holding = model.0.values().filter(|(text, _)| query.matches(&terms(text))).count() as f64;
        assert_eq!(found.statistics.rows, model.0.len());
        assert!((found.statistics.holding[0] / holding - 1.0).abs() < 0.1, "{word}");
        // One leaf: its weight scales all scores alike, so the order is that of exact rarity.
        let ids = |hits: &[reflexio_postings::Hit]| hits.iter().map(|hit| hit.id).collect::<Vec<_>>();
        assert_eq!(ids(&found.hits), ids(&exact), "{word}");
    }
}

#[test]
fn many_small_writes_leave_few_parts() {
    let random = &mut Random(4);
    let index = Index::new();
    let mut most = 0;
    for batch in 0..1500u64 {
        let texts: Vec<String> = (0..4).map(|_| random.text(40)).collect();
        let rows: Vec<Row<'_>> = (batch * 4..)
            .zip(&texts)
            .map(|(id, terms)| Row {
                id,
                terms,
                labels: Labels { user: id as u32 % 50, ..Labels::default() },
            })
            .collect();
        index.apply(ORG, &rows, &[]);
        most = most.max(index.size().parts);
    }
    assert_eq!(index.size().rows, 6000);
    assert!(most <= 48, "{most} parts");
}
