use reflexio_types::config::Violation;
use reflexio_types::{JobId, JobState, PlaybookRunStatus, RunId, Scope, UndoRefusal};

/// Why a use case could not be carried out, by what the caller can do about it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Ask with a key that has the scope.
    #[error("this key lacks the scope `{0}`")]
    Forbidden(Scope),
    /// Somebody else has to do it, with a key of their own.
    #[error(
        "{0}: a second person has to review it with another key (`review_config.another_key` in the configuration)"
    )]
    OwnWriting(String),
    /// There is no such row in the caller's org.
    #[error("{what} `{id}` does not exist")]
    NotFound { what: &'static str, id: String },
    /// A request of this id was stored before; nothing was stored now.
    #[error("request_id '{0}' already exists: the first publish was kept and nothing was stored now")]
    DuplicateRequest(String),
    /// Pick another id; nothing was written.
    #[error("{what} `{id}` already exists")]
    Duplicate { what: &'static str, id: String },
    /// The job is past the state in which this could be done.
    #[error("job `{id}` is {}: {allowed}", state.as_str())]
    JobState { id: JobId, state: JobState, allowed: &'static str },
    /// Nothing was changed; see to the rows that are named, or let it be.
    #[error("run `{run}` cannot be undone: {refusal}")]
    NotUndone { run: RunId, refusal: Box<UndoRefusal> },
    /// Name one that is known.
    #[error("agent version `{version}` is not known; known are {}", listed(known))]
    UnknownVersion { field: &'static str, version: String, known: Vec<String> },
    /// Correct the named fields.
    #[error("the configuration cannot be accepted")]
    InvalidConfig(Vec<Violation>),
    /// The configuration holds sealed secrets and the server was started without (or with another) master key.
    #[error(
        "provider secrets are sealed with another master key: start the server with the right REFLEXIO_MASTER_KEY"
    )]
    Sealed,
    /// Set the named part of the configuration.
    #[error("`{0}` is not set in the configuration")]
    NotConfigured(&'static str),
    /// Change what the sentence names, or choose another playbook; nothing was started.
    #[error("{0}")]
    NotOptimizable(String),
    /// Measure the lift of the rule first, or reject it; nothing was decided.
    #[error("{0}")]
    NoLift(String),
    /// Correct the program, its parameters or the named field.
    #[error("{0}")]
    InvalidPlaybook(String),
    /// The run is over; start another one.
    #[error("playbook run `{id}` is {}", status.as_str())]
    PlaybookOver { id: String, status: PlaybookRunStatus },
    /// Ask again when there is a model that works.
    #[error("there is no answer: {0}")]
    NoAnswer(String),
    /// Nothing was stored; ask again when the model works.
    #[error("the session could not be judged: {0}")]
    NotJudged(String),
    /// Nothing was written; retry when the cause is gone.
    #[error("nothing was stored: {0}")]
    Unavailable(#[source] reflexio_store::Error),
    /// A fault on our side; the log has the details.
    #[error("internal error")]
    Internal(#[source] Box<dyn std::error::Error + Send + Sync>),
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

impl From<reflexio_store::Error> for Error {
    fn from(error: reflexio_store::Error) -> Self {
        use reflexio_store::Error as Store;
        match error {
            Store::Duplicate { what, id } => Error::Duplicate { what, id },
            Store::Full | Store::ReadOnly | Store::Busy | Store::Closed | Store::Changed { .. } => {
                Error::Unavailable(error)
            }
            // Nothing here ever holds a lease.
            Store::LostLease(_) | Store::Corrupt(_) | Store::UnusableModel(_) | Store::Internal(_) => {
                Error::Internal(Box::new(error))
            }
        }
    }
}

fn listed(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { format!("`{}`", names.join("`, `")) }
}

impl Error {
    pub(crate) fn not_found(what: &'static str, id: &impl ToString) -> Self {
        Error::NotFound { what, id: id.to_string() }
    }
}
