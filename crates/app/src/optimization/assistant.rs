use std::sync::Arc;

use async_trait::async_trait;
use reflexio_assistant::{Assistant, Payload, Result};
use reflexio_store::{SavedAnswer, SharedStore};
use reflexio_types::{Clock, JobId, OrgId};

/// An assistant whose answers are kept until the job is over: one that is killed and asks again gets what it was told.
pub(super) struct Remembered {
    pub(super) assistant: Arc<dyn Assistant>,
    pub(super) org: OrgId,
    pub(super) job: JobId,
    pub(super) store: SharedStore,
    pub(super) clock: Arc<dyn Clock>,
}

#[async_trait]
impl Assistant for Remembered {
    async fn respond(&self, payload: &Payload) -> Result<String> {
        let digest = self.digest(payload);
        match self.store.answer(&self.org, self.job, &digest).await {
            Ok(Some(answer)) => return Ok(answer),
            Ok(None) => {}
            Err(error) => {
                tracing::warn!(org = %self.org, %error, "saved answers cannot be read; the assistant is asked");
            }
        }
        let answer = self.assistant.respond(payload).await?;
        // Of several users, as far as the store can tell: it goes when any of them is erased.
        let kept = SavedAnswer { digest, user_id: None, body: answer.clone(), at: self.clock.now() };
        if let Err(error) = self.store.save_answer(&self.org, self.job, kept, Vec::new()).await {
            tracing::warn!(org = %self.org, job = %self.job, %error, "an answer could not be kept; it is used all the same");
        }
        Ok(answer)
    }

    fn label(&self) -> String {
        self.assistant.label()
    }
}

impl Remembered {
    fn digest(&self, payload: &Payload) -> String {
        let label = self.assistant.label();
        let asked = serde_json::json!({"assistant": label, "payload": payload, "session": payload.session});
        blake3::hash(asked.to_string().as_bytes()).to_hex().to_string()
    }
}
