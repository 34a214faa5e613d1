use reflexio_store::{AgentPlaybookChange, AgentPlaybookFilter, AgentPlaybookSelector, Error as StoreError};
use reflexio_types::{
    AgentPlaybook, AgentPlaybookBody, AgentPlaybookId, Caller, PlaybookStatus, Review, RowKind, Scope,
    Signature, Status, Timestamp,
};

use crate::access::Access;
use crate::search::{Asked, Found, SearchOptions};
use crate::{App, Error, Result};

/// "At least so many" is enough to know that a review is due.
const MOST_HIDDEN_COUNTED: usize = 100;
/// How often a change is tried again when others change the same rule.
pub(crate) const MOST_ATTEMPTS: u32 = 5;

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
        let reviewer = self.reviewer(caller).await?;
        let by = self.signed(caller);
        let mut rows = Vec::new();
        for new in new {
            reviewer.check_new(new.playbook_status)?;
            if let Some(before) = new.body.successor_of {
                self.agent_playbook(caller, before).await?;
            }
            rows.push(new.into_playbook(&by));
        }
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
    /// many pending ones would have matched.
    pub async fn retrieve_agent_playbooks(
        &self,
        caller: &Caller,
        filter: AgentPlaybookFilter,
        options: &SearchOptions,
    ) -> Result<(Found<AgentPlaybook>, u64)> {
        let asked = self.ask(caller, options).await;
        self.retrieve_asked(caller, filter, options, asked.as_ref()).await
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
        let reviewer = self.reviewer(caller).await?;
        let mut attempts = 1..=MOST_ATTEMPTS;
        loop {
            let current = self.agent_playbook(caller, id).await?;
            if current.playbook_status == PlaybookStatus::Approved {
                caller.needs(Scope::Review)?;
            }
            let change = with_content(&current, change);
            reviewer.check(&current, &change)?;
            // What was checked must still be there: nobody approves a text that they have not seen.
            let change = AgentPlaybookChange { expected: Some(Box::new(current)), ..change };
            let stored =
                self.store.update_agent_playbook(&caller.org, id, &change, caller.actor(), self.now());
            match stored.await {
                Err(StoreError::Changed { .. }) if attempts.next().is_some() => {}
                stored => {
                    self.embeddings.wake();
                    return stored?.ok_or_else(|| Error::not_found("agent playbook", &id));
                }
            }
        }
    }

    /// One rule, whatever its status.
    pub(crate) async fn agent_playbook(&self, caller: &Caller, id: AgentPlaybookId) -> Result<AgentPlaybook> {
        let filter = AgentPlaybookFilter { id: Some(id), ..AgentPlaybookFilter::default() };
        let found = self.store.agent_playbooks(&caller.org, &filter, 1).await?.pop();
        found.ok_or_else(|| Error::not_found("agent playbook", &id))
    }

    /// The caller's signature under what happens now.
    pub(crate) fn signed(&self, caller: &Caller) -> Signature {
        Signature { key: caller.actor().map(str::to_owned), at: self.now() }
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
    fn into_playbook(self, by: &Signature) -> AgentPlaybook {
        let decided = self.playbook_status != PlaybookStatus::Pending;
        let review = decided.then(|| Review { by: by.clone(), reason: None });
        AgentPlaybook {
            id: AgentPlaybookId(0),
            playbook_name: self.playbook_name,
            agent_version: self.agent_version,
            created_at: self.created_at.unwrap_or(by.at),
            playbook_status: self.playbook_status,
            status: self.status,
            body: AgentPlaybookBody { written_by: Some(by.clone()), review, ..self.body },
        }
    }
}

/// A text that was made of trigger, instruction and pitfall follows them.
fn with_content(rule: &AgentPlaybook, change: &AgentPlaybookChange) -> AgentPlaybookChange {
    let mut change = change.clone();
    let made = rule.body.rendering().is_some_and(|text| text == rule.body.content);
    if change.content.is_none() && made {
        let nobody = Signature { key: None, at: Timestamp(0) };
        change.content = change.applied(rule, nobody).body.rendering();
    }
    change
}
