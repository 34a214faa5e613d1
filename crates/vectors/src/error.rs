/// What a caller can do something about.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error("dimension `{0}` is not a multiple of 8 between 8 and 32768")]
    UnsupportedDimension(usize),
    #[error("a vector has {got} dimensions where this index has {expected}")]
    Dimension { expected: usize, got: usize },
    /// A zero vector, one with a NaN, or one that nobody normalised.
    #[error("the vector of row `{0}` does not have unit length")]
    NotUnit(u64),
    #[error("the query vector does not have unit length")]
    QueryNotUnit,
    /// The sidecar was written by another version of this crate; rebuild from the database.
    #[error("the sidecar has format `{0}`, which this version does not read")]
    Format(u32),
    /// The sidecar was saved with another dimension or kind of memory; rebuild from the database.
    #[error("the sidecar was saved with other options")]
    OtherOptions,
    /// The sidecar is cut off or damaged; rebuild from the database.
    #[error("the sidecar is damaged: {0}")]
    Corrupt(&'static str),
}
