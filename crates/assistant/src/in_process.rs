use std::sync::Arc;

use async_trait::async_trait;
use reflexio_types::config::PlaybookOptimizerConfig;
use tokio::time::timeout;

use crate::operator::Limit;
use crate::patient::{Patient, Pauses};
use crate::{Assistant, Error, Payload, Result};

/// An assistant of this process, held to what holds for all others: its time, its size and how often it is asked again.
pub fn in_process<A: Assistant + 'static>(
    assistant: A,
    config: &PlaybookOptimizerConfig,
) -> Arc<dyn Assistant> {
    Arc::new(Patient::new(Bounded { assistant, limit: Limit::of(config) }, Pauses::of(config)))
}

struct Bounded<A> {
    assistant: A,
    limit: Limit,
}

#[async_trait]
impl<A: Assistant> Assistant for Bounded<A> {
    async fn respond(&self, payload: &Payload) -> Result<String> {
        let Limit { total, largest_answer } = self.limit;
        let asked = timeout(total, self.assistant.respond(payload)).await;
        let answer =
            asked.unwrap_or_else(|_| Err(Error::Failed(format!("it did not answer within {total:?}"))))?;
        if answer.len() > largest_answer {
            return Err(Error::Unusable(format!("it is larger than {largest_answer} bytes")));
        }
        if answer.trim().is_empty() {
            return Err(Error::Unusable("it is empty".to_owned()));
        }
        Ok(answer)
    }

    fn label(&self) -> String {
        self.assistant.label()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// Answers one thing after the other.
    struct Says(Mutex<Vec<Result<String>>>);

    #[async_trait]
    impl Assistant for Says {
        async fn respond(&self, _: &Payload) -> Result<String> {
            let next = self.0.lock().unwrap().pop();
            match next {
                Some(answer) => answer,
                None => std::future::pending().await,
            }
        }

        fn label(&self) -> String {
            "says".to_owned()
        }
    }

    async fn ask(mut answers: Vec<Result<String>>) -> Result<String> {
        answers.reverse();
        let config = PlaybookOptimizerConfig {
            webhook_max_retries: 1,
            webhook_backoff_base_seconds: 0.001,
            webhook_timeout_seconds: 1,
            ..PlaybookOptimizerConfig::default()
        };
        let payload = Payload { messages: Vec::new(), playbooks: Vec::new(), session: None };
        in_process(Says(Mutex::new(answers)), &config).respond(&payload).await
    }

    #[tokio::test(start_paused = true)]
    async fn it_is_bounded_and_asked_again_like_any_other() {
        let failed = || Err(Error::Failed("down".to_owned()));
        assert_eq!(ask(vec![failed(), Ok("yes".to_owned())]).await, Ok("yes".to_owned()));
        assert_eq!(ask(vec![failed(), failed(), Ok("late".to_owned())]).await, failed());
        assert_eq!(ask(vec![Ok(" ".to_owned()), Ok("yes".to_owned())]).await, Ok("yes".to_owned()));
        let refused = || Err(Error::Refused("never".to_owned()));
        assert_eq!(ask(vec![refused(), Ok("yes".to_owned())]).await, refused());
        let large = || Ok("x".repeat(2 << 20));
        assert!(ask(vec![large(), large()]).await.unwrap_err().to_string().contains("larger than"));
        let silent = ask(Vec::new()).await.unwrap_err().to_string();
        assert!(silent.contains("did not answer within 1s"), "{silent}");
    }
}
