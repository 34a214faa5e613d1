use clap::{Args, ValueEnum};
use reflexio_api_types::{
    EntityType, Id, InteractionView, NonBlank, Positive, SearchInteractionRequest, UnifiedSearchRequest,
    UnifiedSearchViewResponse, UpToHundred,
};
use serde::Serialize;

use super::delete::counted;
use super::{agent_playbooks, interactions, profiles, user_playbooks};
use crate::context::Context;
use crate::failure::Failure;

/// Arguments of `search`.
#[derive(Debug, Args)]
pub(crate) struct Search {
    /// What to look for.
    #[arg(value_name = "QUERY")]
    query: String,
    /// Whose profiles, playbooks and interactions; profiles are searched only with a user.
    #[arg(long, value_name = "USER")]
    user_id: Option<String>,
    /// Only playbooks of this agent version.
    #[arg(long, value_name = "VERSION")]
    agent_version: Option<String>,
    /// Only playbooks of this name.
    #[arg(long, alias = "name", value_name = "NAME")]
    playbook_name: Option<String>,
    /// What to search: everything that was learned if missing; interactions need --user-id.
    #[arg(long = "type", value_name = "TYPE", value_delimiter = ',')]
    types: Vec<SearchType>,
    /// The most results of each type.
    #[arg(long, value_name = "N", default_value = "5", value_parser = clap::value_parser!(i64).range(1..=100))]
    top_k: i64,
    /// Also user playbooks that an agent playbook in the answer says already.
    #[arg(long)]
    include_covered: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SearchType {
    Profiles,
    UserPlaybooks,
    AgentPlaybooks,
    Interactions,
}

impl SearchType {
    fn entity(self) -> Option<EntityType> {
        match self {
            SearchType::Profiles => Some(EntityType::Profiles),
            SearchType::UserPlaybooks => Some(EntityType::UserPlaybooks),
            SearchType::AgentPlaybooks => Some(EntityType::AgentPlaybooks),
            SearchType::Interactions => None,
        }
    }
}

/// Both searches as one JSON document.
#[derive(Serialize)]
struct Found {
    #[serde(flatten)]
    learned: Option<UnifiedSearchViewResponse>,
    #[serde(skip_serializing_if = "Option::is_none")]
    interactions: Option<Vec<InteractionView>>,
}

impl Search {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        if self.wants(SearchType::Profiles)
            && self.types.contains(&SearchType::Profiles)
            && self.user_id.is_none()
        {
            return Err(Failure::usage("profiles are searched for one user")
                .hint("add --user-id USER")
                .into());
        }
        let found =
            Found { learned: self.learned(context).await?, interactions: self.interactions(context).await? };
        if context.out.is_json() {
            return Ok(context.out.json(&found)?);
        }
        self.print(context, &found)
    }

    /// Without `--type` everything learned is wanted, but not interactions.
    fn wants(&self, kind: SearchType) -> bool {
        if self.types.is_empty() { kind != SearchType::Interactions } else { self.types.contains(&kind) }
    }

    async fn learned(&self, context: &Context) -> anyhow::Result<Option<UnifiedSearchViewResponse>> {
        let entities: Vec<EntityType> = self.types.iter().filter_map(|kind| kind.entity()).collect();
        if entities.is_empty() && !self.types.is_empty() {
            return Ok(None);
        }
        let request = UnifiedSearchRequest {
            query: NonBlank::from(self.query.as_str()),
            top_k: Some(UpToHundred(self.top_k)),
            threshold: None,
            agent_version: self.agent_version.clone(),
            playbook_name: self.playbook_name.clone(),
            user_id: self.user_id.as_deref().map(Id::from),
            source: None,
            tags: None,
            entity_types: (!entities.is_empty()).then_some(entities),
            agent_playbook_status_filter: None,
            conversation_history: None,
            enable_reformulation: None,
            enable_agent_answer: None,
            search_mode: None,
            request_id: None,
            session_id: None,
            interaction_id: None,
            skip_served: None,
            include_covered: self.include_covered.then_some(true),
            explain: None,
            recency: None,
        };
        Ok(Some(context.client()?.search(&request).await?))
    }

    async fn interactions(&self, context: &Context) -> anyhow::Result<Option<Vec<InteractionView>>> {
        if !self.wants(SearchType::Interactions) {
            return Ok(None);
        }
        let Some(user_id) = &self.user_id else {
            return Err(Failure::usage("interactions are searched for one user")
                .hint("add --user-id USER")
                .into());
        };
        let request = SearchInteractionRequest {
            user_id: NonBlank::from(user_id.as_str()),
            request_id: None,
            session_id: None,
            query: Some(self.query.clone()),
            start_time: None,
            end_time: None,
            top_k: Some(Positive(self.top_k)),
            most_recent_k: None,
            threshold: None,
            search_mode: None,
            explain: None,
            recency: None,
        };
        Ok(Some(context.client()?.search_interactions(&request).await?.interactions))
    }

    fn print(&self, context: &Context, found: &Found) -> anyhow::Result<()> {
        let out = &context.out;
        let mut sections = Vec::new();
        if let Some(learned) = &found.learned {
            sections.push(("profiles", profiles::table(out, &learned.profiles), learned.profiles.len()));
            let playbooks = &learned.user_playbooks;
            sections.push(("user playbooks", user_playbooks::table(out, playbooks), playbooks.len()));
            let playbooks = &learned.agent_playbooks;
            sections.push(("agent playbooks", agent_playbooks::table(out, playbooks), playbooks.len()));
        }
        if let Some(rows) = &found.interactions {
            sections.push(("interactions", interactions::table(out, rows), rows.len()));
        }
        sections.retain(|(_, _, count)| *count > 0);
        if sections.is_empty() {
            out.line(format_args!("nothing found for `{}`", self.query))?;
        }
        let title = out.style().bold().underlined();
        let texts = sections.iter().map(|(name, table, _)| format!("{}\n{table}", title.apply_to(name)));
        let text = texts.collect::<Vec<_>>().join("\n\n");
        if !text.is_empty() {
            out.line(text)?;
        }
        self.notes(context, found);
        Ok(())
    }

    fn notes(&self, context: &Context, found: &Found) {
        let Some(learned) = &found.learned else { return };
        if let Some(hidden) = learned.hidden_unapproved.filter(|count| *count > 0) {
            let matches = counted(hidden, "matching agent playbook");
            context
                .out
                .note(format_args!("note: {matches} not approved; see `reflexio agent-playbooks list`"));
        }
        if let Some(covered) = learned.covered.filter(|count| *count > 0) {
            let rows = counted(covered, "user playbook");
            context.out.note(format_args!(
                "note: {rows} left out: an agent playbook says the same; see --include-covered"
            ));
        }
        if self.user_id.is_none() && self.types.is_empty() {
            context.out.note("note: profiles are searched only with --user-id");
        }
    }
}
