use async_trait::async_trait;
use reflexio_types::{AgentPlaybook, AgentPlaybookEvent, AgentPlaybookId, OrgId, Timestamp};

use crate::{AgentPlaybookChange, Result, RunStart};

/// One of several writes that belong together.
#[derive(Debug, Clone, PartialEq)]
pub enum AgentPlaybookWrite {
    /// Its id is still 0.
    Add(Box<AgentPlaybook>),
    Change {
        id: AgentPlaybookId,
        change: AgentPlaybookChange,
    },
}

/// What became of rules over time.
#[async_trait]
pub trait AgentPlaybookRevisions: Send + Sync {
    /// Everything that happened to a rule, oldest first. Nothing is left of a rule that was deleted but that it was.
    async fn agent_playbook_history(
        &self,
        org: &OrgId,
        id: AgentPlaybookId,
    ) -> Result<Vec<AgentPlaybookEvent>>;

    /// Carries out all of them or none as a run, and answers the ids in the same order. A rule that is not there, or not as it is
    /// expected to be, fails with `Changed`.
    async fn write_agent_playbooks(
        &self,
        org: &OrgId,
        writes: Vec<AgentPlaybookWrite>,
        run: &RunStart,
        at: Timestamp,
    ) -> Result<Vec<AgentPlaybookId>>;
}
