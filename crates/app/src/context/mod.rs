//! The block that an agent puts into its prompt. What changes rarely comes first and does not depend on the
//! question, so that a model's prompt cache holds from turn to turn; what fits the question comes last.

mod block;
mod filling;

use reflexio_store::{AgentPlaybookFilter, ProfileFilter, UserPlaybookFilter};
use reflexio_types::{
    AgentPlaybook, Caller, InjectedRule, LearningKind, PlaybookStatus, Profile, Scope, SessionId, Status,
    UserId, UserPlaybook,
};

use self::block::{Item, Section, frame_tokens, render, tokens};
use self::filling::{Filling, Row};
use crate::access::Access;
use crate::injections::Prompt;
use crate::search::{SearchMode, SearchOptions, UnifiedSearch};
use crate::{App, Result};

/// More rows of a kind are only reached by a question.
const MOST_STANDING: usize = 500;
/// What a question brings of each kind.
const ASKED_FOR: usize = 10;
const HEADINGS: [&str; 4] =
    ["Rules", "About this user", "What this user's conversations taught", "For this request"];

/// For whom and what.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ContextRequest {
    pub user_id: Option<UserId>,
    pub query: Option<String>,
    pub agent_version: Option<String>,
    pub playbook_name: Option<String>,
    /// The most tokens, estimated.
    pub token_budget: usize,
    /// For which session; it changes nothing in the block.
    pub session_id: Option<SessionId>,
    /// Also user playbooks that a rule in the block says already.
    pub include_covered: bool,
}

/// A block and what it holds.
#[derive(Debug, Clone, PartialEq)]
pub struct ContextBlock {
    pub text: String,
    pub tokens: usize,
    /// A fingerprint of the text.
    pub version: String,
    pub learnings: Vec<(LearningKind, String)>,
    /// Rows that belong here and did not fit.
    pub left_out: usize,
    /// User playbooks that a rule in the block says already.
    pub covered: usize,
    pub degraded: bool,
}

/// What holds whatever is asked, each kind newest first.
#[derive(Default)]
struct Standing {
    rules: Vec<AgentPlaybook>,
    profiles: Vec<Profile>,
    taught: Vec<UserPlaybook>,
}

impl App {
    /// The block, which is noted with the rules in it: whoever asks for one puts it into a prompt.
    pub async fn context(&self, caller: &Caller, request: &ContextRequest) -> Result<ContextBlock> {
        caller.needs(Scope::Read)?;
        let room = request.token_budget.saturating_sub(frame_tokens(&HEADINGS));
        // What is left of the room after the standing part goes to the question.
        let for_standing = if request.query.is_some() { room / 10 * 6 } else { room };
        let standing = self.standing(caller, request).await?;
        let (asked, degraded) = self.for_request(caller, request).await?;
        let mut filling = Filling::new(request.include_covered);
        let mut sections = filling.standing(standing, for_standing);
        let used: usize = sections.iter().flat_map(|section| &section.items).map(Item::tokens).sum();
        sections.push(filling.asked(asked, room.saturating_sub(used)));
        let text = render(&sections);
        let block = ContextBlock {
            tokens: tokens(&text),
            version: blake3::hash(text.as_bytes()).to_hex()[..32].to_owned(),
            learnings: items(&sections).map(|item| (item.kind, item.id.clone())).collect(),
            left_out: filling.left_out,
            covered: filling.covered,
            degraded,
            text,
        };
        let rules: Vec<InjectedRule> = items(&sections).filter_map(|item| item.rule.clone()).collect();
        self.note_block(caller, &request.prompt(), &block.version, rules);
        Ok(block)
    }

    async fn standing(&self, caller: &Caller, request: &ContextRequest) -> Result<Standing> {
        let rules = self.store.agent_playbooks(&caller.org, &rules(request), MOST_STANDING).await?;
        let Some(user) = &request.user_id else { return Ok(Standing { rules, ..Standing::default() }) };
        let about = ProfileFilter {
            user_id: Some(user.clone()),
            status: vec![Status::Current],
            alive_at: Some(self.now()),
            ..ProfileFilter::default()
        };
        let taught = UserPlaybookFilter {
            user_id: Some(user.clone()),
            agent_version: request.agent_version.clone(),
            playbook_name: request.playbook_name.clone(),
            status: vec![Status::Current],
            ..UserPlaybookFilter::default()
        };
        let profiles = self.store.profiles(&caller.org, &about, MOST_STANDING).await?;
        let taught = self.store.user_playbooks(&caller.org, &taught, MOST_STANDING).await?;
        Ok(Standing { rules, profiles, taught })
    }

    /// What fits the question, best first.
    async fn for_request(&self, caller: &Caller, request: &ContextRequest) -> Result<(Vec<Row>, bool)> {
        if request.query.is_none() {
            return Ok((Vec::new(), false));
        }
        let search = UnifiedSearch {
            options: SearchOptions {
                query: request.query.clone(),
                mode: SearchMode::Hybrid,
                top_k: ASKED_FOR,
                ..SearchOptions::default()
            },
            user_id: request.user_id.clone(),
            agent_version: request.agent_version.clone(),
            playbook_name: request.playbook_name.clone(),
            // What is covered depends on what comes into the block.
            include_covered: true,
            ..UnifiedSearch::default()
        };
        let found = self.search(caller, &search).await?;
        let degraded =
            found.profiles.degraded || found.user_playbooks.degraded || found.agent_playbooks.degraded;
        let rules = found.agent_playbooks.rows.into_iter().map(|hit| (hit.score, Row::Rule(hit.row)));
        let profiles = found.profiles.rows.into_iter().map(|hit| (hit.score, Row::Profile(hit.row)));
        let mut rows: Vec<(f64, Row)> = rules.chain(profiles).collect();
        if request.user_id.is_some() {
            rows.extend(found.user_playbooks.rows.into_iter().map(|hit| (hit.score, Row::Taught(hit.row))));
        }
        rows.sort_by(|a, b| b.0.total_cmp(&a.0));
        Ok((rows.into_iter().map(|(_, row)| row).collect(), degraded))
    }
}

impl ContextRequest {
    fn prompt(&self) -> Prompt {
        Prompt {
            session_id: self.session_id.clone(),
            user_id: self.user_id.clone(),
            agent_version: self.agent_version.clone(),
            request_id: None,
        }
    }
}

fn rules(request: &ContextRequest) -> AgentPlaybookFilter {
    AgentPlaybookFilter {
        agent_version: request.agent_version.clone(),
        playbook_name: request.playbook_name.clone(),
        status: vec![Status::Current],
        playbook_status: vec![PlaybookStatus::Approved],
        ..AgentPlaybookFilter::default()
    }
}

fn items(sections: &[Section]) -> impl Iterator<Item = &Item> {
    sections.iter().flat_map(|section| &section.items)
}
