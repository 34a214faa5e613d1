use std::time::Duration;

use reflexio_api_types::Detail;

/// Why a call failed, by what the caller can do about it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Give another address.
    #[error("`{0}` is not an address such as http://127.0.0.1:8081")]
    Address(String),
    /// Start the server, or correct the address. It is not known whether the server did anything.
    #[error("cannot reach the server at {url}")]
    Unreachable {
        url: String,
        #[source]
        source: reqwest::Error,
    },
    /// There is no such row, or no such call on this server.
    #[error("{0}")]
    NotFound(String),
    /// Ask with a key, or with one that may do this.
    #[error("{message}")]
    Forbidden { status: u16, message: String },
    /// Correct the named fields.
    #[error("the server did not accept the input")]
    Invalid(Vec<Detail>),
    /// Send less at once.
    #[error("{0}")]
    TooLarge(String),
    /// Everything else the server said no to.
    #[error("the server answered {status}: {message}")]
    Api {
        status: u16,
        message: String,
        /// When to try again, if the server said so.
        retry_after: Option<Duration>,
    },
    /// The server took the call and said that it did not do it.
    #[error("{0}")]
    Refused(String),
    /// This is another server, or another version of it.
    #[error("the answer of {path} is not what a Reflexio server answers")]
    Answer {
        path: String,
        #[source]
        source: serde_json::Error,
    },
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// Whether the same call may succeed a little later without anything being changed.
    pub fn is_passing(&self) -> bool {
        matches!(self, Error::Api { status: 429 | 503, .. })
    }

    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Error::Api { retry_after, .. } => *retry_after,
            Error::Address(_)
            | Error::Unreachable { .. }
            | Error::NotFound(_)
            | Error::Forbidden { .. }
            | Error::Invalid(_)
            | Error::TooLarge(_)
            | Error::Refused(_)
            | Error::Answer { .. } => None,
        }
    }
}
