/// Why a sidecar cannot be used; in every case, rebuild from the database.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// It was written by another version of this crate.
    #[error("the sidecar has format `{0}`, which this version does not read")]
    Format(u32),
    #[error("the sidecar is damaged: {0}")]
    Corrupt(&'static str),
}
