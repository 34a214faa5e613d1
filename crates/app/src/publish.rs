use reflexio_store::NewRequest;
use reflexio_types::{
    Caller, DEFAULT_AGENT_VERSION, Experiment, Image, ImageRef, JobKind, LearningIntent, MediaType, NewJob,
    Request, RequestId, Scope, SessionId, Turn, UserId,
};

use crate::access::Access;
use crate::learning::{LearningState, LearningStatus};
use crate::{App, Error, Result, ids};

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
    pub turns: Vec<TurnDraft>,
}

/// What became of a publish. When this is returned, everything is on disk.
#[derive(Debug, Clone, PartialEq)]
pub struct PublishOutcome {
    pub request_id: RequestId,
    pub learning: LearningState,
    pub warnings: Vec<String>,
}

impl App {
    /// Stores a conversation and queues it for learning, in one transaction.
    pub async fn publish(&self, caller: &Caller, publish: Publish) -> Result<PublishOutcome> {
        caller.needs(Scope::Write)?;
        let mut warnings = Vec::new();
        let learning = self.admit(caller, &publish.intent, &mut warnings).await?;
        let job = (learning.status != LearningStatus::Done).then(|| learning_job(&publish.user_id));
        let new = self.new_request(publish, job);
        let request_id = new.request.id.clone();
        match self.store.publish(&caller.org, new).await {
            Ok(published) => {
                self.embeddings.wake();
                metrics::counter!("reflexio_interactions_published_total")
                    .increment(published.interaction_ids.len() as u64);
                Ok(PublishOutcome { request_id, learning, warnings })
            }
            Err(reflexio_store::Error::Duplicate { id, .. }) => Err(Error::DuplicateRequest(id)),
            Err(error) => Err(error.into()),
        }
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
        NewRequest { request, turns, images, job }
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

fn learning_job(user_id: &UserId) -> NewJob {
    let payload = serde_json::json!({ "user_id": user_id });
    let job = NewJob::of_user(JobKind::Learn, user_id.clone(), payload);
    NewJob { dedup_key: job.lane_name(), ..job }
}
