use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use playbook_run::engine::{Event, Outcome};
use playbook_run::{
    Answerer, Around, Asker, Awaited, Driver, Error as DriveError, JournalError, NoModel, Pause, Unanswered,
};
use reflexio_jobs::{Failure, Handler, Running};
use reflexio_llm::{Options, Purpose, Role};
use reflexio_store::{PlaybookRest, StoredPlaybookRun};
use reflexio_types::{PlaybookRunStatus, Timestamp};

use super::host::ServerHost;
use super::journal::StoreJournal;
use super::task::{self, Task, Tell};
use crate::App;
use crate::learning::{payload, unavailable};

/// Lets runs of playbooks go on.
pub(crate) struct Playing(pub(crate) Arc<App>);

#[async_trait]
impl Handler for Playing {
    async fn run(&self, running: &Running) -> Result<(), Failure> {
        let task: Task = payload(running)?;
        // Dropped anywhere, it goes on from what was stored.
        tokio::select! {
            ended = self.0.play(running, &task) => ended,
            () = running.cancelled() => Err(Failure::Stopped),
        }
    }
}

impl App {
    async fn play(&self, running: &Running, task: &Task) -> Result<(), Failure> {
        let Some(stored) = self.store.playbook_run(running.org(), &task.run).await? else { return Ok(()) };
        if stored.run.status.is_over() {
            return Ok(());
        }
        let code = self.code_of(&stored).map_err(|error| Failure::permanent(error.to_string()))?;
        let model = self.answerer(running, &stored).await?;
        let host = ServerHost::new(self, running.org(), &stored.run.user_id, code.program());
        let tells = AtomicBool::new(false);
        let journal = StoreJournal { app: self, lease: &running.lease, run: &task.run, tells };
        let now = || self.now_ms();
        let around = Around { journal: &journal, model: &*model, host: &host, now: &now };
        let mut driver =
            Driver::resume(Arc::clone(&code), around).await.map_err(|error| failed(&error, self))?;
        // A job that ran before told its event then.
        if stored.told_by.is_none_or(|told| told < running.job.id)
            && let Some(event) =
                event_of(&task.tell, &mut driver).await.map_err(|error| failed(&error, self))?
        {
            journal.tells.store(true, Ordering::Relaxed);
            match driver.tell(event).await {
                Ok(()) => {}
                Err(DriveError::Refused(refusal)) => {
                    tracing::debug!(run = %task.run, %refusal, "an event did not fit any more");
                }
                Err(error) => return Err(failed(&error, self)),
            }
        }
        let pause = driver.until_quiet().await.map_err(|error| failed(&error, self))?;
        if let Pause::NeedsModel { why: Unanswered::Later(reason), .. } = &pause
            && running.job.attempts < running.job.max_attempts
        {
            return Err(Failure::retryable(reason.clone()));
        }
        let state = driver.state();
        self.publish_run(&host.caller, &stored, &code, state).await.map_err(|error| unavailable(&error))?;
        let rest = self.rest(&stored, &pause).map_err(|error| unavailable(&error))?;
        self.store.rest_playbook_run(&running.lease, &task.run, rest, self.now()).await?;
        self.playbooks.note_change();
        Ok(())
    }

    async fn answerer(
        &self,
        running: &Running,
        stored: &StoredPlaybookRun,
    ) -> Result<Box<dyn Answerer>, Failure> {
        let models = self.models(running.org(), Role::Playbook).await.map_err(|error| unavailable(&error))?;
        let Some(models) = models else { return Ok(Box::new(NoModel)) };
        let purpose = Purpose::of_job(running.job.id)
            .about(&stored.run.user_id)
            .asked_by([format!("playbook:{}", stored.run.program)]);
        let asker = Asker::new(models, None, Options::with_purpose(purpose));
        Ok(Box::new(asker.map_err(|error| Failure::permanent(error.to_string()))?))
    }

    fn rest(&self, stored: &StoredPlaybookRun, pause: &Pause) -> crate::Result<PlaybookRest> {
        let (status, reason) = match pause {
            Pause::Over(outcome) => told(outcome),
            Pause::Waiting { awaited, .. } => (PlaybookRunStatus::Waiting, Some(awaited_words(awaited))),
            Pause::NeedsModel { why, .. } => (PlaybookRunStatus::NeedsModel, Some(why.to_string())),
        };
        let until = if let Pause::Waiting { until, .. } = pause { *until } else { None };
        // Rounded up: before it is due, a timer does nothing.
        let at = |until: u64| Timestamp(i64::try_from(until.div_ceil(1_000)).unwrap_or(i64::MAX));
        let wake = until.map(|until| task::wake(&stored.run, at(until))).transpose()?;
        Ok(PlaybookRest { status, reason, jobs: wake.into_iter().collect() })
    }
}

/// What a run is told; an approval is the one it waits for.
async fn event_of(tell: &Tell, driver: &mut Driver<'_>) -> Result<Option<Event>, DriveError> {
    Ok(match tell {
        Tell::Nothing => None,
        Tell::Message { text } => Some(Event::Message { text: text.clone() }),
        Tell::Approval { is_granted, by } => match driver.until_quiet().await? {
            Pause::Waiting { awaited: Awaited::Approval { approval, .. }, .. } => {
                Some(Event::Approval { approval, is_granted: *is_granted, by: by.clone() })
            }
            Pause::Waiting { .. } | Pause::Over(_) | Pause::NeedsModel { .. } => None,
        },
    })
}

fn told(outcome: &Outcome) -> (PlaybookRunStatus, Option<String>) {
    match outcome {
        Outcome::Done { .. } => (PlaybookRunStatus::Done, None),
        Outcome::Ended => (PlaybookRunStatus::Ended, None),
        Outcome::Partial { limit, most, at } => {
            (PlaybookRunStatus::Partial, Some(format!("the limit of {most} {limit} was reached at {at}")))
        }
        Outcome::HandedOff { reason } => (PlaybookRunStatus::HandedOff, Some(reason.clone())),
        Outcome::Failed { reason } => (PlaybookRunStatus::Failed, Some(reason.clone())),
    }
}

fn awaited_words(awaited: &Awaited) -> String {
    match awaited {
        Awaited::User => "the user".to_owned(),
        Awaited::Time => "a time".to_owned(),
        Awaited::Approval { who, text, .. } => {
            format!("an approval by {}: {text}", who.as_deref().unwrap_or("somebody"))
        }
    }
}

fn failed(error: &DriveError, app: &App) -> Failure {
    match error {
        // Somebody else went on with it: look again.
        DriveError::Journal(JournalError::Moved { .. }) => {
            Failure::Retryable { reason: error.to_string(), not_before: Some(app.now()) }
        }
        DriveError::Journal(JournalError::Unavailable(_) | JournalError::Busy) => {
            Failure::retryable(error.to_string())
        }
        DriveError::Journal(JournalError::Damaged(_)) | DriveError::Resume(_) | DriveError::Refused(_) => {
            Failure::permanent(error.to_string())
        }
    }
}
