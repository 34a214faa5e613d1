use reflexio_store::{AgentPlaybookChange, AgentPlaybookFilter, AgentPlaybookSelector};
use reflexio_types::{
    AgentPlaybook, AgentPlaybookBody, AgentPlaybookId, Caller, InjectionRoute, PlaybookStatus, RowKind,
    Scope, Status, Timestamp,
};

use crate::access::Access;
use crate::injections::{Prompt, Worded};
use crate::search::{Asked, Found, SearchOptions};
use crate::{App, Error, Result};

/// "At least so many" is enough to know that a review is due.
const MOST_HIDDEN_COUNTED: usize = 100;

/// An agent playbook to add by hand.
#[derive(Debug, Clone, PartialEq)]
pub struct NewAgentPlaybook {
    pub playbook_name: String,
    pub agent_version: String,
    pub created_at: Option<Timestamp>,
    pub playbook_status: PlaybookStatus,
    pub status: Status,
    pub body: AgentPlaybookBody,
}

impl App {
    /// Adding one that is already decided is a review, and needs the scope of a reviewer.
    pub async fn add_agent_playbooks(
        &self,
        caller: &Caller,
        new: Vec<NewAgentPlaybook>,
    ) -> Result<Vec<AgentPlaybookId>> {
        caller.needs(Scope::Write)?;
        if new.iter().any(|new| new.playbook_status != PlaybookStatus::Pending) {
            caller.needs(Scope::Review)?;
        }
        let now = self.now();
        let rows = new.into_iter().map(|new| new.into_playbook(now)).collect();
        let ids = self.store.add_agent_playbooks(&caller.org, rows, caller.actor()).await?;
        self.embeddings.wake();
        Ok(ids)
    }

    pub async fn search_agent_playbooks(
        &self,
        caller: &Caller,
        filter: &AgentPlaybookFilter,
        options: &SearchOptions,
    ) -> Result<Found<AgentPlaybook>> {
        let asked = self.ask(caller, options).await;
        self.find_agent_playbooks(caller, filter, options, asked.as_ref()).await
    }

    /// With a query that was read before; without one it is a listing.
    pub(crate) async fn find_agent_playbooks(
        &self,
        caller: &Caller,
        filter: &AgentPlaybookFilter,
        options: &SearchOptions,
        asked: Option<&Asked>,
    ) -> Result<Found<AgentPlaybook>> {
        caller.needs(Scope::Read)?;
        let Some(asked) = asked else {
            return Ok(Found::listed(self.store.agent_playbooks(&caller.org, filter, options.top_k).await?));
        };
        let rarity = self.rarity(caller, RowKind::AgentPlaybook, None, asked);
        let ask = asked.of(RowKind::AgentPlaybook, rarity.as_ref(), options);
        let rows = self.store.search_agent_playbooks(&caller.org, filter, &ask).await?;
        Ok(asked.rank(rows, rarity.as_ref(), options))
    }

    /// As an agent in production asks: approved rules, unless others are asked for by status. Also says how
    /// many pending ones would have matched. What is found for a session is noted.
    pub async fn retrieve_agent_playbooks(
        &self,
        caller: &Caller,
        filter: AgentPlaybookFilter,
        options: &SearchOptions,
        prompt: &Prompt,
    ) -> Result<(Found<AgentPlaybook>, u64)> {
        let asked = self.ask(caller, options).await;
        let (found, hidden) = self.retrieve_asked(caller, filter, options, asked.as_ref()).await?;
        let rules = found.rows.iter().map(|hit| hit.row.injected()).collect();
        self.note_found(caller, prompt, InjectionRoute::SearchAgentPlaybooks, rules);
        Ok((found, hidden))
    }

    pub(crate) async fn retrieve_asked(
        &self,
        caller: &Caller,
        mut filter: AgentPlaybookFilter,
        options: &SearchOptions,
        asked: Option<&Asked>,
    ) -> Result<(Found<AgentPlaybook>, u64)> {
        if !filter.playbook_status.is_empty() || filter.awaiting_review {
            return Ok((self.find_agent_playbooks(caller, &filter, options, asked).await?, 0));
        }
        let Some(asked) = asked else {
            let pending =
                AgentPlaybookFilter { playbook_status: vec![PlaybookStatus::Pending], ..filter.clone() };
            filter.playbook_status = vec![PlaybookStatus::Approved];
            let all = SearchOptions { top_k: MOST_HIDDEN_COUNTED, ..options.clone() };
            let (found, hidden) = futures::join!(
                self.find_agent_playbooks(caller, &filter, options, None),
                self.find_agent_playbooks(caller, &pending, &all, None),
            );
            return Ok((found?, hidden?.rows.len() as u64));
        };
        self.approved_and_hidden(caller, filter, options, asked).await
    }

    /// One look at both, of which the pending ones are counted.
    async fn approved_and_hidden(
        &self,
        caller: &Caller,
        mut filter: AgentPlaybookFilter,
        options: &SearchOptions,
        asked: &Asked,
    ) -> Result<(Found<AgentPlaybook>, u64)> {
        filter.playbook_status = vec![PlaybookStatus::Approved, PlaybookStatus::Pending];
        let rarity = self.rarity(caller, RowKind::AgentPlaybook, None, asked);
        let ask = asked.of(RowKind::AgentPlaybook, rarity.as_ref(), options);
        let rows = self.store.search_agent_playbooks(&caller.org, &filter, &ask).await?;
        let every = SearchOptions { top_k: usize::MAX, ..options.clone() };
        let mut found = asked.rank(rows, rarity.as_ref(), &every);
        let all = found.rows.len();
        found.rows.retain(|hit| hit.row.playbook_status == PlaybookStatus::Approved);
        let hidden = all - found.rows.len();
        if hidden > 0 && found.rows.len() < options.top_k {
            // Those that wait for a decision may have kept approved ones out.
            filter.playbook_status = vec![PlaybookStatus::Approved];
            found = self.find_agent_playbooks(caller, &filter, options, Some(asked)).await?;
        }
        found.rows.truncate(options.top_k);
        Ok((found, hidden.min(MOST_HIDDEN_COUNTED) as u64))
    }

    /// Edits the text, decides about the rule, or both. Deciding needs the scope of a reviewer, and so does
    /// editing an approved rule: its text is in production.
    pub async fn update_agent_playbook(
        &self,
        caller: &Caller,
        id: AgentPlaybookId,
        change: &AgentPlaybookChange,
    ) -> Result<AgentPlaybook> {
        caller.needs(if change.playbook_status.is_some() { Scope::Review } else { Scope::Write })?;
        let filter = AgentPlaybookFilter { id: Some(id), ..AgentPlaybookFilter::default() };
        let current = self.store.agent_playbooks(&caller.org, &filter, 1).await?.pop();
        let current = current.ok_or_else(|| Error::not_found("agent playbook", &id))?;
        if current.playbook_status == PlaybookStatus::Approved {
            caller.needs(Scope::Review)?;
        }
        let updated =
            self.store.update_agent_playbook(&caller.org, id, change, caller.actor(), self.now()).await?;
        self.embeddings.wake();
        updated.ok_or_else(|| Error::not_found("agent playbook", &id))
    }

    pub async fn delete_agent_playbook(&self, caller: &Caller, id: AgentPlaybookId) -> Result<()> {
        let deleted = self.delete_agent_playbooks(caller, vec![id]).await?;
        if deleted == 0 { Err(Error::not_found("agent playbook", &id)) } else { Ok(()) }
    }

    pub async fn delete_agent_playbooks(&self, caller: &Caller, ids: Vec<AgentPlaybookId>) -> Result<u64> {
        caller.needs(Scope::Write)?;
        Ok(self
            .store
            .delete_agent_playbooks(&caller.org, &AgentPlaybookSelector::Ids(ids), self.now())
            .await?)
    }

    pub async fn delete_all_agent_playbooks(&self, caller: &Caller) -> Result<u64> {
        caller.needs(Scope::Admin)?;
        Ok(self.store.delete_agent_playbooks(&caller.org, &AgentPlaybookSelector::All, self.now()).await?)
    }
}

impl NewAgentPlaybook {
    fn into_playbook(self, now: Timestamp) -> AgentPlaybook {
        AgentPlaybook {
            id: AgentPlaybookId(0),
            playbook_name: self.playbook_name,
            agent_version: self.agent_version,
            created_at: self.created_at.unwrap_or(now),
            playbook_status: self.playbook_status,
            status: self.status,
            body: self.body,
        }
    }
}
