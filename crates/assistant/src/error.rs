/// What came of a call.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why there is no answer, by what the caller can do about it. No variant ever holds a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Correct the configuration: nothing was called.
    #[error("{0}")]
    Misconfigured(String),
    /// Try again later.
    #[error("the assistant failed: {0}")]
    Failed(String),
    /// Correct the assistant: it refuses what it was asked.
    #[error("the assistant refused: {0}")]
    Refused(String),
    /// Correct the assistant, or try again: what it said is no answer.
    #[error("the assistant's answer cannot be used: {0}")]
    Unusable(String),
    /// As the model's error says: the assistant is one of ours, and its model does not answer.
    #[error("the assistant's model does not answer: {0}")]
    Model(#[from] reflexio_llm::Error),
}

impl Error {
    /// Whether the same call may succeed without anybody changing anything.
    pub fn may_pass(&self) -> bool {
        match self {
            Self::Failed(_) | Self::Unusable(_) => true,
            // A model is asked again by whoever asks models.
            Self::Misconfigured(_) | Self::Refused(_) | Self::Model(_) => false,
        }
    }
}

/// The last characters of a text, for messages.
pub(crate) fn tail(text: &str, most: usize) -> String {
    let text = text.trim();
    let skipped = text.chars().count().saturating_sub(most);
    let kept: String = text.chars().skip(skipped).collect();
    if skipped > 0 { format!("…{kept}") } else { kept }
}
