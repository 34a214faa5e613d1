use reflexio_store::{OutcomeFilter, Page, Recorded, RequestDetail, RequestFilter};
use reflexio_types::{
    Caller, OrgId, OutcomeKind, Request, Scope, SessionId, SessionOutcome, Timestamp, UserId,
};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::access::Access;
use crate::{App, Result, ids};

/// Clocks of callers may be wrong by so many seconds.
const CLOCK_SKEW: i64 = 300;
/// What happens later than so many seconds after the last turn says nothing about the session.
const OUTCOME_WINDOW: i64 = 90 * 86_400;

/// What somebody says about a session.
#[derive(Debug, Clone, PartialEq)]
pub struct OutcomeDraft {
    pub session_id: SessionId,
    /// Whose session, where several users have one of this name; else that of the earliest request.
    pub user_id: Option<UserId>,
    pub kind: OutcomeKind,
    pub occurred_at: Timestamp,
    pub label: Option<String>,
    pub value: Option<f64>,
    pub metadata: Option<Map<String, Value>>,
}

/// What became of it.
#[derive(Debug, Clone, PartialEq)]
pub enum MarkedOutcome {
    Recorded(SessionOutcome),
    /// The same was said before.
    Repeated(SessionOutcome),
    Refused(OutcomeRefusal),
}

/// Why an outcome was not recorded; nothing was changed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum OutcomeRefusal {
    #[error("the session has an outcome already, and it stays as it is")]
    Conflicting(Box<SessionOutcome>),
    #[error("Session has no published requests")]
    UnknownSession,
    #[error("occurred_at is before the first request of the session")]
    BeforeSession(UserId),
    #[error("occurred_at is in the future")]
    InFuture(UserId),
    #[error("occurred_at is more than 90 days after the last request of the session")]
    AfterWindow(UserId),
    #[error("user `{0}` published nothing in this session")]
    NotTheirs(UserId),
    #[error("nothing was stored: {0}")]
    Storage(String),
}

impl App {
    /// Records how a session ended. The first word stays; saying the same again changes nothing.
    pub async fn mark_outcome(&self, caller: &Caller, draft: OutcomeDraft) -> Result<MarkedOutcome> {
        caller.needs(Scope::Write)?;
        let now = self.now();
        let session = match self.outcome_session(&caller.org, &draft).await? {
            Ok(session) => session,
            Err(refusal) => return Ok(MarkedOutcome::Refused(refusal)),
        };
        if let Some(refusal) = session.untimely(draft.occurred_at, now) {
            return Ok(MarkedOutcome::Refused(refusal));
        }
        let outcome = session.outcome(draft, now);
        Ok(match self.store.record_outcome(&caller.org, outcome.clone()).await? {
            Recorded::New => MarkedOutcome::Recorded(outcome),
            Recorded::NoSession => MarkedOutcome::Refused(OutcomeRefusal::UnknownSession),
            Recorded::Before(stored) if is_retry(&stored, &outcome) => MarkedOutcome::Repeated(*stored),
            Recorded::Before(stored) => MarkedOutcome::Refused(OutcomeRefusal::Conflicting(stored)),
        })
    }

    /// Latest occurrence first.
    pub async fn outcomes(
        &self,
        caller: &Caller,
        filter: &OutcomeFilter,
        page: Page,
    ) -> Result<Vec<SessionOutcome>> {
        caller.needs(Scope::Read)?;
        Ok(self.store.outcomes(&caller.org, filter, page).await?)
    }

    async fn outcome_session(
        &self,
        org: &OrgId,
        draft: &OutcomeDraft,
    ) -> Result<Result<MarkedSession, OutcomeRefusal>> {
        let filter = RequestFilter { session_id: Some(draft.session_id.clone()), ..RequestFilter::default() };
        let (mut groups, _) = self.store.sessions(org, &filter, Page::first(1)).await?;
        let mut requests = groups.pop().map(|group| group.requests).unwrap_or_default();
        requests.sort_by(|one, other| order(&one.request).cmp(&order(&other.request)));
        let Some(first) = requests.first() else { return Ok(Err(OutcomeRefusal::UnknownSession)) };
        let user = draft.user_id.clone().unwrap_or_else(|| first.request.user_id.clone());
        requests.retain(|detail| detail.request.user_id == user);
        if requests.is_empty() {
            return Ok(Err(OutcomeRefusal::NotTheirs(user)));
        }
        Ok(Ok(MarkedSession { user, requests }))
    }
}

fn order(request: &Request) -> (Timestamp, &str) {
    (request.created_at, request.id.as_str())
}

fn is_retry(stored: &SessionOutcome, outcome: &SessionOutcome) -> bool {
    stored.contract_digest == outcome.contract_digest && stored.trajectory_digest == outcome.trajectory_digest
}

/// The requests of one user in a session, oldest first; never empty.
struct MarkedSession {
    user: UserId,
    requests: Vec<RequestDetail>,
}

impl MarkedSession {
    fn untimely(&self, occurred_at: Timestamp, now: Timestamp) -> Option<OutcomeRefusal> {
        let times = || self.requests.iter().map(|detail| detail.request.created_at.0);
        let (first, last) = (times().min().unwrap_or(now.0), times().max().unwrap_or(now.0));
        let user = self.user.clone();
        match occurred_at.0 {
            at if at > now.0.saturating_add(CLOCK_SKEW) => Some(OutcomeRefusal::InFuture(user)),
            at if at < first.saturating_sub(CLOCK_SKEW) => Some(OutcomeRefusal::BeforeSession(user)),
            at if at > last.saturating_add(OUTCOME_WINDOW) => Some(OutcomeRefusal::AfterWindow(user)),
            _ => None,
        }
    }

    fn outcome(&self, draft: OutcomeDraft, now: Timestamp) -> SessionOutcome {
        let source = self.requests.first().map(|detail| detail.request.source.clone()).unwrap_or_default();
        SessionOutcome {
            id: ids::outcome_id(),
            contract_digest: contract_digest(&self.user, &draft),
            trajectory_digest: self.trajectory_digest(),
            user_id: self.user.clone(),
            session_id: draft.session_id,
            kind: draft.kind,
            occurred_at: draft.occurred_at,
            source,
            label: draft.label,
            value: draft.value,
            metadata: draft.metadata,
            created_at: now,
        }
    }

    /// Of all that was published, in its order.
    fn trajectory_digest(&self) -> String {
        let mut hasher = Sha256::new();
        for detail in &self.requests {
            for turn in &detail.interactions {
                let line = json!([detail.request.id, turn.id, turn.turn]).to_string();
                hasher.update((line.len() as u64).to_le_bytes());
                hasher.update(line.as_bytes());
            }
        }
        hex::encode(hasher.finalize())
    }
}

/// Of what was said about the session. Keys of an object are sorted, so the order in which they came is no difference.
fn contract_digest(user: &UserId, draft: &OutcomeDraft) -> String {
    let said = json!([
        draft.session_id,
        user,
        draft.kind,
        draft.occurred_at,
        draft.label,
        draft.value,
        draft.metadata
    ]);
    hex::encode(Sha256::digest(said.to_string().as_bytes()))
}
