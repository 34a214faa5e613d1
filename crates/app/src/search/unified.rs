use std::collections::HashSet;

use reflexio_search::opts_out_of_personal_context;
use reflexio_store::{AgentPlaybookFilter, ProfileFilter, UserPlaybookFilter};
use reflexio_types::{
    AgentPlaybook, Caller, InjectedRule, InjectionRoute, LearningKind, PlaybookStatus, Profile, RequestId,
    Scope, SessionId, Status, UserId, UserPlaybook,
};

use super::asked::Asked;
use super::covered::Coverage;
use super::{Found, Hit, SearchOptions};
use crate::access::Access;
use crate::injections::{Prompt, Worded};
use crate::{App, Result};

/// The kinds of rows a unified search looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntityKind {
    Profiles,
    UserPlaybooks,
    AgentPlaybooks,
}

/// One question to everything that was learned.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UnifiedSearch {
    pub options: SearchOptions,
    pub user_id: Option<UserId>,
    pub agent_version: Option<String>,
    pub playbook_name: Option<String>,
    pub source: Option<String>,
    pub tags: Vec<String>,
    /// None means all kinds.
    pub entity_types: Option<Vec<EntityKind>>,
    /// Rows that this session was given before are left out, and what it is given now is noted.
    pub session_id: Option<SessionId>,
    /// Serves rows again that the session has.
    pub serve_again: bool,
    /// The request that the answer is for, if it is known already.
    pub request_id: Option<RequestId>,
    /// Also user playbooks that an agent playbook of the answer says already.
    pub include_covered: bool,
    /// Empty means approved ones only: what nobody approved must not reach production by default.
    pub agent_playbook_status: Vec<PlaybookStatus>,
}

/// What a unified search found.
#[derive(Debug, Clone, PartialEq)]
pub struct UnifiedFound {
    pub profiles: Found<Profile>,
    pub user_playbooks: Found<UserPlaybook>,
    pub agent_playbooks: Found<AgentPlaybook>,
    /// Pending agent playbooks that matched and were left out.
    pub hidden_unapproved: u64,
    /// User playbooks that were left out because an agent playbook of the answer says the same.
    pub covered: u64,
    /// What was asked instead of the query, if a model worded it anew.
    pub reformulated: Option<String>,
}

impl App {
    pub async fn search(&self, caller: &Caller, search: &UnifiedSearch) -> Result<UnifiedFound> {
        caller.needs(Scope::Read)?;
        let top_k = search.options.top_k;
        let search = search.respecting_opt_out();
        let served = self.served_to(caller, &search);
        // Enough rows for an answer even if some of them are left out.
        let options = SearchOptions { top_k: top_k.saturating_add(served.len()), ..search.options.clone() };
        let search = &UnifiedSearch { options, ..search };
        let asked = self.ask(caller, &search.options).await;
        let asked = asked.as_ref();
        let (profiles, user_playbooks, agent_playbooks) = futures::join!(
            self.profile_arm(caller, search, asked),
            self.user_playbook_arm(caller, search, asked),
            self.agent_playbook_arm(caller, search, asked),
        );
        let (agent_playbooks, hidden_unapproved) = agent_playbooks?;
        let mut found = UnifiedFound {
            profiles: profiles?,
            user_playbooks: user_playbooks?,
            agent_playbooks,
            hidden_unapproved,
            covered: 0,
            reformulated: asked.and_then(|asked| asked.reformulated.clone()),
        };
        found.leave_out(&served, top_k, search.include_covered);
        if let Some(session) = &search.session_id {
            self.served.add(&caller.org, session, self.now(), found.learnings());
            self.note_found(caller, &search.prompt(), InjectionRoute::Search, found.rules());
        }
        Ok(found)
    }

    fn served_to(&self, caller: &Caller, search: &UnifiedSearch) -> HashSet<(LearningKind, String)> {
        let rows = |session| self.served.rows(&caller.org, session, self.now());
        search.session_id.as_ref().filter(|_| !search.serve_again).map(rows).unwrap_or_default()
    }

    /// Profiles are personal: without a user there are none to show.
    async fn profile_arm(
        &self,
        caller: &Caller,
        search: &UnifiedSearch,
        asked: Option<&Asked>,
    ) -> Result<Found<Profile>> {
        let Some(user_id) = search.user_id.clone().filter(|_| search.wants(EntityKind::Profiles)) else {
            return Ok(Found::nothing());
        };
        let filter = ProfileFilter {
            user_id: Some(user_id),
            source: search.source.clone(),
            tags: search.tags.clone(),
            status: vec![Status::Current],
            ..ProfileFilter::default()
        };
        self.find_profiles(caller, filter, &search.options, asked).await
    }

    async fn user_playbook_arm(
        &self,
        caller: &Caller,
        search: &UnifiedSearch,
        asked: Option<&Asked>,
    ) -> Result<Found<UserPlaybook>> {
        if !search.wants(EntityKind::UserPlaybooks) {
            return Ok(Found::nothing());
        }
        let filter = UserPlaybookFilter {
            user_id: search.user_id.clone(),
            playbook_name: search.playbook_name.clone(),
            agent_version: search.agent_version.clone(),
            source: search.source.clone(),
            tags: search.tags.clone(),
            status: vec![Status::Current],
            ..UserPlaybookFilter::default()
        };
        // As many may be covered as are shown.
        let spare = if search.include_covered { 0 } else { search.options.top_k };
        let top_k = search.options.top_k.saturating_add(spare);
        let options = SearchOptions { top_k, ..search.options.clone() };
        self.find_user_playbooks(caller, &filter, &options, asked).await
    }

    async fn agent_playbook_arm(
        &self,
        caller: &Caller,
        search: &UnifiedSearch,
        asked: Option<&Asked>,
    ) -> Result<(Found<AgentPlaybook>, u64)> {
        if !search.wants(EntityKind::AgentPlaybooks) {
            return Ok((Found::nothing(), 0));
        }
        let filter = AgentPlaybookFilter {
            playbook_name: search.playbook_name.clone(),
            agent_version: search.agent_version.clone(),
            tags: search.tags.clone(),
            status: vec![Status::Current],
            playbook_status: search.agent_playbook_status.clone(),
            ..AgentPlaybookFilter::default()
        };
        self.retrieve_asked(caller, filter, &search.options, asked).await
    }
}

impl UnifiedSearch {
    fn wants(&self, kind: EntityKind) -> bool {
        self.entity_types.as_ref().is_none_or(|kinds| kinds.contains(&kind))
    }

    fn prompt(&self) -> Prompt {
        Prompt {
            session_id: self.session_id.clone(),
            user_id: self.user_id.clone(),
            agent_version: self.agent_version.clone(),
            request_id: self.request_id.clone(),
        }
    }

    /// Who asks to be answered without what is known about them gets only what holds for everybody.
    fn respecting_opt_out(&self) -> Self {
        let mut search = self.clone();
        if self.options.query.as_deref().is_some_and(opts_out_of_personal_context) {
            let everybody = |kind: &EntityKind| *kind == EntityKind::AgentPlaybooks;
            let kinds = search.entity_types.unwrap_or_else(|| vec![EntityKind::AgentPlaybooks]);
            search.entity_types = Some(kinds.into_iter().filter(everybody).collect());
        }
        search
    }
}

impl UnifiedFound {
    fn leave_out(&mut self, served: &HashSet<(LearningKind, String)>, top_k: usize, include_covered: bool) {
        let known = |kind, id: String| served.contains(&(kind, id));
        self.profiles.rows.retain(|hit| !known(LearningKind::Profile, hit.row.id.to_string()));
        self.user_playbooks.rows.retain(|hit| !known(LearningKind::UserPlaybook, hit.row.id.to_string()));
        let rules = std::mem::take(&mut self.agent_playbooks.rows);
        let is_known = |hit: &Hit<AgentPlaybook>| known(LearningKind::AgentPlaybook, hit.row.id.to_string());
        let (had, new): (Vec<_>, Vec<_>) = rules.into_iter().partition(is_known);
        self.agent_playbooks.rows = new;
        self.profiles.rows.truncate(top_k);
        self.agent_playbooks.rows.truncate(top_k);
        if !include_covered {
            // A rule that the session has already covers as much as one that it gets now.
            let coverage = Coverage::of(had.iter().chain(&self.agent_playbooks.rows).map(|hit| &hit.row));
            self.covered = coverage.leave_out(&mut self.user_playbooks.rows, top_k) as u64;
        }
        self.user_playbooks.rows.truncate(top_k);
    }

    /// What the answer holds.
    fn learnings(&self) -> impl Iterator<Item = (LearningKind, String)> {
        let profiles = self.profiles.rows.iter().map(|hit| (LearningKind::Profile, hit.row.id.to_string()));
        let user = self.user_playbooks.rows.iter();
        let agent = self.agent_playbooks.rows.iter();
        profiles
            .chain(user.map(|hit| (LearningKind::UserPlaybook, hit.row.id.to_string())))
            .chain(agent.map(|hit| (LearningKind::AgentPlaybook, hit.row.id.to_string())))
    }

    fn rules(&self) -> Vec<InjectedRule> {
        let user = self.user_playbooks.rows.iter().map(|hit| hit.row.injected());
        user.chain(self.agent_playbooks.rows.iter().map(|hit| hit.row.injected())).collect()
    }
}
