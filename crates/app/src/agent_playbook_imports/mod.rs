//! Rules that come back from files: what was edited there becomes proposals and edits, all of them or none.

mod plan;

use reflexio_store::{AgentPlaybookFilter, AgentPlaybookWrite, Error as StoreError};
use reflexio_types::{AgentPlaybookId, Caller, PlaybookStatus, RunId, RunKind, Scope};

use crate::access::Access;
use crate::agent_playbooks::MOST_ATTEMPTS;
use crate::runs::started_by;
use crate::{App, Result};
use plan::{Planned, Planner};

/// A rule as a file tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedRule {
    /// The rule it was exported from; nothing for a new one.
    pub id: Option<AgentPlaybookId>,
    /// What the file said when it was exported: the rule's `content_hash`.
    pub exported_hash: Option<String>,
    pub playbook_name: String,
    pub agent_version: String,
    pub playbook_status: PlaybookStatus,
    pub trigger: Option<String>,
    pub instruction: Option<String>,
    pub pitfall: Option<String>,
    pub rationale: Option<String>,
    /// Made of trigger, instruction and pitfall if missing.
    pub content: Option<String>,
}

/// What becomes of one rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportAction {
    Unchanged,
    Added,
    /// As the successor of a rule in production.
    Proposed,
    Edited,
    Approved,
    Rejected,
    /// Nothing of the import is stored.
    Refused,
}

/// What became of one rule, in the order they came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleOutcome {
    pub action: ImportAction,
    /// The rule that was stored or left alone; nothing yet for one that would be added.
    pub id: Option<AgentPlaybookId>,
    pub message: Option<String>,
}

/// What became of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportOutcome {
    /// Whether anything was stored.
    pub applied: bool,
    pub rules: Vec<RuleOutcome>,
    /// As which it can be undone.
    pub run: Option<RunId>,
}

impl ImportOutcome {
    pub fn refused(&self) -> usize {
        self.rules.iter().filter(|rule| rule.action == ImportAction::Refused).count()
    }
}

impl App {
    /// Compares rules of files with those that are stored and carries out what was edited. With `dry_run` it only tells.
    pub async fn import_agent_playbooks(
        &self,
        caller: &Caller,
        rules: &[ImportedRule],
        dry_run: bool,
    ) -> Result<ImportOutcome> {
        caller.needs(Scope::Write)?;
        let reviewer = self.reviewer(caller).await?;
        let mut attempts = 1..=MOST_ATTEMPTS;
        loop {
            let every = AgentPlaybookFilter::default();
            let stored = self.store.agent_playbooks(&caller.org, &every, usize::MAX).await?;
            let may_review = caller.needs(Scope::Review).is_ok();
            let mut planner = Planner::new(&stored, &reviewer, may_review, self.signed(caller));
            let planned: Vec<Planned> = rules.iter().map(|rule| planner.plan(rule)).collect();
            let refused = planned.iter().any(|one| one.outcome.action == ImportAction::Refused);
            let writes: Vec<AgentPlaybookWrite> =
                planned.iter().filter_map(|one| one.write.clone()).collect();
            if refused || dry_run || writes.is_empty() {
                let rules = planned.into_iter().map(|one| one.outcome).collect();
                return Ok(ImportOutcome { applied: false, rules, run: None });
            }
            let run = started_by(caller, RunKind::Import, format!("{} agent playbooks", rules.len()));
            match self.store.write_agent_playbooks(&caller.org, writes, &run, self.now()).await {
                Err(StoreError::Changed { .. }) if attempts.next().is_some() => {}
                ids => {
                    self.embeddings.wake();
                    let rules = told(planned, ids?);
                    return Ok(ImportOutcome { applied: true, rules, run: Some(run.id) });
                }
            }
        }
    }
}

/// Rules that were written get the ids they have now.
fn told(planned: Vec<Planned>, ids: Vec<AgentPlaybookId>) -> Vec<RuleOutcome> {
    let mut ids = ids.into_iter();
    let outcome = |one: Planned| match one.write {
        Some(_) => RuleOutcome { id: ids.next(), ..one.outcome },
        None => one.outcome,
    };
    planned.into_iter().map(outcome).collect()
}
