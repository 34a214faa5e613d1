use async_trait::async_trait;
use reflexio_types::{AgentPlaybook, AgentPlaybookId, OrgId, PlaybookStatus, Timestamp};

use crate::{AgentPlaybookFilter, Ask, Result, Scored};

/// What an edit or a review changes; nothing stays as it is.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AgentPlaybookChange {
    pub playbook_name: Option<String>,
    pub content: Option<String>,
    pub trigger: Option<String>,
    pub rationale: Option<String>,
    pub playbook_status: Option<PlaybookStatus>,
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
