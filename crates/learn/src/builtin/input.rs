use reflexio_types::Turn;
use reflexio_types::config::{PlaybookConfig, ProfileExtractorConfig};

/// Turns in the order in which they happened.
#[derive(Debug, Clone, Copy)]
pub struct Window<'a> {
    pub turns: &'a [LabelledTurn<'a>],
    pub own: &'a OwnText,
}

/// A turn and the name by which evidence refers to it.
#[derive(Debug, Clone, Copy)]
pub struct LabelledTurn<'a> {
    pub label: &'a str,
    pub turn: &'a Turn,
}

/// How to recognise text that Reflexio itself put into the conversation. It is never learned from: a server
/// that learns its own words back believes itself a little more with every conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnText {
    /// Begin and end of a block of ours inside a turn.
    pub blocks: Vec<(String, String)>,
    /// Contents of learned rows that were in the agent's prompt; a sentence that says the same is skipped.
    pub texts: Vec<String>,
}

impl Default for OwnText {
    fn default() -> Self {
        Self { blocks: vec![("<reflexio>".to_owned(), "</reflexio>".to_owned())], texts: Vec::new() }
    }
}

/// What is to be learned now. Facts wait for a profile extractor, rules for at least one playbook.
#[derive(Debug, Clone, Copy)]
pub struct Definitions<'a> {
    pub profile: Option<&'a ProfileExtractorConfig>,
    pub playbooks: &'a [PlaybookConfig],
}
