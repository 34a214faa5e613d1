use std::time::{Duration, Instant};

use reflexio_jobs::Waited;
use reflexio_learn::Policy;
use reflexio_store::{NewRequest, ProfileFilter, UserPlaybookFilter};
use reflexio_types::{
    Caller, DEFAULT_AGENT_VERSION, Experiment, Image, ImageRef, Job, JobId, JobState, LearningIntent,
    MediaType, NewJob, Request, RequestId, Scope, SessionId, Turn, UserId,
};

use crate::access::Access;
use crate::learning::{self, LearningState, LearningStatus};
use crate::{App, Error, Result, carry_over, evaluation, ids, shadow_comparisons};

/// A turn to publish, with the picture it shows.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnDraft {
    pub turn: Turn,
    pub image: Option<(MediaType, Vec<u8>)>,
}

/// What an agent tells about a conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct Publish {
    /// Chosen by the caller to make a retry safe; made here otherwise.
    pub request_id: Option<RequestId>,
    pub user_id: UserId,
    /// A request without a session is its own session.
    pub session_id: Option<SessionId>,
    pub source: String,
    pub agent_version: Option<String>,
    pub experiment: Option<Experiment>,
    pub intent: LearningIntent,
    pub wait: Wait,
    pub turns: Vec<TurnDraft>,
}

/// Whether the publisher waits until its conversation was learned from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Wait {
    #[default]
    No,
    /// Learns at once from what is there, however few turns that are.
    UntilLearned,
}

/// What became of a publish. When this is returned, everything is on disk.
#[derive(Debug, Clone, PartialEq)]
pub struct PublishOutcome {
    pub request_id: RequestId,
    pub learning: LearningState,
    /// Rows that were learned from this request, if the publisher waited for them.
    pub profiles_added: u64,
    pub playbooks_added: u64,
    pub warnings: Vec<String>,
}

/// How long a publisher waits at most, and how often to look whether there is a point in it.
const LONGEST_WAIT: Duration = Duration::from_secs(120);
const LOOK_EVERY: Duration = Duration::from_secs(2);

impl App {
    /// Stores a conversation and queues it for learning, in one transaction.
    pub async fn publish(&self, caller: &Caller, mut publish: Publish) -> Result<PublishOutcome> {
        caller.needs(Scope::Write)?;
        let mut warnings = Vec::new();
        let learning = self.admit(caller, &publish.intent, &mut warnings).await?;
        let learns = learning.status != LearningStatus::Done;
        publish.intent.force_extraction |= learns && publish.wait == Wait::UntilLearned;
        let (_, config) = self.config_in_force(&caller.org).await?;
        // The configuration of this moment goes with the jobs: what is changed later concerns what is published later.
        let job = learns.then(|| learning::due(&publish.user_id, Policy::of(&config))).transpose()?;
        let (wait, resume) = (publish.wait, publish.intent.override_learning_stall);
        let mut new = self.new_request(publish, job);
        if let Some(policy) = reflexio_evaluate::Policy::of(&config) {
            new.also.extend(evaluation::timer(&caller.org, &new.request, policy)?);
        }
        new.also.extend(shadow_comparisons::due(&new.request, &new.turns, &config)?);
        new.for_new_version = carry_over::for_new_version(&new.request.agent_version, &config);
        let request_id = new.request.id.clone();
        let published = match self.store.publish(&caller.org, new).await {
            Ok(published) => published,
            Err(reflexio_store::Error::Duplicate { id, .. }) => return Err(Error::DuplicateRequest(id)),
            Err(error) => return Err(error.into()),
        };
        self.embeddings.wake();
        metrics::counter!("reflexio_interactions_published_total")
            .increment(published.interaction_ids.len() as u64);
        if resume {
            self.try_learning(&caller.org);
        }
        self.wake_workers();
        let outcome =
            PublishOutcome { request_id, learning, profiles_added: 0, playbooks_added: 0, warnings };
        match published.job {
            Some(job) if wait == Wait::UntilLearned => self.wait_for(caller, job.id(), outcome).await,
            Some(_) | None => Ok(outcome),
        }
    }

    /// Waits until the job is over, or until waiting has no point.
    async fn wait_for(
        &self,
        caller: &Caller,
        job: JobId,
        mut outcome: PublishOutcome,
    ) -> Result<PublishOutcome> {
        let Some(handle) = self.learning.handle.get() else { return Ok(outcome) };
        let deadline = Instant::now() + LONGEST_WAIT;
        let deferred = |reason| LearningState::new(LearningStatus::Pending, reason);
        outcome.learning = loop {
            match handle.wait(&caller.org, job, LOOK_EVERY).await? {
                Waited::Over(job) if job.state == JobState::Done => {
                    break LearningState::new(LearningStatus::Done, "covered");
                }
                Waited::Over(_) => break deferred("failed"),
                Waited::Gone => break deferred("inputs_erased"),
                Waited::StillGoing(_) if self.store.stall(&caller.org).await?.is_some() => {
                    break deferred("stalled");
                }
                Waited::StillGoing(_) if Instant::now() >= deadline => break deferred("wait_timeout"),
                Waited::StillGoing(job) if self.rests_until(&job, deadline) => break deferred("retrying"),
                Waited::StillGoing(_) => {}
            }
        };
        if outcome.learning.status == LearningStatus::Done {
            let request = Some(outcome.request_id.clone());
            let facts = ProfileFilter { request_id: request.clone(), ..ProfileFilter::default() };
            let rules = UserPlaybookFilter { request_id: request, ..UserPlaybookFilter::default() };
            let (store, org) = (&self.store, &caller.org);
            outcome.profiles_added = store.profiles(org, &facts, usize::MAX).await?.len() as u64;
            outcome.playbooks_added = store.user_playbooks(org, &rules, usize::MAX).await?.len() as u64;
        }
        Ok(outcome)
    }

    /// Whether a job that failed is not tried again before a moment.
    fn rests_until(&self, job: &Job, deadline: Instant) -> bool {
        let left = deadline.saturating_duration_since(Instant::now()).as_secs();
        job.state == JobState::Queued && job.attempts > 0 && job.run_after.0 > self.now().0 + left as i64
    }

    async fn admit(
        &self,
        caller: &Caller,
        intent: &LearningIntent,
        warnings: &mut Vec<String>,
    ) -> Result<LearningState> {
        if intent.evaluation_only {
            return Ok(LearningState::new(LearningStatus::Done, "not_applicable"));
        }
        if intent.override_learning_stall {
            return Ok(LearningState::new(LearningStatus::Pending, "queued"));
        }
        if let Some(stall) = self.store.stall(&caller.org).await? {
            let message = stall.error_message.as_deref().unwrap_or("a model provider refused our key");
            warnings.push(format!(
                "learning is paused ({message}); what was published is stored and learned later"
            ));
            return Ok(LearningState::new(LearningStatus::Pending, "stalled"));
        }
        Ok(LearningState::new(LearningStatus::Pending, "queued"))
    }

    fn new_request(&self, publish: Publish, job: Option<NewJob>) -> NewRequest {
        let id = publish.request_id.unwrap_or_else(ids::request_id);
        let session_id = publish.session_id.unwrap_or_else(|| SessionId::new(id.as_str()));
        let request = Request {
            session_id,
            user_id: publish.user_id,
            created_at: self.now(),
            source: publish.source,
            agent_version: publish.agent_version.unwrap_or_else(|| DEFAULT_AGENT_VERSION.to_owned()),
            experiment: publish.experiment,
            intent: publish.intent,
            id,
        };
        let mut images = Vec::new();
        let turns = publish.turns.into_iter().map(|draft| attach_image(draft, &mut images)).collect();
        NewRequest { request, turns, images, job, also: Vec::new(), for_new_version: None }
    }
}

fn attach_image(draft: TurnDraft, images: &mut Vec<Image>) -> Turn {
    let mut turn = draft.turn;
    if let Some((media_type, bytes)) = draft.image {
        let id = ids::image_id(&bytes);
        turn.image = Some(ImageRef { id: id.clone(), media_type });
        images.push(Image { id, media_type, bytes });
    }
    turn
}
