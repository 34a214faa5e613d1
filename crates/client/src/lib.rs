//! A Reflexio server, seen from Rust: one method per call of the HTTP contract.
//!
//! Requests and answers are the types of `reflexio-api-types`; errors are sorted by what the caller can
//! do about them ([`Error`]). Nothing is retried and nothing is cached here: the caller knows which of
//! its calls may run twice. Start reading at [`Client`].

mod agent_playbook_imports;
mod agent_playbook_revisions;
mod agent_playbooks;
mod analytics;
mod configs;
mod costs;
mod embeddings;
mod error;
mod evaluations;
mod impact;
mod interactions;
mod jobs;
mod learning;
mod optimizations;
mod outcomes;
mod playbook_runs;
mod profiles;
mod refusal;
mod requests;
mod runs;
mod search;
mod server_state;
mod shadow_comparisons;
mod transport;
mod user_playbooks;

use std::time::Duration;

pub use error::{Error, Result};
pub use interactions::Wait;

/// Learning from a conversation may take minutes when a caller waits for it.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(300);

/// Where the server is and who asks.
#[derive(Clone)]
pub struct Options {
    /// `http://127.0.0.1:8081`.
    pub base_url: String,
    pub api_key: Option<String>,
    /// The longest one call may take.
    pub timeout: Duration,
}

impl Options {
    pub fn new(base_url: impl Into<String>) -> Self {
        Self { base_url: base_url.into(), api_key: None, timeout: DEFAULT_TIMEOUT }
    }
}

/// A connection pool to one server. Cloning shares the pool.
#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    /// Without a slash at the end.
    base_url: String,
    api_key: Option<String>,
}

impl Client {
    /// Fails only if the address is none; nothing is sent yet.
    pub fn new(options: Options) -> Result<Self> {
        let base_url = options.base_url.trim().trim_end_matches('/').to_owned();
        let http = transport::build(&base_url, options.timeout)?;
        Ok(Self { http, base_url, api_key: options.api_key.filter(|key| !key.is_empty()) })
    }

    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// Whether calls carry a key.
    pub fn has_key(&self) -> bool {
        self.api_key.is_some()
    }
}
