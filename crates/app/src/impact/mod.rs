//! What a rule does: how often agents got it, and how sessions with it ended beside sessions without it.

mod comparison;

use reflexio_store::{AgentPlaybookFilter, JudgedSessions, Peers, RuleRef, WordingUse};
use reflexio_types::{
    AgentPlaybook, AgentPlaybookId, Caller, LearningKind, PlaybookStatus, Scope, Status, TimeRange, Timestamp,
};

pub use comparison::{Comparison, Effect};
use comparison::{Terms, compare, versions};

use crate::access::Access;
use crate::injections::Worded;
use crate::{App, Error, Result};

/// So many of the latest told outcomes, and so many of the latest judgements, are looked at.
const MOST_SESSIONS: usize = 200_000;

/// Something that everybody who reads the numbers must know.
pub const IMPACT_CAVEAT: &str = "This is an observation, not a trial: sessions got the rule because their question fitted it, and such \
     sessions may be easier or harder than others.";

/// One wording of a rule.
#[derive(Debug, Clone, PartialEq)]
pub struct WordingImpact {
    /// 1 for the wording that was used first.
    pub revision: usize,
    pub used: WordingUse,
    /// Whether the rule reads so now.
    pub is_current: bool,
    pub comparison: Comparison,
}

/// What a rule does.
#[derive(Debug, Clone, PartialEq)]
pub struct RuleImpact {
    pub rule: AgentPlaybook,
    pub retrievals: u64,
    /// Different sessions that got it.
    pub sessions: u64,
    /// From its first use to now, or to its last if it is out of use; nothing if it was never used.
    pub span: Option<(Timestamp, Timestamp)>,
    /// The versions of the agent that are compared.
    pub agent_versions: Vec<String>,
    pub peers: Peers,
    pub comparison: Comparison,
    pub wordings: Vec<WordingImpact>,
    /// There were more judged sessions than are looked at; the oldest are missing.
    pub cut: bool,
}

impl RuleImpact {
    /// What to tell a person.
    pub fn sentence(&self) -> String {
        match self.retrievals {
            0 => "no agent got it yet".to_owned(),
            _ => self.comparison.sentence(),
        }
    }
}

impl App {
    pub async fn agent_playbook_impact(
        &self,
        caller: &Caller,
        id: AgentPlaybookId,
        peers: Peers,
    ) -> Result<RuleImpact> {
        caller.needs(Scope::Read)?;
        let filter = AgentPlaybookFilter { id: Some(id), ..AgentPlaybookFilter::default() };
        let rule = self.store.agent_playbooks(&caller.org, &filter, 1).await?.pop();
        let rule = rule.ok_or_else(|| Error::not_found("agent playbook", &id))?;
        self.injections.settle_soon().await;
        let which = RuleRef { kind: LearningKind::AgentPlaybook, id: id.to_string() };
        let uses = self.store.rule_uses(&caller.org, &which).await?;
        let span = span(&rule, &uses.wordings, self.now());
        let judged = match span {
            Some((first, _)) => {
                self.store.judged_sessions(&caller.org, &which, first, peers, MOST_SESSIONS).await?
            }
            None => JudgedSessions::default(),
        };
        let found = versions(&judged.sessions);
        let agent_versions = if found.is_empty() { vec![rule.agent_version.clone()] } else { found };
        let compared = |wording: Option<&str>, since: Option<Timestamp>| {
            let span = TimeRange { start: since, end: span.map(|(_, last)| last) };
            compare(&judged.sessions, &Terms { wording, span, versions: &agent_versions })
        };
        let comparison = compared(None, span.map(|(first, _)| first));
        let now = rule.injected().wording;
        let wordings = (1..).zip(uses.wordings.iter()).map(|(revision, used)| WordingImpact {
            revision,
            is_current: used.wording == now,
            comparison: compared(Some(&used.wording), Some(used.first)),
            used: used.clone(),
        });
        let (wordings, retrievals) =
            (wordings.collect(), uses.wordings.iter().map(|used| used.retrievals).sum());
        let (sessions, cut) = (uses.sessions, judged.cut);
        Ok(RuleImpact { rule, retrievals, sessions, span, agent_versions, peers, comparison, wordings, cut })
    }
}

/// A rule that is out of use is not compared with what came after it.
fn span(rule: &AgentPlaybook, uses: &[WordingUse], now: Timestamp) -> Option<(Timestamp, Timestamp)> {
    let first = uses.iter().map(|used| used.first).min()?;
    let last = uses.iter().map(|used| used.last).max()?;
    let in_use = rule.status == Status::Current && rule.playbook_status == PlaybookStatus::Approved;
    Some((first, if in_use { now.max(last) } else { last }))
}
