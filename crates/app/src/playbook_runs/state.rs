use playbook_run::engine::{Outcome, Speaker, Spent, State, Value};
use reflexio_types::PlaybookRun;

/// A message of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaybookMessage {
    pub id: String,
    pub is_user: bool,
    pub to: String,
    pub text: String,
    /// `Agent.Playbook` and the step that said it.
    pub playbook: Option<String>,
    pub step: Option<String>,
}

/// A run after so many entries of its journal.
#[derive(Debug, Clone, PartialEq)]
pub struct PlaybookState {
    pub run: PlaybookRun,
    pub position: u64,
    pub conversation: Vec<PlaybookMessage>,
    pub variables: Vec<(String, serde_json::Value)>,
    pub spent: Spent,
    pub waits_for_user: bool,
    pub waits_for_approval: bool,
    /// When the next timer is due, in seconds since 1970.
    pub next_timer: Option<u64>,
    pub result: Option<serde_json::Value>,
}

impl PlaybookState {
    pub(super) fn new(run: PlaybookRun, position: u64, state: &State) -> Self {
        let message = |message: &std::sync::Arc<playbook_run::engine::Message>| PlaybookMessage {
            id: message.id.clone(),
            is_user: message.from == Speaker::User,
            to: message.to.clone(),
            text: message.text.clone(),
            playbook: message.playbook.clone(),
            step: message.step.as_deref().map(str::to_owned),
        };
        let json = |value: &Value| serde_json::to_value(value).unwrap_or_default();
        let variables = state.variables().flat_map(|(_, variables)| variables);
        let result = match state.outcome() {
            Some(Outcome::Done { result }) => Some(json(result)),
            _ => None,
        };
        Self {
            run,
            position,
            conversation: state.transcript().iter().map(message).collect(),
            variables: variables.map(|(name, value)| (name.to_string(), json(value))).collect(),
            spent: state.spent(),
            waits_for_user: state.is_waiting_for_user(),
            waits_for_approval: state.is_waiting_for_approval(),
            next_timer: state.timers().map(|(_, due)| due / 1_000).min(),
            result,
        }
    }
}
