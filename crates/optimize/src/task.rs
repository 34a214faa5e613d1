use reflexio_types::SessionId;
use serde::{Deserialize, Serialize};

/// What is optimised, and in which situations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// The id under which the playbook is injected.
    pub playbook_id: i64,
    /// The wording that is there.
    pub incumbent: String,
    /// When it applies; empty if nobody said.
    pub trigger: String,
    pub agent_context: Option<String>,
    /// In the order in which they are split: the first ones are held out.
    pub windows: Vec<Window>,
}

/// A situation that is replayed: what the user said, and what an expert would have answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// Never empty.
    pub user_turns: Vec<String>,
    #[serde(default)]
    pub ideal: Vec<String>,
    /// Where it was said: an assistant of ours may have a record of it.
    #[serde(default)]
    pub session: Option<SessionId>,
}

impl Task {
    /// How many turns of a window are replayed.
    pub(crate) fn turns(&self, window: usize, most: usize) -> usize {
        self.windows.get(window).map_or(0, |window| window.user_turns.len().min(most))
    }
}
