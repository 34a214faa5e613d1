//! One session, judged while the caller waits.

use std::collections::BTreeSet;

use reflexio_evaluate::Policy;
use reflexio_evaluate::sampling::Asked;
use reflexio_learn::engine::Error as JudgeError;
use reflexio_store::{Page, RequestFilter};
use reflexio_types::{Caller, EvaluationId, LearningsStatus, OrgId, Scope, SessionId, UserId};

use super::judging::Occasion;
use crate::access::Access;
use crate::{App, Error, Result};

/// A judgement is good for so many seconds, as long as the session goes on as it was.
const FRESH: i64 = 86_400;

/// Which session to judge.
#[derive(Debug, Clone, PartialEq)]
pub struct GradeRequest {
    pub session_id: SessionId,
    pub agent_version: String,
    /// Whose session, where several users have one of this name.
    pub user_id: Option<UserId>,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Graded {
    Judged { id: EvaluationId, cached: bool, learnings: LearningsStatus },
    Skipped(SkippedGrade),
}

/// Why there is no judgement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SkippedGrade {
    /// No request of this session names this agent version.
    UnknownSession,
    /// Several users have a session of this name.
    SeveralUsers,
    /// The agent said and did nothing in it.
    NothingToJudge,
    /// The org judges no sessions.
    NotConfigured,
}

impl SkippedGrade {
    pub fn as_str(self) -> &'static str {
        match self {
            SkippedGrade::UnknownSession => "session_not_found",
            SkippedGrade::SeveralUsers => "several_users_have_this_session_name_user_id",
            SkippedGrade::NothingToJudge => "nothing_to_judge",
            SkippedGrade::NotConfigured => "agent_success_config_not_set",
        }
    }
}

impl App {
    pub async fn grade(&self, caller: &Caller, request: GradeRequest) -> Result<Graded> {
        caller.needs(Scope::Write)?;
        let org = &caller.org;
        let (_, config) = self.config_in_force(org).await?;
        let Some(policy) = Policy::of(&config) else {
            return Ok(Graded::Skipped(SkippedGrade::NotConfigured));
        };
        let user = match self.graded_user(org, &request).await? {
            Ok(user) => user,
            Err(skipped) => return Ok(Graded::Skipped(skipped)),
        };
        let Some(mut session) = self.read_session(org, &user, &request.session_id).await? else {
            return Ok(Graded::Skipped(SkippedGrade::UnknownSession));
        };
        session.agent_version.clone_from(&request.agent_version);
        let before = self.judged_before(org, &session, Some(&request.agent_version)).await?;
        if let Some(row) = before.filter(|row| row.created_at.0 + FRESH > self.now().0) {
            return Ok(Graded::Judged { id: row.id, cached: true, learnings: row.learnings });
        }
        let judge = match self.judge_of(org).await? {
            Ok(judge) => judge,
            Err(error) => return Err(self.not_judged(org, JudgeError::Model(error)).await),
        };
        let run = format!("grade-{}", request.session_id);
        let occasion = Occasion { policy: &policy, asked: Asked::ALL, run: &run, operation: None };
        let judgement = match self.judge_session(org, &judge, &session, &occasion).await {
            Ok(Some(judgement)) => judgement,
            Ok(None) => return Ok(Graded::Skipped(SkippedGrade::NothingToJudge)),
            Err(error) => return Err(self.not_judged(org, error).await),
        };
        let learnings = judgement.evaluation.as_ref().map(|row| row.learnings).unwrap_or_default();
        let id = self.keep(org, &judge, judgement, None).await?;
        Ok(id.map_or(Graded::Skipped(SkippedGrade::UnknownSession), |id| Graded::Judged {
            id,
            cached: false,
            learnings,
        }))
    }

    /// A refused key stalls here as it does in the background.
    async fn not_judged(&self, org: &OrgId, error: JudgeError) -> Error {
        match error {
            JudgeError::Store(error) => error.into(),
            JudgeError::Model(error) => {
                let message = error.to_string();
                self.failure(org, JudgeError::Model(error)).await;
                Error::NotJudged(message)
            }
        }
    }

    async fn graded_user(&self, org: &OrgId, request: &GradeRequest) -> Result<Result<UserId, SkippedGrade>> {
        let filter = RequestFilter {
            session_id: Some(request.session_id.clone()),
            user_id: request.user_id.clone(),
            ..RequestFilter::default()
        };
        let (mut groups, _) = self.store.sessions(org, &filter, Page::first(1)).await?;
        let requests = groups.pop().map(|group| group.requests).unwrap_or_default();
        let users: BTreeSet<UserId> = requests
            .into_iter()
            .filter(|detail| detail.request.agent_version == request.agent_version)
            .map(|detail| detail.request.user_id)
            .collect();
        let several = users.len() > 1;
        Ok(match users.into_iter().next() {
            None => Err(SkippedGrade::UnknownSession),
            Some(_) if several => Err(SkippedGrade::SeveralUsers),
            Some(user) => Ok(user),
        })
    }
}
