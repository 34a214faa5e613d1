use async_trait::async_trait;
use reflexio_types::{Injection, InjectionId, LearningKind, OrgId, SessionId, TimeRange, Timestamp, UserId};

use crate::Result;

/// A rule, whatever its words.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RuleRef {
    pub kind: LearningKind,
    pub id: String,
}

/// Which records. An empty filter means all of the org.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct InjectionFilter {
    pub session_id: Option<SessionId>,
    pub user_id: Option<UserId>,
    /// Only those that hold this rule.
    pub rule: Option<RuleRef>,
    pub time: TimeRange,
}

/// How often agents got a wording of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordingUse {
    pub wording: String,
    pub retrievals: u64,
    /// Different sessions, as far as they were named.
    pub sessions: u64,
    pub first: Timestamp,
    pub last: Timestamp,
}

/// How often agents got a rule.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RuleUses {
    /// Different sessions, whatever the words.
    pub sessions: u64,
    /// The first wording first.
    pub wordings: Vec<WordingUse>,
}

/// With what a rule is compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Peers {
    /// Sessions for which other rules were retrieved.
    #[default]
    WithRules,
    /// All others.
    All,
}

/// Whose word it is that a session succeeded or failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SessionWord {
    /// Whoever runs the agent said so.
    Outcome,
    /// It was judged.
    Evaluation,
}

/// A session of which is known whether it succeeded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgedSession {
    /// Its first request.
    pub began: Timestamp,
    pub agent_version: String,
    pub success: bool,
    pub word: SessionWord,
    /// The wordings of the rule that it got; none if it did not get the rule.
    pub wordings: Vec<String>,
}

/// Sessions, the latest judged first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JudgedSessions {
    pub sessions: Vec<JudgedSession>,
    /// Older ones were left out.
    pub cut: bool,
}

/// Which rules agents got for their prompts, and in which sessions.
#[async_trait]
pub trait Injections: Send + Sync {
    /// Stores records under new ids, in the order given.
    async fn record_injections(&self, org: &OrgId, injections: Vec<Injection>) -> Result<Vec<InjectionId>>;

    /// Newest first.
    async fn injections(&self, org: &OrgId, filter: &InjectionFilter, limit: usize)
    -> Result<Vec<Injection>>;

    async fn rule_uses(&self, org: &OrgId, rule: &RuleRef) -> Result<RuleUses>;

    /// Sessions that were judged since then and got the rule, or are its peers. The word of whoever runs the agent comes
    /// before a judgement. At most so many of each.
    async fn judged_sessions(
        &self,
        org: &OrgId,
        rule: &RuleRef,
        since: Timestamp,
        peers: Peers,
        limit: usize,
    ) -> Result<JudgedSessions>;

    /// Of all orgs: forgets records older than this, at most so many; says how many.
    async fn forget_injections(&self, before: Timestamp, limit: usize) -> Result<u64>;
}
