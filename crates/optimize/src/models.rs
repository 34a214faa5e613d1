use std::sync::Arc;

use async_trait::async_trait;
use reflexio_assistant::{Assistant, Error as AssistantError, Payload};
use reflexio_llm::Error;
use reflexio_types::RolloutJudgement;

use crate::{Fault, Improvement, Judge, Pair, Reflector, World};

/// The world as it is: the user's assistant, and models that judge and write.
pub struct Models {
    pub assistant: Arc<dyn Assistant>,
    pub judge: Judge,
    pub reflector: Reflector,
}

#[async_trait]
impl World for Models {
    async fn respond(&self, payload: &Payload) -> Result<String, Fault> {
        self.assistant.respond(payload).await.map_err(|error| match error {
            AssistantError::Misconfigured(why) => Fault::Misconfigured(why),
            AssistantError::Model(error) => fault(error),
            AssistantError::Failed(_) | AssistantError::Refused(_) | AssistantError::Unusable(_) => {
                Fault::Failed(error.to_string())
            }
        })
    }

    async fn judge(&self, pair: &Pair<'_>) -> Result<RolloutJudgement, Fault> {
        self.judge.compare(pair).await.map_err(fault)
    }

    async fn improve(&self, improvement: &Improvement<'_>) -> Result<String, Fault> {
        self.reflector.improve(improvement).await.map_err(fault)
    }
}

/// What this question alone cannot be answered about is left out; the rest is the provider's trouble, or the budget's.
fn fault(error: Error) -> Fault {
    match error {
        Error::InvalidAnswer { .. }
        | Error::Declined { .. }
        | Error::ContextTooLong { .. }
        | Error::BadRequest { .. } => Fault::Failed(error.to_string()),
        Error::BudgetExceeded(ref over) if over.period == reflexio_llm::Period::Run => {
            Fault::Spent(error.to_string())
        }
        Error::Misconfigured(why) => Fault::Misconfigured(why),
        other @ (Error::Auth { .. }
        | Error::Billing { .. }
        | Error::RateLimited { .. }
        | Error::Unavailable { .. }
        | Error::Timeout { .. }
        | Error::BudgetExceeded(_)
        | Error::Cancelled) => Fault::Model(other),
    }
}
