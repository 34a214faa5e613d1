//! The loop around a run.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use playbook_engine::{
    Effect, Entry, Event, ModelRequest, Outcome, Playbooks, Refusal, ResumeError, Run, Start, State,
};

use crate::ask::{Answered, Answerer, Unanswered};
use crate::host::Host;
use crate::journal::{Journal, JournalError};

/// What a run needs.
#[derive(Clone, Copy)]
pub struct Around<'a> {
    pub journal: &'a dyn Journal,
    pub model: &'a dyn Answerer,
    pub host: &'a dyn Host,
    /// Milliseconds since 1970.
    pub now: &'a (dyn Fn() -> u64 + Sync),
}

/// A run that goes on. After an error of the journal it is of no use any more: resume it from what was stored.
pub struct Driver<'a> {
    run: Run,
    around: Around<'a>,
    pending: VecDeque<Effect>,
    /// An approval that nobody has decided about.
    undecided: Option<Awaited>,
}

/// Why a run cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error(transparent)]
    Resume(#[from] ResumeError),
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// What a run waits for besides time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Awaited {
    /// A message of the user.
    User,
    /// Somebody's decision.
    Approval { approval: u64, who: Option<String>, text: Arc<str> },
    /// Nothing but a timer.
    Time,
}

/// Where a run came to rest.
#[derive(Clone, Debug, PartialEq)]
pub enum Pause {
    Over(Outcome),
    /// Nothing more happens before this comes, or before the time (milliseconds since 1970) has come.
    Waiting {
        awaited: Awaited,
        until: Option<u64>,
    },
    /// A step needs a model, and there is none, or it cannot be asked now.
    NeedsModel {
        request: Box<ModelRequest>,
        why: Unanswered,
    },
}

impl<'a> Driver<'a> {
    /// Starts a run and stores its beginning. Nothing has been carried out yet: see [`Driver::until_quiet`].
    pub async fn start(code: Arc<Playbooks>, start: Start, around: Around<'a>) -> Result<Self, Error> {
        let mut driver = Self { run: Run::new(code), around, pending: VecDeque::new(), undecided: None };
        driver.tell(Event::Start(Box::new(start))).await?;
        Ok(driver)
    }

    /// The run whose journal this is, at the step where it was. What was said is not said again.
    pub async fn resume(code: Arc<Playbooks>, around: Around<'a>) -> Result<Self, Error> {
        let stored = around.journal.read().await?;
        let resumed = Run::resume(code, &stored)?;
        let mut driver = Self { run: resumed.run, around, pending: VecDeque::new(), undecided: None };
        driver.keep(stored.len() as u64, resumed.entries, resumed.effects).await?;
        Ok(driver)
    }

    #[must_use]
    pub fn state(&self) -> &State {
        self.run.state()
    }

    #[must_use]
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// Tells the run what happened and stores what it makes of it.
    pub async fn tell(&mut self, event: Event) -> Result<(), Error> {
        let position = self.run.position();
        let advance = self.run.advance((self.around.now)(), event)?;
        self.keep(position, advance.entries, advance.effects).await
    }

    async fn keep(&mut self, position: u64, entries: Vec<Entry>, effects: Vec<Effect>) -> Result<(), Error> {
        if !entries.is_empty() {
            self.around.journal.append(position, &entries).await?;
            self.around.host.told(&entries).await;
        }
        self.pending.extend(effects);
        Ok(())
    }

    /// Does everything that can be done now.
    pub async fn until_quiet(&mut self) -> Result<Pause, Error> {
        loop {
            while let Some(effect) = self.pending.pop_front() {
                match self.carry_out(effect).await {
                    Carried::Nothing => {}
                    Carried::Event(event) => self.tell(event).await?,
                    Carried::Stuck(pause) => return Ok(*pause),
                }
            }
            if let Some(outcome) = self.state().outcome() {
                return Ok(Pause::Over(outcome.clone()));
            }
            match self.due() {
                Some(event) => self.tell(event).await?,
                None => return Ok(self.waiting()),
            }
        }
    }

    /// Goes on until the run is over, needs a model, or the user is gone while only the user could go on.
    pub async fn converse(&mut self) -> Result<Pause, Error> {
        let mut is_user_there = true;
        loop {
            let pause = self.until_quiet().await?;
            let Pause::Waiting { awaited, until } = &pause else { return Ok(pause) };
            if matches!(awaited, Awaited::Approval { .. }) || (*awaited == Awaited::User && !is_user_there) {
                return Ok(pause);
            }
            let host = self.around.host;
            let wait = until.map(|until| until.saturating_sub((self.around.now)()));
            let said = tokio::select! {
                said = host.user(), if is_user_there => Some(said),
                () = sleep(wait) => None,
            };
            match said {
                Some(Some(text)) => self.tell(Event::Message { text }).await?,
                Some(None) => is_user_there = false,
                None => {}
            }
        }
    }

    async fn carry_out(&mut self, effect: Effect) -> Carried {
        let around = self.around;
        let host = around.host;
        Carried::Event(match effect {
            Effect::Say(message) => {
                host.say(&message).await;
                return Carried::Nothing;
            }
            Effect::Unhandled { message } => {
                host.unhandled(&message).await;
                return Carried::Nothing;
            }
            Effect::WaitForUser { .. } | Effect::SetTimer { .. } | Effect::Finished(_) => {
                return Carried::Nothing;
            }
            Effect::AskModel(request) => match answered(around, &request).await {
                Ok(found) => Event::Answer { request: request.id, answer: found.answer, used: found.used },
                Err(Unanswered::Failed(reason)) => Event::ModelFailed { request: request.id, reason },
                Err(Unanswered::Unaffordable(reason)) => Event::Unaffordable { request: request.id, reason },
                Err(why @ (Unanswered::NoModel(_) | Unanswered::Later(_))) => {
                    self.pending.push_front(Effect::AskModel(request.clone()));
                    return Carried::Stuck(Box::new(Pause::NeedsModel { request, why }));
                }
            },
            Effect::CallTool { call, tool, args } => match host.tool(&tool, &args).await {
                Ok(value) => Event::ToolResult { call, value },
                Err(reason) => Event::ToolFailed { call, reason },
            },
            Effect::Recall { recall, playbook, step, query } => {
                Event::Recalled { recall, notes: host.recall(&playbook, &step, &query).await }
            }
            Effect::AskApproval { approval, who, text } => match host.approve(who.as_deref(), &text).await {
                Some(verdict) => Event::Approval { approval, is_granted: verdict.is_granted, by: verdict.by },
                None => {
                    self.undecided = Some(Awaited::Approval { approval, who, text });
                    return Carried::Nothing;
                }
            },
        })
    }

    /// What the clock has to tell.
    fn due(&self) -> Option<Event> {
        let now = (self.around.now)();
        if self.state().deadline().is_some_and(|deadline| now > deadline) {
            return Some(Event::Tick);
        }
        let next = self.state().timers().min_by_key(|(timer, due)| (*due, *timer));
        next.filter(|(_, due)| *due <= now).map(|(timer, _)| Event::Timer { timer })
    }

    fn waiting(&self) -> Pause {
        let state = self.state();
        let awaited = match &self.undecided {
            _ if state.is_waiting_for_user() => Awaited::User,
            Some(approval) if state.is_waiting_for_approval() => approval.clone(),
            _ => Awaited::Time,
        };
        let timers = state.timers().map(|(_, due)| due);
        // One more: a limit is reached when it is passed.
        let deadline = state.deadline().map(|deadline| deadline.saturating_add(1));
        Pause::Waiting { awaited, until: timers.chain(deadline).min() }
    }
}

async fn answered(around: Around<'_>, request: &ModelRequest) -> Result<Answered, Unanswered> {
    let Around { host, model, .. } = around;
    if host.wants_drafts() {
        model.answer_aloud(request, &|drafted| host.draft(drafted)).await
    } else {
        model.answer(request).await
    }
}

/// What came of an effect.
enum Carried {
    Nothing,
    Event(Event),
    Stuck(Box<Pause>),
}

/// For ever, if no time is given.
async fn sleep(wait: Option<u64>) {
    match wait {
        Some(wait) => tokio::time::sleep(Duration::from_millis(wait)).await,
        None => std::future::pending().await,
    }
}
