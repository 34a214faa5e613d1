//! One way of searching for all kinds of rows: words and meaning bring candidates, `reflexio_search::fusion` scores
//! them. Without an embedder, or when it fails, words alone decide and the answer says so.

mod asked;
mod covered;
mod ranking;
mod reformulation;
mod served;
mod unified;

use reflexio_search::fusion::Explained;

pub(crate) use asked::Asked;
pub(crate) use covered::{Coverage, statement};
pub use reformulation::PastTurn;
pub(crate) use served::Served;
pub use unified::{EntityKind, UnifiedFound, UnifiedSearch};

/// How rows are matched.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SearchMode {
    Vector,
    Fts,
    #[default]
    Hybrid,
}

/// What to look for and how much to return.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SearchOptions {
    /// None means a listing.
    pub query: Option<String>,
    pub mode: SearchMode,
    pub top_k: usize,
    /// The least cosine of a row that has none of the words; there is one by default.
    pub threshold: Option<f64>,
    /// How much newer rows gain, 0 to 1.
    pub recency: f64,
    /// The turns before the query, if a model may word it anew.
    pub reformulate: Option<Vec<PastTurn>>,
}

impl SearchOptions {
    pub fn text(query: Option<&str>, top_k: usize) -> Self {
        Self { query: query.map(str::to_owned), mode: SearchMode::Fts, top_k, ..Self::default() }
    }
}

/// A row and why it is where it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit<T> {
    pub row: T,
    pub score: f64,
    /// The parts of the score; none in a listing.
    pub parts: Option<Explained>,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found<T> {
    /// Best first; among equals the newest.
    pub rows: Vec<Hit<T>>,
    /// Meaning was asked for and only words were matched.
    pub degraded: bool,
}

impl<T> Found<T> {
    pub(crate) fn listed(rows: Vec<T>) -> Self {
        let rows = rows.into_iter().map(|row| Hit { row, score: 0.0, parts: None }).collect();
        Self { rows, degraded: false }
    }

    fn nothing() -> Self {
        Self { rows: Vec::new(), degraded: false }
    }

    pub fn into_rows(self) -> Vec<T> {
        self.rows.into_iter().map(|hit| hit.row).collect()
    }
}
