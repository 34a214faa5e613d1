use async_trait::async_trait;
use reflexio_types::{OrgId, OutcomeKind, SessionId, SessionOutcome, TimeRange, UserId};

use crate::{Page, Result};

/// Which outcomes. An empty filter means all of the org.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OutcomeFilter {
    /// Any of these; empty means any session.
    pub session_ids: Vec<SessionId>,
    pub user_id: Option<UserId>,
    pub source: Option<String>,
    pub kind: Option<OutcomeKind>,
    pub label: Option<String>,
    /// When it occurred.
    pub time: TimeRange,
}

/// What became of an outcome that was to be recorded.
#[derive(Debug, Clone, PartialEq)]
pub enum Recorded {
    New,
    /// The session has this one, and keeps it.
    Before(Box<SessionOutcome>),
    /// The user has no request in this session (any more).
    NoSession,
}

/// How sessions ended.
#[async_trait]
pub trait Outcomes: Send + Sync {
    /// Stores the first outcome of a session; a later one changes nothing.
    async fn record_outcome(&self, org: &OrgId, outcome: SessionOutcome) -> Result<Recorded>;

    async fn outcome(
        &self,
        org: &OrgId,
        user_id: &UserId,
        session_id: &SessionId,
    ) -> Result<Option<SessionOutcome>>;

    /// Latest occurrence first.
    async fn outcomes(&self, org: &OrgId, filter: &OutcomeFilter, page: Page) -> Result<Vec<SessionOutcome>>;
}
