use async_trait::async_trait;
use reflexio_assistant::Payload;
use reflexio_types::{RolloutJudgement, RolloutMessage};

/// Why something outside did not work, by what becomes of the run.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// This one thing is left out, and the run goes on.
    #[error("{0}")]
    Failed(String),
    /// The run cannot go on before somebody changes the configuration.
    #[error("{0}")]
    Misconfigured(String),
    /// The assistant fails whatever it is asked: the run goes on later.
    #[error("the assistant does not work: {0}")]
    AssistantDown(String),
    /// The run has spent what it may spend: it ends with what it has.
    #[error("{0}")]
    Spent(String),
    /// The run itself cannot go on; it has to be started anew.
    #[error("the run is broken: {0}")]
    Broken(String),
    /// The provider of a model does not work now: the run goes on later.
    #[error(transparent)]
    Model(#[from] reflexio_llm::Error),
}

impl From<gepa::Error> for Fault {
    fn from(error: gepa::Error) -> Self {
        Self::Broken(error.to_string())
    }
}

/// Two conversations of one window, to be compared.
#[derive(Debug, Clone, Copy)]
pub struct Pair<'a> {
    pub incumbent: &'a [RolloutMessage],
    pub candidate: &'a [RolloutMessage],
    pub trigger: &'a str,
    pub agent_context: Option<&'a str>,
    /// What an expert would have answered.
    pub ideal: &'a [String],
}

/// What there is to learn from, for whoever writes a new wording.
#[derive(Debug, Clone, Copy)]
pub struct Improvement<'a> {
    pub current: &'a str,
    pub trigger: &'a str,
    pub agent_context: Option<&'a str>,
    /// What happened under the current wording, one record per window.
    pub records: &'a [gepa::Record],
    /// An earlier attempt and why it cannot be used.
    pub refused: Option<(&'a str, &'a str)>,
    /// Tells attempts of one run apart that would ask the same.
    pub attempt: u32,
}

/// Everything outside of a run.
#[async_trait]
pub trait World: Send + Sync {
    /// The assistant's answer to the last message.
    async fn respond(&self, payload: &Payload) -> Result<String, Fault>;

    /// Compares two conversations without knowing which is which.
    async fn judge(&self, pair: &Pair<'_>) -> Result<RolloutJudgement, Fault>;

    /// A new wording.
    async fn improve(&self, improvement: &Improvement<'_>) -> Result<String, Fault>;

    /// Calls of a judge's model that one comparison costs.
    fn calls_per_judgement(&self) -> u64 {
        2
    }
}
