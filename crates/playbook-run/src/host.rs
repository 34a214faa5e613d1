use async_trait::async_trait;
use playbook_engine::{Entry, Learned, Message, Value};

use crate::draft::Drafted;

/// Who decided about an approval, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub is_granted: bool,
    pub by: String,
}

/// Everything around a run but its model: the user, tools, memory, people who approve. Only what a program needs must
/// be there.
#[async_trait]
pub trait Host: Send + Sync {
    /// Shows a message that was stored.
    async fn say(&self, message: &Message);

    /// Whether somebody looks on while a model writes.
    fn wants_drafts(&self) -> bool {
        false
    }

    /// Words that a model is writing: they will be said, or are taken back.
    fn draft(&self, _drafted: Drafted<'_>) {}

    /// Entries that were stored, for whoever watches.
    async fn told(&self, _entries: &[Entry]) {}

    /// What the user says next; nothing when nobody is there any more. Must be safe to drop while it waits.
    async fn user(&self) -> Option<String> {
        None
    }

    /// No playbook wanted a message.
    async fn unhandled(&self, _message: &str) {}

    async fn tool(&self, name: &str, _args: &[(String, Value)]) -> Result<Value, String> {
        Err(format!("there is no tool `{name}`"))
    }

    /// What was learned that may matter for a step.
    async fn recall(&self, _playbook: &str, _step: &str, _query: &str) -> Vec<Learned> {
        Vec::new()
    }

    /// Whether somebody approves; nothing while nobody has decided.
    async fn approve(&self, _who: Option<&str>, _text: &str) -> Option<Verdict> {
        None
    }
}
