use reflexio_store::{
    Downgrade, RunStart, Upgrade, UserPlaybookChange, UserPlaybookFilter, UserPlaybookSelector,
};
use reflexio_types::{
    Caller, InjectionRoute, RequestId, RowKind, RunKind, Scope, Status, Timestamp, UserId, UserPlaybook,
    UserPlaybookBody, UserPlaybookId,
};

use crate::access::Access;
use crate::injections::{Prompt, Worded};
use crate::runs::{scope_of, started_by};
use crate::search::{Asked, Found, SearchOptions};
use crate::{App, AsRun, Error, Result};

/// A user playbook to add by hand.
#[derive(Debug, Clone, PartialEq)]
pub struct NewUserPlaybook {
    pub user_id: Option<UserId>,
    pub request_id: RequestId,
    pub playbook_name: String,
    pub agent_version: String,
    pub created_at: Option<Timestamp>,
    pub source: Option<String>,
    pub status: Status,
    pub body: UserPlaybookBody,
}

impl App {
    pub async fn add_user_playbooks(
        &self,
        caller: &Caller,
        new: Vec<NewUserPlaybook>,
    ) -> Result<Vec<UserPlaybookId>> {
        caller.needs(Scope::Write)?;
        let now = self.now();
        let rows = new.into_iter().map(|new| new.into_playbook(now)).collect();
        let ids = self.store.add_user_playbooks(&caller.org, rows, caller.actor()).await?;
        self.embeddings.wake();
        Ok(ids)
    }

    pub async fn search_user_playbooks(
        &self,
        caller: &Caller,
        filter: &UserPlaybookFilter,
        options: &SearchOptions,
    ) -> Result<Found<UserPlaybook>> {
        let asked = self.ask(caller, options).await;
        self.find_user_playbooks(caller, filter, options, asked.as_ref()).await
    }

    /// As an agent asks: what is found for a session is noted.
    pub async fn retrieve_user_playbooks(
        &self,
        caller: &Caller,
        filter: &UserPlaybookFilter,
        options: &SearchOptions,
        prompt: &Prompt,
    ) -> Result<Found<UserPlaybook>> {
        let found = self.search_user_playbooks(caller, filter, options).await?;
        let rules = found.rows.iter().map(|hit| hit.row.injected()).collect();
        self.note_found(caller, prompt, InjectionRoute::SearchUserPlaybooks, rules);
        Ok(found)
    }

    /// With a query that was read before; without one it is a listing.
    pub(crate) async fn find_user_playbooks(
        &self,
        caller: &Caller,
        filter: &UserPlaybookFilter,
        options: &SearchOptions,
        asked: Option<&Asked>,
    ) -> Result<Found<UserPlaybook>> {
        caller.needs(Scope::Read)?;
        let Some(asked) = asked else {
            return Ok(Found::listed(self.store.user_playbooks(&caller.org, filter, options.top_k).await?));
        };
        let rarity = self.rarity(caller, RowKind::UserPlaybook, filter.user_id.as_ref(), asked);
        let ask = asked.of(RowKind::UserPlaybook, rarity.as_ref(), options);
        let rows = self.store.search_user_playbooks(&caller.org, filter, &ask).await?;
        Ok(asked.rank(rows, rarity.as_ref(), options))
    }

    pub async fn update_user_playbook(
        &self,
        caller: &Caller,
        id: UserPlaybookId,
        change: &UserPlaybookChange,
    ) -> Result<UserPlaybook> {
        caller.needs(Scope::Write)?;
        let updated =
            self.store.update_user_playbook(&caller.org, id, change, caller.actor(), self.now()).await?;
        self.embeddings.wake();
        updated.ok_or_else(|| Error::not_found("user playbook", &id))
    }

    pub async fn delete_user_playbook(&self, caller: &Caller, id: UserPlaybookId) -> Result<()> {
        let deleted = self.delete_user_playbooks(caller, vec![id]).await?;
        if deleted == 0 { Err(Error::not_found("user playbook", &id)) } else { Ok(()) }
    }

    pub async fn delete_user_playbooks(&self, caller: &Caller, ids: Vec<UserPlaybookId>) -> Result<u64> {
        caller.needs(Scope::Write)?;
        Ok(self.store.delete_user_playbooks(&caller.org, &UserPlaybookSelector::Ids(ids), self.now()).await?)
    }

    pub async fn delete_all_user_playbooks(&self, caller: &Caller) -> Result<u64> {
        caller.needs(Scope::Admin)?;
        Ok(self.store.delete_user_playbooks(&caller.org, &UserPlaybookSelector::All, self.now()).await?)
    }

    pub async fn upgrade_user_playbooks(
        &self,
        caller: &Caller,
        agent_version: Option<&str>,
        playbook_name: Option<&str>,
        archive_current: bool,
    ) -> Result<AsRun<Upgrade>> {
        caller.needs(Scope::Write)?;
        let (org, now) = (&caller.org, self.now());
        let run = about(caller, RunKind::Upgrade, agent_version, playbook_name);
        let store = &self.store;
        let done = store
            .upgrade_user_playbooks(org, agent_version, playbook_name, archive_current, &run, now)
            .await?;
        Ok(AsRun { run: (done != Upgrade::default()).then_some(run.id), done })
    }

    pub async fn downgrade_user_playbooks(
        &self,
        caller: &Caller,
        agent_version: Option<&str>,
        playbook_name: Option<&str>,
    ) -> Result<AsRun<Downgrade>> {
        caller.needs(Scope::Write)?;
        let (org, now) = (&caller.org, self.now());
        let run = about(caller, RunKind::Downgrade, agent_version, playbook_name);
        let done = self.store.downgrade_user_playbooks(org, agent_version, playbook_name, &run, now).await?;
        Ok(AsRun { run: (done != Downgrade::default()).then_some(run.id), done })
    }
}

fn about(caller: &Caller, kind: RunKind, version: Option<&str>, name: Option<&str>) -> RunStart {
    started_by(caller, kind, scope_of("user playbooks", &[("version", version), ("type", name)]))
}

impl NewUserPlaybook {
    fn into_playbook(self, now: Timestamp) -> UserPlaybook {
        UserPlaybook {
            id: UserPlaybookId(0),
            user_id: self.user_id,
            request_id: self.request_id,
            playbook_name: self.playbook_name,
            agent_version: self.agent_version,
            created_at: self.created_at.unwrap_or(now),
            source: self.source,
            status: self.status,
            body: self.body,
        }
    }
}
