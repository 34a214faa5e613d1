//! Made-up rows and queries, and the database that an index stands above.

use std::collections::BTreeMap;

use reflexio_postings::{Hit, Index, Query, Row};
use reflexio_search::{TextQuery, rank};
use reflexio_vectors::{Filter, Labels};

pub(crate) const ORG: u32 = 7;

/// Words that stemming leaves as they are; some begin others.
const WORDS: [&str; 24] = [
    "aba",
    "abab",
    "ababo",
    "abax",
    "cod",
    "codx",
    "dub",
    "dubo",
    "elm",
    "fig",
    "gum",
    "hub",
    "東京",
    "京都",
    "本",
    "ete",
    "zoom",
    "zoomo",
    "k1",
    "k12",
    "नमस्ते",
    "qu",
    "rum",
    "sum",
];

/// A seeded generator.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, limit: u32) -> u32 {
        (self.next() % u64::from(limit)) as u32
    }

    /// A word; the first ones are more common.
    pub(crate) fn word(&mut self) -> &'static str {
        let limit = 1 + self.below(WORDS.len() as u32);
        WORDS[self.below(limit) as usize]
    }

    pub(crate) fn text(&mut self, most: u32) -> String {
        let words: Vec<&str> = (0..self.below(most + 1)).map(|_| self.word()).collect();
        words.join(" ")
    }

    pub(crate) fn labels(&mut self) -> Labels {
        Labels {
            user: self.below(4),
            version: self.below(3),
            name: self.below(3),
            source: self.below(2),
            status: [0, 1, 63, 64, 255][self.below(5) as usize],
            time: i64::from(self.below(10)) - 5,
            tags: (0..self.below(3)).map(|_| self.below(4)).collect(),
        }
    }

    pub(crate) fn filter(&mut self) -> Filter {
        let mut keys =
            |limit| (self.below(4) == 0).then(|| (0..1 + self.below(3)).map(|_| self.below(limit)).collect());
        let (versions, names, sources, tags) = (keys(3), keys(3), keys(2), keys(4));
        let mut filter = Filter { versions, names, sources, tags, ..Filter::org(ORG) };
        if self.below(2) == 0 {
            filter.user = Some(self.below(5));
        }
        if self.below(4) == 0 {
            filter.statuses = [0, 64, 255].into_iter().take(self.below(4) as usize).collect();
        }
        if self.below(4) == 0 {
            filter.from = i64::from(self.below(12)) - 6;
            filter.to = filter.from + i64::from(self.below(6));
        }
        filter
    }

    /// Words, beginnings, phrases and operators.
    pub(crate) fn query(&mut self) -> String {
        let mut text = String::new();
        for _ in 0..1 + self.below(5) {
            match self.below(8) {
                0 => text += &format!("\"{} {}\" ", self.word(), self.word()),
                1 => text += &format!("{} AND {} ", self.word(), self.word()),
                2 => text += &format!("{} NOT {} ", self.word(), self.word()),
                3 => text += "missing ",
                4.. => text += &format!("{} ", self.word()),
            }
        }
        if self.below(2) == 0 { text.trim_end().to_owned() } else { text }
    }
}

/// The rows of one org.
#[derive(Default, Clone)]
pub(crate) struct Database(pub(crate) BTreeMap<u64, (String, Labels)>);

impl Database {
    pub(crate) fn rows(&self) -> Vec<Row<'_>> {
        self.0.iter().map(|(id, (terms, labels))| Row { id: *id, labels: labels.clone(), terms }).collect()
    }

    /// The exact answer, by the slow functions that define it.
    pub(crate) fn search(&self, query: &TextQuery, filter: &Filter, k: usize) -> Vec<Hit> {
        let scope: Vec<_> = self
            .0
            .iter()
            .filter(|(_, (_, labels))| filter.user.is_none_or(|user| user == labels.user))
            .map(|(id, (text, labels))| (*id, terms(text), labels))
            .collect();
        let documents: Vec<Vec<String>> = scope.iter().map(|(_, terms, _)| terms.clone()).collect();
        let scores = rank(query, &documents);
        let mut hits: Vec<(Hit, i64)> = scope
            .iter()
            .zip(scores)
            .filter(|((_, terms, labels), _)| filter.admits(labels) && query.matches(terms))
            .map(|((id, _, labels), score)| (Hit { id: *id, score }, labels.time))
            .collect();
        // Sums that are equal but for rounding are a tie.
        let rounded = |hit: &Hit| (hit.score * f64::from(1 << 24)).round();
        hits.sort_by(|(a, a_time), (b, b_time)| {
            rounded(b).total_cmp(&rounded(a)).then(b_time.cmp(a_time)).then(a.id.cmp(&b.id))
        });
        hits.truncate(k);
        hits.into_iter().map(|(hit, _)| hit).collect()
    }

    /// Asks both.
    #[track_caller]
    pub(crate) fn check(&self, index: &Index, text: &str, filter: &Filter, k: usize) {
        let query = TextQuery::parse(text);
        let hits = index.search(&Query { query: &query, filter, k });
        let expected = self.search(&query, filter, k);
        assert_eq!(ids(&hits), ids(&expected), "`{text}` {k} {filter:?}\n{hits:?}\n{expected:?}");
        for (hit, expected) in hits.iter().zip(&expected) {
            assert!((hit.score - expected.score).abs() < 1e-6, "`{text}`: {hit:?} should be {expected:?}");
        }
    }
}

pub(crate) fn terms(text: &str) -> Vec<String> {
    text.split_ascii_whitespace().map(str::to_owned).collect()
}

pub(crate) fn ids(hits: &[Hit]) -> Vec<u64> {
    hits.iter().map(|hit| hit.id).collect()
}
