use std::sync::Arc;

use async_trait::async_trait;
use reflexio_llm::{Answers, QuestionKey, SavedAnswer};
use reflexio_store::{SavedAnswer as Row, SharedStore};
use reflexio_types::{Clock, JobId, ModelCall, OrgId};

use crate::journal::Journal;

/// Keeps answers of an org's jobs until they are over. Calls that no job makes have nobody to ask twice.
pub(super) struct OrgAnswers {
    pub(super) org: OrgId,
    pub(super) store: SharedStore,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) journal: Arc<Journal<ModelCall>>,
}

fn job(question: &QuestionKey) -> Option<JobId> {
    question.purpose.run.as_deref().and_then(JobId::of_run)
}

#[async_trait]
impl Answers for OrgAnswers {
    async fn find(&self, question: &QuestionKey) -> Option<SavedAnswer> {
        let found = self.store.answer(&self.org, job(question)?, &question.digest).await;
        let body = found.unwrap_or_else(|error| {
            tracing::warn!(org = %self.org, %error, "saved answers cannot be read; the model is asked");
            None
        })?;
        serde_json::from_str(&body).ok()
    }

    async fn keep(&self, question: &QuestionKey, answer: &SavedAnswer) {
        let Some(job) = job(question) else { return };
        let Ok(body) = serde_json::to_string(answer) else { return };
        let (digest, user_id) = (question.digest.clone(), question.purpose.user.clone());
        let row = Row { digest, user_id, body, at: self.clock.now() };
        let (store, journal, org) = (Arc::clone(&self.store), Arc::clone(&self.journal), self.org.clone());
        // A task of its own: whoever asked may be dropped while the calls are on their way to the store.
        let kept = tokio::spawn(async move {
            let calls = journal.take(&org);
            if let Err(error) = store.save_answer(&org, job, row, calls.clone()).await {
                tracing::warn!(%org, %job, %error, "an answer could not be kept; it is used all the same");
                journal.put_back(&org, calls);
            }
        });
        if let Err(error) = kept.await {
            tracing::error!(%error, "keeping an answer failed");
        }
    }
}
