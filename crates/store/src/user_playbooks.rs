use async_trait::async_trait;
use reflexio_types::{OrgId, Timestamp, UserPlaybook, UserPlaybookId};

use crate::{Ask, Result, RunStart, Scored, UserPlaybookFilter};

/// What an edit changes; nothing stays as it is.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UserPlaybookChange {
    pub playbook_name: Option<String>,
    pub content: Option<String>,
    pub trigger: Option<String>,
    pub rationale: Option<String>,
}

/// Which user playbooks to delete.
#[derive(Debug, Clone, PartialEq)]
pub enum UserPlaybookSelector {
    Ids(Vec<UserPlaybookId>),
    All,
}

/// What an upgrade did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Upgrade {
    pub promoted: u64,
    pub archived: u64,
    pub deleted: u64,
}

/// What a downgrade did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Downgrade {
    pub demoted: u64,
    pub restored: u64,
}

/// What conversations taught.
#[async_trait]
pub trait UserPlaybooks: Send + Sync {
    /// Stores rows whose id is still 0 and answers the ids they got, in the same order.
    async fn add_user_playbooks(
        &self,
        org: &OrgId,
        playbooks: Vec<UserPlaybook>,
        actor: Option<&str>,
    ) -> Result<Vec<UserPlaybookId>>;

    /// Newest first.
    async fn user_playbooks(
        &self,
        org: &OrgId,
        filter: &UserPlaybookFilter,
        limit: usize,
    ) -> Result<Vec<UserPlaybook>>;

    async fn search_user_playbooks(
        &self,
        org: &OrgId,
        filter: &UserPlaybookFilter,
        ask: &Ask,
    ) -> Result<Vec<Scored<UserPlaybook>>>;

    /// Changes the row and its index entry; `None` when there is no such row.
    async fn update_user_playbook(
        &self,
        org: &OrgId,
        id: UserPlaybookId,
        change: &UserPlaybookChange,
        actor: Option<&str>,
        at: Timestamp,
    ) -> Result<Option<UserPlaybook>>;

    async fn delete_user_playbooks(
        &self,
        org: &OrgId,
        which: &UserPlaybookSelector,
        at: Timestamp,
    ) -> Result<u64>;

    /// As [`crate::Profiles::upgrade_profiles`], within an agent version and a playbook name if given.
    /// Without `archive_current` only the pending rows change.
    async fn upgrade_user_playbooks(
        &self,
        org: &OrgId,
        agent_version: Option<&str>,
        playbook_name: Option<&str>,
        archive_current: bool,
        run: &RunStart,
        at: Timestamp,
    ) -> Result<Upgrade>;

    /// As [`crate::Profiles::downgrade_profiles`], within an agent version and a playbook name if given.
    async fn downgrade_user_playbooks(
        &self,
        org: &OrgId,
        agent_version: Option<&str>,
        playbook_name: Option<&str>,
        run: &RunStart,
        at: Timestamp,
    ) -> Result<Downgrade>;
}
