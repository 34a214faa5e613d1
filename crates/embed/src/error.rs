use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why there are no vectors, by what the caller can do about it.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// Get the model, or choose another embedder.
    #[error(
        "model file `{0}` is missing; `make model` fetches it, or set the folder with REFLEXIO_MODEL_DIR"
    )]
    ModelMissing(PathBuf),
    /// Get the model again.
    #[error("model file `{path}` cannot be used: {reason}; `make model` makes it anew")]
    ModelDamaged { path: PathBuf, reason: String },
    /// Look at the machine: the file is there and cannot be read.
    #[error("model file `{path}` cannot be read")]
    ModelUnreadable { path: PathBuf, source: Arc<std::io::Error> },
    /// Correct the configuration: asking again gives the same answer.
    #[error("embedder `{embedder}` refused the request with status {status}: {message}")]
    Refused { embedder: String, status: u16, message: String },
    /// Correct the configuration.
    #[error("embedder is misconfigured: {0}")]
    Misconfigured(String),
    /// Try again, not before `retry_after` when it is given.
    #[error("embedder `{embedder}` is unavailable: {reason}")]
    Unavailable { embedder: String, reason: String, retry_after: Option<Duration> },
    /// Re-embed everything: these vectors cannot be compared with the stored ones.
    #[error("embedder `{embedder}` answered with {got} dimensions instead of {expected}")]
    DimensionChanged { embedder: String, expected: usize, got: usize },
    /// Report it: the answer is not what the protocol promises.
    #[error("embedder `{embedder}` answered with something else than vectors: {reason}")]
    InvalidAnswer { embedder: String, reason: String },
    /// Try again when the queue has drained.
    #[error("the embedding queue is full ({0} texts wait)")]
    QueueFull(usize),
    /// Nothing: the process is shutting down.
    #[error("the embedding queue is closed")]
    Closed,
}

impl Error {
    /// An embedder that does not do what it must.
    pub(crate) fn broken(embedder: &str, reason: &str) -> Self {
        Self::InvalidAnswer { embedder: embedder.to_owned(), reason: reason.to_owned() }
    }

    /// Whether the same request may succeed later without anybody changing anything.
    pub fn is_temporary(&self) -> bool {
        match self {
            Self::Unavailable { .. } | Self::QueueFull(_) => true,
            Self::ModelMissing(_)
            | Self::ModelDamaged { .. }
            | Self::ModelUnreadable { .. }
            | Self::Refused { .. }
            | Self::Misconfigured(_)
            | Self::DimensionChanged { .. }
            | Self::InvalidAnswer { .. }
            | Self::Closed => false,
        }
    }
}
