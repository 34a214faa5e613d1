//! The block that an agent puts into its prompt. What changes rarely comes first and does not depend on the
//! question, so that a model's prompt cache holds from turn to turn; what fits the question comes last.

mod block;

use std::collections::HashSet;

use reflexio_store::{AgentPlaybookFilter, ProfileFilter, UserPlaybookFilter};
use reflexio_types::{
    AgentPlaybook, Caller, LearningKind, PlaybookStatus, Profile, Scope, Status, UserId, UserPlaybook,
};

use self::block::{Item, Section, frame_tokens, render, tokens};
use crate::access::Access;
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
    pub degraded: bool,
}

impl App {
    pub async fn context(&self, caller: &Caller, request: &ContextRequest) -> Result<ContextBlock> {
        caller.needs(Scope::Read)?;
        let asked = request.query.is_some();
        let room = request.token_budget.saturating_sub(frame_tokens(&HEADINGS));
        // What is left of the room after the standing part goes to the question.
        let mut budget = Budget { standing: if asked { room / 10 * 6 } else { room }, left_out: 0 };
        let standing = self.standing(caller, request).await?;
        let standing = budget.fill(standing);
        let used: usize = standing.iter().flat_map(|section| &section.items).map(Item::tokens).sum();
        let (items, degraded) = self.for_request(caller, request).await?;
        let known: HashSet<(LearningKind, String)> = learnings(&standing).into_iter().collect();
        let new = items.into_iter().filter(|item| !known.contains(&(item.kind, item.id.clone()))).collect();
        let asked = budget.take(new, room.saturating_sub(used));
        let mut sections = standing;
        sections.push(Section { heading: HEADINGS[3], items: asked });
        let text = render(&sections);
        Ok(ContextBlock {
            tokens: tokens(&text),
            version: blake3::hash(text.as_bytes()).to_hex()[..32].to_owned(),
            learnings: learnings(&sections),
            left_out: budget.left_out,
            degraded,
            text,
        })
    }

    /// What holds whatever is asked, each kind newest first.
    async fn standing(&self, caller: &Caller, request: &ContextRequest) -> Result<[Vec<Item>; 3]> {
        let rules = self.store.agent_playbooks(&caller.org, &rules(request), MOST_STANDING).await?;
        let Some(user) = &request.user_id else {
            return Ok([rules.iter().map(Item::agent_playbook).collect(), Vec::new(), Vec::new()]);
        };
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
        let profiles: Vec<Profile> = self.store.profiles(&caller.org, &about, MOST_STANDING).await?;
        let taught = self.store.user_playbooks(&caller.org, &taught, MOST_STANDING).await?;
        let taught = not_covered(taught, &rules);
        Ok([
            rules.iter().map(Item::agent_playbook).collect(),
            profiles.iter().map(Item::profile).collect(),
            taught.iter().map(Item::user_playbook).collect(),
        ])
    }

    /// What fits the question, best first.
    async fn for_request(&self, caller: &Caller, request: &ContextRequest) -> Result<(Vec<Item>, bool)> {
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
            ..UnifiedSearch::default()
        };
        let found = self.search(caller, &search).await?;
        let degraded =
            found.profiles.degraded || found.user_playbooks.degraded || found.agent_playbooks.degraded;
        let mut items: Vec<(f64, Item)> = Vec::new();
        items
            .extend(found.agent_playbooks.rows.iter().map(|hit| (hit.score, Item::agent_playbook(&hit.row))));
        items.extend(found.profiles.rows.iter().map(|hit| (hit.score, Item::profile(&hit.row))));
        if request.user_id.is_some() {
            items.extend(
                found.user_playbooks.rows.iter().map(|hit| (hit.score, Item::user_playbook(&hit.row))),
            );
        }
        items.sort_by(|a, b| b.0.total_cmp(&a.0));
        Ok((items.into_iter().map(|(_, item)| item).collect(), degraded))
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

/// A rule that was made of a playbook says the same, better.
fn not_covered(playbooks: Vec<UserPlaybook>, rules: &[AgentPlaybook]) -> Vec<UserPlaybook> {
    let sources: HashSet<_> = rules.iter().flat_map(|rule| &rule.body.source_user_playbook_ids).collect();
    playbooks.into_iter().filter(|playbook| !sources.contains(&playbook.id)).collect()
}

fn learnings(sections: &[Section]) -> Vec<(LearningKind, String)> {
    sections.iter().flat_map(|section| &section.items).map(|item| (item.kind, item.id.clone())).collect()
}

struct Budget {
    standing: usize,
    left_out: usize,
}

impl Budget {
    /// Half of the room is for rules, half of the rest for profiles; what one leaves goes to the next.
    fn fill(&mut self, kinds: [Vec<Item>; 3]) -> Vec<Section> {
        let mut left = self.standing;
        let mut sections = Vec::new();
        for (at, items) in kinds.into_iter().enumerate() {
            let share = if at == 2 { left } else { left / 2 };
            let mut items = self.take(items, share);
            left -= items.iter().map(Item::tokens).sum::<usize>();
            // Oldest first: what is learned next comes after what a prompt cache already holds.
            items.reverse();
            sections.push(Section { heading: HEADINGS[at], items });
        }
        sections
    }

    /// The first items that fit.
    fn take(&mut self, items: Vec<Item>, room: usize) -> Vec<Item> {
        let mut left = room;
        let all = items.len();
        let mut taken = Vec::new();
        for item in items {
            if item.tokens() <= left {
                left -= item.tokens();
                taken.push(item);
            }
        }
        self.left_out += all - taken.len();
        taken
    }
}
