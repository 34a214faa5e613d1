use std::time::Duration;

use super::ApiKey;

/// Which protocol a server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Provider {
    /// `POST {base}/embeddings`; the base of OpenAI ends in `/v1`, and many others speak it.
    OpenAi,
    /// `POST {base}/v1beta/models/{model}:batchEmbedContents`.
    Gemini,
    /// `POST {base}/api/embed`.
    Ollama,
}

impl Provider {
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Gemini => "gemini",
            Self::Ollama => "ollama",
        }
    }

    /// Where the provider itself answers.
    pub fn default_base(self) -> &'static str {
        match self {
            Self::OpenAi => "https://api.openai.com/v1",
            Self::Gemini => "https://generativelanguage.googleapis.com",
            Self::Ollama => "http://localhost:11434",
        }
    }

    /// Texts per request that every server of this kind takes.
    fn batch(self) -> usize {
        match self {
            Self::OpenAi => 128,
            Self::Gemini => 100,
            Self::Ollama => 32,
        }
    }
}

/// How to reach a remote embedder.
#[derive(Debug, Clone)]
pub struct Settings {
    pub provider: Provider,
    pub base_url: String,
    pub model: String,
    pub key: Option<ApiKey>,
    /// Asks the provider for shorter vectors than the model's own, where it can.
    pub shorten_to: Option<usize>,
    /// Texts per request.
    pub batch: usize,
    /// What is longer is cut: providers refuse texts above their window.
    pub longest_text: usize,
    /// How long one request may take.
    pub timeout: Duration,
    /// How long a search may wait in all, repetitions included.
    pub query_deadline: Duration,
    /// How long backfill may wait in all, repetitions included.
    pub backfill_deadline: Duration,
    /// The first pause before a repetition; each further one is twice as long.
    pub first_pause: Duration,
}

impl Settings {
    pub fn new(provider: Provider, model: impl Into<String>, key: Option<ApiKey>) -> Self {
        Self {
            provider,
            base_url: provider.default_base().to_owned(),
            model: model.into(),
            key,
            shorten_to: None,
            batch: provider.batch(),
            longest_text: 24_000,
            timeout: Duration::from_secs(30),
            query_deadline: Duration::from_secs(5),
            backfill_deadline: Duration::from_secs(120),
            first_pause: Duration::from_millis(250),
        }
    }

    #[must_use]
    pub fn with_base(self, base_url: &str) -> Self {
        Self { base_url: base_url.trim_end_matches('/').to_owned(), ..self }
    }
}
