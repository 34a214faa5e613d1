use async_trait::async_trait;
use reflexio_types::{
    AgentPlaybook, AgentPlaybookId, FieldChange, OrgId, PlaybookStatus, Review, Signature, Timestamp,
};

use crate::{AgentPlaybookFilter, Ask, Result, Scored};

/// What an edit or a review changes; nothing stays as it is.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AgentPlaybookChange {
    pub playbook_name: Option<String>,
    pub content: Option<String>,
    pub trigger: Option<String>,
    pub instruction: Option<String>,
    pub pitfall: Option<String>,
    pub rationale: Option<String>,
    pub playbook_status: Option<PlaybookStatus>,
    /// Why it was decided so.
    pub reason: Option<String>,
    /// The row as it was read. If it is another one by now, nothing is changed (`Changed`).
    pub expected: Option<Box<AgentPlaybook>>,
}

impl AgentPlaybookChange {
    /// The rule as it is after the change, signed where it changed something. An empty text takes a field away.
    pub fn applied(&self, row: &AgentPlaybook, by: Signature) -> AgentPlaybook {
        let mut new = row.clone();
        let edit = |field: &mut Option<String>, text: &Option<String>| {
            if let Some(text) = text {
                *field = Some(text.clone()).filter(|text| !text.is_empty());
            }
        };
        edit(&mut new.body.trigger, &self.trigger);
        edit(&mut new.body.instruction, &self.instruction);
        edit(&mut new.body.pitfall, &self.pitfall);
        edit(&mut new.body.rationale, &self.rationale);
        new.body.content = self.content.clone().unwrap_or(new.body.content);
        new.playbook_name = self.playbook_name.clone().unwrap_or(new.playbook_name);
        if !FieldChange::between(row, &new).is_empty() {
            new.body.written_by = Some(by.clone());
        }
        let decided =
            self.playbook_status.filter(|status| *status != row.playbook_status || self.reason.is_some());
        if let Some(status) = decided {
            new.playbook_status = status;
            let open = status == PlaybookStatus::Pending;
            new.body.review = (!open).then(|| Review { by, reason: self.reason.clone() });
        }
        new
    }
}

/// Which agent playbooks to delete.
#[derive(Debug, Clone, PartialEq)]
pub enum AgentPlaybookSelector {
    Ids(Vec<AgentPlaybookId>),
    All,
}

/// Rules for the agent.
#[async_trait]
pub trait AgentPlaybooks: Send + Sync {
    /// Stores rows whose id is still 0 and answers the ids they got, in the same order.
    async fn add_agent_playbooks(
        &self,
        org: &OrgId,
        playbooks: Vec<AgentPlaybook>,
        actor: Option<&str>,
    ) -> Result<Vec<AgentPlaybookId>>;

    /// Newest first.
    async fn agent_playbooks(
        &self,
        org: &OrgId,
        filter: &AgentPlaybookFilter,
        limit: usize,
    ) -> Result<Vec<AgentPlaybook>>;

    async fn search_agent_playbooks(
        &self,
        org: &OrgId,
        filter: &AgentPlaybookFilter,
        ask: &Ask,
    ) -> Result<Vec<Scored<AgentPlaybook>>>;

    /// Changes the row and its index entry; `None` when there is no such row.
    async fn update_agent_playbook(
        &self,
        org: &OrgId,
        id: AgentPlaybookId,
        change: &AgentPlaybookChange,
        actor: Option<&str>,
        at: Timestamp,
    ) -> Result<Option<AgentPlaybook>>;

    async fn delete_agent_playbooks(
        &self,
        org: &OrgId,
        which: &AgentPlaybookSelector,
        at: Timestamp,
    ) -> Result<u64>;
}
