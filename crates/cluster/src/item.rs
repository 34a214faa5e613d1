use serde::{Deserialize, Serialize};

/// Something to put with its like. Borrowed: whose it is stays with the caller.
#[derive(Debug, Clone, Copy, Default)]
pub struct Item<'a> {
    /// What it says.
    pub text: &'a str,
    /// Its meaning, of length 1; empty if there is none. Items with vectors all have the same dimension.
    pub vector: &'a [f32],
    /// Whose it is, such as a user or a session: one group alone must not decide.
    pub group: Option<&'a str>,
    /// What it tells to do. Items of a cluster that tell opposite things are set apart; empty is never opposed.
    pub instruction: &'a str,
}

/// What [`Options::min_cluster_size`] counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Count {
    #[default]
    Rows,
    /// Different groups; all items without one count as one group.
    Groups,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// Fewer are no cluster; at least 1.
    pub min_cluster_size: usize,
    pub count: Count,
    pub nearness: Nearness,
}

impl Default for Options {
    fn default() -> Self {
        Self { min_cluster_size: 5, count: Count::Rows, nearness: Nearness::WITH_VECTORS }
    }
}

impl Options {
    /// The defaults for items with vectors, or for items that have only words.
    pub fn for_items(items: &[Item<'_>]) -> Self {
        let meaning = items.iter().any(|item| !item.vector.is_empty());
        let nearness = if meaning { Nearness::WITH_VECTORS } else { Nearness::WORDS_ONLY };
        Self { nearness, ..Self::default() }
    }
}

/// How near is near enough: mean similarities, from 0 to 1. `bench/quality/cluster.py` measures them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Nearness {
    /// For a cluster that is just large enough: a few texts are alike by chance.
    pub small: f32,
    /// For a cluster of four times the least size and more. Between the two it falls with the logarithm of the size.
    pub large: f32,
    /// For a single item that joins a cluster.
    pub join: f32,
}

impl Nearness {
    pub const WITH_VECTORS: Self = Self { small: 0.57, large: 0.35, join: 0.40 };
    pub const WORDS_ONLY: Self = Self { small: 0.30, large: 0.15, join: 0.17 };

    /// What a cluster of this size needs.
    pub(crate) fn needed(&self, size: usize, least: usize) -> f32 {
        let grown = (size.max(1) as f32 / least.max(1) as f32).ln() / 4f32.ln();
        self.small + (self.large - self.small) * grown.clamp(0.0, 1.0)
    }
}

/// An item that cannot be compared. Nothing was clustered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error("the vector of item {item} has {found} dimensions, the others have {expected}")]
    Dimension { item: usize, expected: usize, found: usize },
    #[error("the vector of item {item} holds something that is not a number")]
    NotANumber { item: usize },
}

/// The common dimension of the vectors, 0 if there are none.
pub(crate) fn dimension(items: &[Item<'_>]) -> Result<usize, Error> {
    let expected = items.iter().map(|item| item.vector.len()).find(|&found| found > 0).unwrap_or(0);
    for (item, Item { vector, .. }) in items.iter().enumerate() {
        check(item, vector, expected)?;
    }
    Ok(expected)
}

pub(crate) fn check(item: usize, vector: &[f32], expected: usize) -> Result<(), Error> {
    if !vector.is_empty() && vector.len() != expected {
        return Err(Error::Dimension { item, expected, found: vector.len() });
    }
    if vector.iter().all(|value| value.is_finite()) { Ok(()) } else { Err(Error::NotANumber { item }) }
}
