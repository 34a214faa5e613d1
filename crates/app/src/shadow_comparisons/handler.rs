use std::sync::Arc;

use async_trait::async_trait;
use reflexio_evaluate::shadow::{self, Judge, Judgement, Policy, Question, TURNS_BEFORE};
use reflexio_jobs::{Failure, Handler, Running};
use reflexio_learn::engine::Error;
use reflexio_llm::{Error as ModelError, Role};
use reflexio_store::InteractionOrder::LatestArrivalFirst;
use reflexio_store::{
    InteractionFilter, JobEnd, Page, PublishedTurn, Reach, ShadowComparisonFilter, ShadowJudgement,
};
use reflexio_types::{Interaction, OrgId, ShadowComparison, ShadowComparisonId, Turn};

use super::task::Task;
use crate::App;
use crate::learning::{payload, unavailable};

/// Turns of other sessions may lie between those of this one.
const TURNS_LOOKED_AT: usize = 8 * TURNS_BEFORE;
/// A user who reacts does so soon.
const TURNS_UNTIL_REACTION: usize = 8;

/// Compares the answers of one request with their alternatives.
pub(crate) struct Comparing(pub(crate) Arc<App>);

#[async_trait]
impl Handler for Comparing {
    async fn run(&self, running: &Running) -> Result<(), Failure> {
        let task: Task = payload(running)?;
        tokio::select! {
            ended = self.0.compare(running, &task) => ended,
            () = running.cancelled() => Err(Failure::Stopped),
        }
    }
}

/// What surrounds a turn in its session.
struct Surroundings {
    before: Vec<PublishedTurn>,
    turn: PublishedTurn,
    reaction: Option<PublishedTurn>,
}

impl App {
    /// Compares one turn after the other. Each comparison is stored before the next begins, the last one with the end of
    /// the job: whatever interrupts it, what was judged is not judged twice.
    async fn compare(&self, running: &Running, task: &Task) -> Result<(), Failure> {
        let org = running.org();
        let turns = self.turns_to_compare(org, task).await?;
        let judge = if turns.is_empty() { None } else { self.ready_comparer(org).await? };
        for (at, turn) in turns.iter().enumerate() {
            let Some(around) = self.surroundings(org, turn).await? else { continue };
            let judged = self.judged(running, judge.as_ref(), &around, &task.policy).await?;
            let comparison = judged.map(|judgement| self.comparison(&around.turn, judgement));
            let end = if at + 1 == turns.len() { JobEnd::Done } else { JobEnd::GoesOn };
            if let Some(comparison) = &comparison {
                let verdict = comparison.verdict.as_str();
                metrics::counter!("reflexio_shadow_comparisons_total", "verdict" => verdict).increment(1);
            }
            self.store.judge_shadow(&running.lease, ShadowJudgement { comparison, end }, self.now()).await?;
        }
        if judge.is_some() {
            self.lift_stall(org).await;
        }
        Ok(())
    }

    /// The turns of the request with two answers that were not compared yet.
    async fn turns_to_compare(&self, org: &OrgId, task: &Task) -> Result<Vec<Interaction>, Failure> {
        let request_id = Some(task.request_id.clone());
        let of_request = InteractionFilter { request_id: request_id.clone(), ..InteractionFilter::default() };
        let mut turns = self.store.interactions(org, &of_request, LatestArrivalFirst, usize::MAX).await?;
        let filter = ShadowComparisonFilter { request_id, ..ShadowComparisonFilter::default() };
        let (judged, _) = self.store.shadow_comparisons(org, &filter, Page::first(turns.len())).await?;
        let is_judged = |turn: &Interaction| {
            let known = judged.iter().find(|comparison| comparison.interaction_id == turn.id);
            known.is_some_and(|known| task.since.is_none_or(|since| known.created_at >= since))
        };
        turns.retain(|turn| turn.turn.both_answers().is_some() && !is_judged(turn));
        turns.sort_by_key(|turn| turn.id);
        Ok(turns)
    }

    /// Nothing if the turn was erased in the meantime.
    async fn surroundings(&self, org: &OrgId, turn: &Interaction) -> Result<Option<Surroundings>, Failure> {
        let (id, user) = (Some(turn.id), &turn.user_id);
        let same_session = |other: &PublishedTurn| other.interaction.session_id == turn.session_id;
        let mut before = self.store.published_turns(org, user, Reach::UpTo(id), TURNS_LOOKED_AT).await?;
        let Some(itself) = before.pop_if(|last| last.interaction.id == turn.id) else { return Ok(None) };
        before.retain(same_session);
        let before = before.split_off(before.len().saturating_sub(TURNS_BEFORE));
        let after = self.store.published_turns(org, user, Reach::After(id), TURNS_UNTIL_REACTION).await?;
        let reaction = after.into_iter().find(|turn| same_session(turn) && said(turn).is_of_user());
        Ok(Some(Surroundings { before, turn: itself, reaction }))
    }

    async fn judged(
        &self,
        running: &Running,
        judge: Option<&Judge>,
        around: &Surroundings,
        policy: &Policy,
    ) -> Result<Option<Judgement>, Failure> {
        let Some(judge) = judge else { return Ok(shadow::by_expert(said(&around.turn))) };
        let question = Question {
            before: around.before.iter().map(said).collect(),
            turn: said(&around.turn),
            reaction: around.reaction.as_ref().map(said),
        };
        let (org, id) = (running.org(), around.turn.interaction.id);
        let run = format!("job-{}", running.job.id);
        match judge.compare(&question, shadow::order(org, id), policy, &run).await {
            Ok(judgement) => Ok(Some(judgement)),
            // Asking again would bring the same refusal.
            Err(ModelError::Declined { message, .. }) => {
                tracing::warn!(%org, run, message, "the model declined to compare two answers");
                Ok(shadow::by_expert(said(&around.turn)))
            }
            Err(error) => Err(self.failure(org, Error::Model(error)).await),
        }
    }

    /// The model that judges; none where the built-in one does.
    async fn ready_comparer(&self, org: &OrgId) -> Result<Option<Judge>, Failure> {
        let Some(models) = self.models(org, Role::Judge).await.map_err(|error| unavailable(&error))? else {
            return Ok(None);
        };
        let broken = |error: &dyn std::fmt::Display| ModelError::Misconfigured(error.to_string());
        let judge =
            models.for_role(Role::Judge).and_then(|model| Judge::new(model).map_err(|error| broken(&error)));
        match judge {
            Ok(judge) => Ok(Some(judge)),
            Err(error) => Err(self.failure(org, Error::Model(error)).await),
        }
    }

    fn comparison(&self, turn: &PublishedTurn, judgement: Judgement) -> ShadowComparison {
        ShadowComparison {
            id: ShadowComparisonId(0),
            interaction_id: turn.interaction.id,
            request_id: turn.request.id.clone(),
            session_id: turn.request.session_id.clone(),
            user_id: turn.request.user_id.clone(),
            agent_version: turn.request.agent_version.clone(),
            verdict: judgement.verdict,
            created_at: self.now(),
            body: judgement.body,
        }
    }
}

fn said(turn: &PublishedTurn) -> &Turn {
    &turn.interaction.turn
}
