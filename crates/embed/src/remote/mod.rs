//! Embedders behind HTTP: OpenAI-compatible servers, Gemini, Ollama.
//!
//! Whether a URL may be called at all is for whoever accepts it from a user to decide, not for this module.

mod http;
mod key;
mod settings;
mod wire;

use std::time::Duration;

use async_trait::async_trait;
use reqwest::Client;
use tokio::time::Instant;

pub use key::ApiKey;
pub use settings::{Provider, Settings};

use crate::embedder::{Embedder, Priority};
use crate::error::{Error, Result};
use crate::kernels::math;

/// An embedder behind HTTP. Its dimension is fixed when it is made: an answer with another one is an error.
#[derive(Debug)]
pub struct Remote {
    client: Client,
    settings: Settings,
    id: String,
    dimension: usize,
}

impl Remote {
    /// An embedder whose dimension is known, for example from the vectors already stored.
    pub fn new(settings: Settings, dimension: usize) -> Result<Self> {
        if dimension == 0 || settings.batch == 0 {
            return Err(Error::Misconfigured("dimension and batch must be at least 1".to_owned()));
        }
        if reqwest::Url::parse(&wire::url(&settings)).is_err() {
            return Err(Error::Misconfigured(format!("`{}` is not a URL", settings.base_url)));
        }
        let mut id = format!("{}/{}", settings.provider.name(), settings.model);
        if let Some(length) = settings.shorten_to {
            id.push_str(&format!("/{length}"));
        }
        Ok(Self { client: http::client()?, settings, id, dimension })
    }

    /// Learns the dimension by embedding one word.
    pub async fn probe(settings: Settings) -> Result<Self> {
        let mut remote = Self::new(settings, 1)?;
        let deadline = Instant::now() + remote.settings.query_deadline;
        let vectors = remote.request(&["dimension"], deadline).await?;
        let length = vectors.first().map_or(0, Vec::len);
        if length == 0 {
            return Err(remote.invalid("the vector is empty"));
        }
        remote.dimension = length;
        Ok(remote)
    }

    fn deadline(&self, priority: Priority) -> Duration {
        match priority {
            Priority::Query => self.settings.query_deadline,
            Priority::Backfill => self.settings.backfill_deadline,
        }
    }

    async fn request(&self, texts: &[&str], deadline: Instant) -> Result<Vec<Vec<f32>>> {
        let body = wire::body(&self.settings, texts);
        let answer = http::post(&self.client, &self.settings, &self.id, &body, deadline).await?;
        let vectors = wire::vectors(self.settings.provider, &answer);
        let vectors = vectors.map_err(|error| self.invalid(&error.to_string()))?;
        if vectors.len() != texts.len() {
            return Err(self.invalid(&format!("{} vectors for {} texts", vectors.len(), texts.len())));
        }
        Ok(vectors)
    }

    /// Checks a vector and scales it to length 1, which not every provider does.
    fn check(&self, mut vector: Vec<f32>) -> Result<Vec<f32>> {
        if vector.len() != self.dimension {
            let (expected, got) = (self.dimension, vector.len());
            return Err(Error::DimensionChanged { embedder: self.id.clone(), expected, got });
        }
        math::unit(&mut vector);
        let usable = vector.iter().all(|value| value.is_finite()) && vector.iter().any(|value| *value != 0.0);
        if usable { Ok(vector) } else { Err(self.invalid("a vector has no direction")) }
    }

    fn invalid(&self, reason: &str) -> Error {
        Error::broken(&self.id, reason)
    }
}

/// The beginning of a text that is too long; a blank for one that is empty, which providers refuse.
fn sendable(text: &str, longest: usize) -> &str {
    let text = if text.is_empty() { " " } else { text };
    &text[..text.floor_char_boundary(longest.max(1))]
}

#[async_trait]
impl Embedder for Remote {
    fn id(&self) -> &str {
        &self.id
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    async fn embed(&self, texts: &[String], priority: Priority) -> Result<Vec<Vec<f32>>> {
        let mut vectors = Vec::with_capacity(texts.len());
        for part in texts.chunks(self.settings.batch) {
            let part: Vec<&str> =
                part.iter().map(|text| sendable(text, self.settings.longest_text)).collect();
            let deadline = Instant::now() + self.deadline(priority);
            for vector in self.request(&part, deadline).await? {
                vectors.push(self.check(vector)?);
            }
        }
        Ok(vectors)
    }
}
