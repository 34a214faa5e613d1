use std::collections::HashSet;

use reflexio_evaluate::Policy;
use reflexio_evaluate::sampling::Asked;
use reflexio_evaluate::session::{Judge, Judged, MOST_LEARNINGS, Session};
use reflexio_learn::engine::{Error, text_of};
use reflexio_llm::{Error as ModelError, Role};
use reflexio_store::{EvaluationFilter, Judgement, Page, RequestFilter};
use reflexio_types::{
    Evaluation, EvaluationId, Interaction, InteractionId, LearningEvaluation, LearningEvaluationId,
    LearningsStatus, OrgId, SessionId, Timestamp, UserId,
};

use crate::{App, Result};

/// A session as it is stored.
pub(super) struct ReadSession {
    user_id: UserId,
    session_id: SessionId,
    /// Of its latest request.
    pub(super) agent_version: String,
    /// In the order of arrival; never empty.
    turns: Vec<Interaction>,
    last: InteractionId,
}

/// Why a session is judged.
pub(super) struct Occasion<'a> {
    pub(super) policy: &'a Policy,
    pub(super) asked: Asked,
    /// For the record of costs.
    pub(super) run: &'a str,
    /// The regeneration that asks for it.
    pub(super) operation: Option<&'a str>,
}

impl App {
    /// Who judges for this org now: its model, or the built-in judge where there is none.
    pub(super) async fn judge_of(&self, org: &OrgId) -> Result<Result<Judge, ModelError>> {
        let Some(models) = self.models(org, Role::Judge).await? else { return Ok(Ok(Judge::Builtin)) };
        let broken = |error: &dyn std::fmt::Display| ModelError::Misconfigured(error.to_string());
        Ok(models.for_role(Role::Judge).and_then(|model| Judge::with(model).map_err(|error| broken(&error))))
    }

    /// Nothing if it has no turns (any more).
    pub(super) async fn read_session(
        &self,
        org: &OrgId,
        user_id: &UserId,
        session_id: &SessionId,
    ) -> Result<Option<ReadSession>, reflexio_store::Error> {
        let filter = RequestFilter {
            user_id: Some(user_id.clone()),
            session_id: Some(session_id.clone()),
            ..RequestFilter::default()
        };
        let (mut groups, _) = self.store.sessions(org, &filter, Page::first(1)).await?;
        let Some(group) = groups.pop() else { return Ok(None) };
        let agent_version = group.requests.first().map(|detail| detail.request.agent_version.clone());
        let mut turns: Vec<Interaction> =
            group.requests.into_iter().flat_map(|detail| detail.interactions).collect();
        turns.sort_by_key(|turn| turn.id);
        let Some(last) = turns.last().map(|turn| turn.id) else { return Ok(None) };
        Ok(Some(ReadSession {
            user_id: user_id.clone(),
            session_id: session_id.clone(),
            agent_version: agent_version.unwrap_or_default(),
            turns,
            last,
        }))
    }

    /// The judged session, if it was judged up to its last turn.
    pub(super) async fn judged_before(
        &self,
        org: &OrgId,
        session: &ReadSession,
        agent_version: Option<&str>,
    ) -> Result<Option<Evaluation>, reflexio_store::Error> {
        let mut filter = session.filter();
        filter.agent_version = agent_version.map(str::to_owned);
        let found = self.store.evaluations(org, &filter, usize::MAX).await?;
        Ok(found.into_iter().find(|row| row.covered >= session.last))
    }

    /// Whether each learning that was served in the session has been looked at.
    pub(super) async fn learnings_judged(
        &self,
        org: &OrgId,
        session: &ReadSession,
    ) -> Result<bool, reflexio_store::Error> {
        let found = self.store.learning_evaluations(org, &session.filter(), usize::MAX).await?;
        let known: HashSet<_> =
            found.iter().map(|row| (row.kind.as_str(), row.learning_id.as_str())).collect();
        let mut served = session.turns.iter().flat_map(|turn| &turn.turn.retrieved_learnings);
        Ok(served.all(|one| known.contains(&(one.kind.as_str(), one.learning_id.as_str()))))
    }

    /// Has a session judged; nothing if there is nothing in it to judge.
    pub(super) async fn judge_session(
        &self,
        org: &OrgId,
        judge: &Judge,
        read: &ReadSession,
        occasion: &Occasion<'_>,
    ) -> Result<Option<Judgement>, Error> {
        let mut session = Session::new(occasion.policy, occasion.asked, &read.turns);
        if !session.is_judgeable() {
            return Ok(None);
        }
        let mut texts = Vec::new();
        for served in session.served().iter().take(MOST_LEARNINGS) {
            texts.push(text_of(&self.store, org, served.learning).await?);
        }
        session.tell(texts);
        let judged = judge.judge(&session, occasion.run).await.map_err(Error::Model)?;
        Ok(Some(judgement(read, &session, judged, occasion, self.now())))
    }
}

impl ReadSession {
    fn filter(&self) -> EvaluationFilter {
        EvaluationFilter {
            user_id: Some(self.user_id.clone()),
            session_id: Some(self.session_id.clone()),
            ..EvaluationFilter::default()
        }
    }
}

fn judgement(
    read: &ReadSession,
    session: &Session<'_>,
    judged: Judged,
    occasion: &Occasion<'_>,
    now: Timestamp,
) -> Judgement {
    let Judged { verdict, learnings, evaluated_by } = judged;
    let status = match learnings.as_slice() {
        [] => LearningsStatus::NotApplicable,
        all if all.iter().all(|one| one.is_relevant.is_some()) => LearningsStatus::Complete,
        _ => LearningsStatus::Degraded,
    };
    let rows = session.served().iter().zip(learnings).map(|(served, one)| LearningEvaluation {
        id: LearningEvaluationId(0),
        user_id: read.user_id.clone(),
        session_id: read.session_id.clone(),
        agent_version: read.agent_version.clone(),
        interaction_id: served.interaction.id,
        interaction_created_at: served.interaction.turn.created_at,
        kind: served.learning.kind,
        learning_id: served.learning.learning_id.clone(),
        is_relevant: one.is_relevant,
        relevance_reason: one.relevance_reason,
        impact: one.impact,
        impact_reason: one.impact_reason,
        evaluated_by: evaluated_by.clone(),
        created_at: now,
    });
    let rows = occasion.asked.learnings.then(|| rows.collect());
    let evaluation = verdict.map(|verdict| Evaluation {
        id: EvaluationId(0),
        user_id: read.user_id.clone(),
        session_id: read.session_id.clone(),
        agent_version: read.agent_version.clone(),
        evaluation_name: occasion.policy.success.evaluation_name.clone(),
        verdict,
        learnings: status,
        covered: read.last,
        evaluated_by,
        run: occasion.operation.map(str::to_owned),
        created_at: now,
    });
    Judgement {
        user_id: read.user_id.clone(),
        session_id: read.session_id.clone(),
        covered: read.last,
        evaluation,
        learnings: rows,
    }
}
