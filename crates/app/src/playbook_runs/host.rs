use async_trait::async_trait;
use playbook_lang::Program;
use playbook_run::Host;
use playbook_run::engine::{Learned, LearnedFrom, Message, Value};
use reflexio_store::{AgentPlaybookFilter, ProfileFilter};
use reflexio_types::{AgentPlaybook, Caller, OrgId, PlaybookStatus, Scopes, Status, UserId};

use crate::App;
use crate::search::SearchOptions;

/// Learned notes of each kind that are looked for; the engine shows five of them.
const RULES: usize = 3;
const PROFILES: usize = 2;

/// The surroundings of a run on the server. What is said is read from the journal.
pub(super) struct ServerHost<'a> {
    pub(super) app: &'a App,
    pub(super) caller: Caller,
    pub(super) user: &'a UserId,
    program: &'a Program,
}

impl<'a> ServerHost<'a> {
    pub(super) fn new(app: &'a App, org: &OrgId, user: &'a UserId, program: &'a Program) -> Self {
        Self { app, caller: Caller { org: org.clone(), scopes: Scopes::all(), key: None }, user, program }
    }

    /// Only what a person approved reaches a run.
    async fn rules(&self, options: &SearchOptions) -> crate::Result<Vec<Learned>> {
        let filter = AgentPlaybookFilter {
            status: vec![Status::Current],
            playbook_status: vec![PlaybookStatus::Approved],
            ..AgentPlaybookFilter::default()
        };
        let options = SearchOptions { top_k: RULES, ..options.clone() };
        let found = self.app.search_agent_playbooks(&self.caller, &filter, &options).await?;
        Ok(found.rows.into_iter().map(|hit| rule(hit.row)).collect())
    }

    async fn profiles(&self, options: &SearchOptions) -> crate::Result<Vec<Learned>> {
        let filter = ProfileFilter {
            user_id: Some(self.user.clone()),
            status: vec![Status::Current],
            alive_at: Some(self.app.now()),
            ..ProfileFilter::default()
        };
        let options = SearchOptions { top_k: PROFILES, ..options.clone() };
        let found = self.app.search_profiles(&self.caller, filter, &options).await?;
        let note = |row: reflexio_types::Profile| Learned {
            rule: format!("profile:{}", row.id),
            text: row.body.content,
            from: LearnedFrom::User,
        };
        Ok(found.rows.into_iter().map(|hit| note(hit.row)).collect())
    }
}

fn rule(row: AgentPlaybook) -> Learned {
    let text = match &row.body.trigger {
        Some(trigger) => format!("{trigger}: {}", row.body.content),
        None => row.body.content,
    };
    Learned { rule: format!("agent_playbook:{}", row.id), text, from: LearnedFrom::Agent }
}

#[async_trait]
impl Host for ServerHost<'_> {
    async fn say(&self, _message: &Message) {}

    async fn tool(&self, name: &str, args: &[(String, Value)]) -> Result<Value, String> {
        self.app.playbooks.settings.tools.call(self.program, name, args).await
    }

    /// A run does not stop because memory does not answer.
    async fn recall(&self, _playbook: &str, _step: &str, query: &str) -> Vec<Learned> {
        let options = SearchOptions { query: Some(query.to_owned()), ..SearchOptions::default() };
        let mut notes = Vec::new();
        for found in [self.rules(&options).await, self.profiles(&options).await] {
            match found {
                Ok(found) => notes.extend(found),
                Err(error) => tracing::warn!(%error, "learned notes could not be looked for"),
            }
        }
        notes
    }
}
