use reflexio_search::TextQuery;
use reflexio_store::{AgentPlaybookFilter, ProfileFilter, Scored, UserPlaybookFilter};
use reflexio_types::{AgentPlaybook, Caller, PlaybookStatus, Profile, Scope, Status, UserId, UserPlaybook};

use crate::access::Access;
use crate::{App, Result};

/// How rows are matched.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SearchMode {
    Vector,
    Fts,
    #[default]
    Hybrid,
}

/// What to look for and how much to return.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SearchOptions {
    pub query: Option<String>,
    pub mode: SearchMode,
    pub top_k: usize,
}

impl SearchOptions {
    pub fn text(query: Option<&str>, top_k: usize) -> Self {
        Self { query: query.map(str::to_owned), mode: SearchMode::Fts, top_k }
    }

    /// No query means a listing; a query of nothing but punctuation finds nothing.
    pub(crate) fn text_query(&self) -> Option<TextQuery> {
        self.query.as_deref().filter(|query| !query.trim().is_empty()).map(TextQuery::parse)
    }
}

/// What a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found<T> {
    pub rows: Vec<Scored<T>>,
    /// Meaning was asked for and only words were matched.
    pub degraded: bool,
}

impl<T> Found<T> {
    pub(crate) fn listed(rows: Vec<T>) -> Self {
        Self { rows: rows.into_iter().map(|row| Scored { row, score: 0.0 }).collect(), degraded: false }
    }

    pub(crate) fn ranked(rows: Vec<Scored<T>>, options: &SearchOptions) -> Self {
        Self { rows, degraded: options.mode == SearchMode::Vector }
    }

    fn nothing() -> Self {
        Self { rows: Vec::new(), degraded: false }
    }

    pub fn into_rows(self) -> Vec<T> {
        self.rows.into_iter().map(|scored| scored.row).collect()
    }
}

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
    /// Empty means all kinds.
    pub entity_types: Vec<EntityKind>,
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
}

impl App {
    pub async fn search(&self, caller: &Caller, search: &UnifiedSearch) -> Result<UnifiedFound> {
        caller.needs(Scope::Read)?;
        let (profiles, user_playbooks, agent_playbooks) = futures::join!(
            self.profile_arm(caller, search),
            self.user_playbook_arm(caller, search),
            self.agent_playbook_arm(caller, search),
        );
        let (agent_playbooks, hidden_unapproved) = agent_playbooks?;
        Ok(UnifiedFound {
            profiles: profiles?,
            user_playbooks: user_playbooks?,
            agent_playbooks,
            hidden_unapproved,
        })
    }

    /// Profiles are personal: without a user there are none to show.
    async fn profile_arm(&self, caller: &Caller, search: &UnifiedSearch) -> Result<Found<Profile>> {
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
        self.search_profiles(caller, filter, &search.options).await
    }

    async fn user_playbook_arm(
        &self,
        caller: &Caller,
        search: &UnifiedSearch,
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
        self.search_user_playbooks(caller, &filter, &search.options).await
    }

    async fn agent_playbook_arm(
        &self,
        caller: &Caller,
        search: &UnifiedSearch,
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
        self.retrieve_agent_playbooks(caller, filter, &search.options).await
    }
}

impl UnifiedSearch {
    fn wants(&self, kind: EntityKind) -> bool {
        self.entity_types.is_empty() || self.entity_types.contains(&kind)
    }
}
