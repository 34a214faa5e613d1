use reflexio_store::{JobCounts, StorageStats, UserDataCounts};
use reflexio_types::{Caller, OrgId, Scope, UserId};

use crate::access::Access;
use crate::{App, Result};

/// Who the caller is to this server, and where its rows lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Whoami {
    pub org: OrgId,
    pub storage_type: &'static str,
    pub storage_label: String,
}

impl App {
    /// Where the file lies is told only to callers on the machine itself: they have no key.
    pub fn whoami(&self, caller: &Caller) -> Whoami {
        let kind = self.store.kind();
        let label = if caller.key.is_some() { kind.to_owned() } else { self.store.label() };
        Whoami { org: caller.org.clone(), storage_type: kind, storage_label: label }
    }

    pub async fn storage_stats(&self, caller: &Caller, user_id: Option<&UserId>) -> Result<StorageStats> {
        caller.needs(Scope::Read)?;
        Ok(self.store.stats(&caller.org, user_id).await?)
    }

    /// Erases what belongs to one user. Agent playbooks are shared and stay.
    pub async fn clear_user(&self, caller: &Caller, user_id: &UserId) -> Result<UserDataCounts> {
        caller.needs(Scope::Write)?;
        // A record on its way to the store would bring the name back.
        self.injections.settle_soon().await;
        Ok(self.store.clear_user(&caller.org, user_id).await?)
    }

    /// Answers if the server can take work: the store reads and writes.
    pub async fn ready(&self) -> Result<()> {
        Ok(self.store.ping().await?)
    }

    /// The last call before an orderly end: keeps what makes the next start fast. The end does not depend on it.
    pub async fn suspend(&self) {
        self.books.settle().await;
        self.injections.settle().await;
        if let Err(error) = self.store.suspend().await {
            tracing::warn!(%error, "the next start will read the indexes from the database");
        }
    }

    /// How much background work waits, for the metrics page.
    pub async fn job_counts(&self) -> Result<JobCounts> {
        Ok(self.store.job_counts().await?)
    }
}
