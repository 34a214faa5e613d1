//! One search for a better wording, as plain data between steps.

mod count;
mod evaluate;
mod propose;

use gepa::{Answer, Candidate, Engine, Next, Overshoot, Request, Settings, Stopper, Validation};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Book, Fault, Policy, Split, Task, World};
use count::Counting;

pub use count::Counts;

/// The only component of a candidate.
pub(crate) const CONTENT: &str = "content";
/// A wording is as good as itself.
pub(crate) const NEUTRAL: f64 = 0.5;

/// A whole search. Store it between steps; taken up again, it goes on as if it had never stopped. It holds wordings and
/// scores, and no word that a user said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    pub(crate) engine: Engine,
    pub(crate) split: Split,
    pub(crate) policy: Policy,
    /// Every wording that was tried, in order; the first is the one that is there.
    pub(crate) wordings: Vec<Wording>,
    pub(crate) counts: Counts,
    pub(crate) excluded: Vec<Excluded>,
    pub(crate) refused: Vec<Refused>,
    pub(crate) failures_in_a_row: u32,
    /// Why it ended before its time.
    pub(crate) spent: Option<String>,
}

/// A wording and the ones it was made of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Wording {
    pub(crate) content: String,
    pub(crate) parents: Vec<usize>,
}

/// A replay that failed although it was tried again. It says nothing about the wording.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Excluded {
    /// Number of the wording.
    pub candidate: usize,
    pub window: usize,
    pub reason: String,
}

/// A proposed wording that was not tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    pub content: String,
    pub reason: String,
}

/// What a step brought, to be stored with the run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Stepped {
    /// Windows that were replayed under the wording that was there.
    pub incumbents: Vec<usize>,
    /// Wordings by number and the windows they were judged in.
    pub trials: Vec<(usize, usize)>,
    /// Wordings that are new, by number.
    pub wordings: Vec<usize>,
    pub events: Vec<Value>,
    pub done: bool,
}

impl Run {
    pub fn new(task: &Task, split: Split, policy: Policy) -> Result<Self, Fault> {
        let seed = Candidate::new([(CONTENT, task.incumbent.as_str())])?;
        let validation = match split.is_shared() {
            true => Validation::Shared,
            false => Validation::Separate(split.validation.len()),
        };
        let mut settings = Settings::new(split.train.len(), validation, policy.max_metric_calls);
        settings.seed = policy.seed;
        settings.minibatch = split.minibatch(&policy);
        // Crossing two wordings of one component can only give one of them again, and would be paid for.
        settings.merging = None;
        settings.cache = true;
        settings.track_best_outputs = false;
        // A nightly run must not cost more than it may.
        settings.overshoot = Overshoot::Forbid;
        settings.stoppers = vec![Stopper::Score(policy.early_stop_score)];
        Ok(Self {
            engine: Engine::new(settings, seed)?,
            split,
            policy,
            wordings: vec![Wording { content: task.incumbent.clone(), parents: Vec::new() }],
            counts: Counts::default(),
            excluded: Vec::new(),
            refused: Vec::new(),
            failures_in_a_row: 0,
            spent: None,
        })
    }

    /// Answers one question of the engine. What fails leaves the stored run as it was: the step is taken again later.
    pub async fn step(&mut self, task: &Task, book: &mut Book, world: &dyn World) -> Result<Stepped, Fault> {
        let Next::Need(request) = self.engine.poll()? else {
            return Ok(Stepped { events: self.events()?, done: true, ..Stepped::default() });
        };
        let counting = Counting::new(world);
        let mut stepped = Stepped::default();
        let answered = match request {
            Request::Evaluate(jobs) => {
                self.evaluate(&jobs, task, book, &counting, &mut stepped).await.map(Answer::Evaluations)
            }
            Request::Reflect(jobs) => Ok(Answer::Datasets(jobs.iter().map(evaluate::dataset).collect())),
            Request::Propose(jobs) => {
                self.propose(&jobs, task, book, &counting, &mut stepped).await.map(Answer::Proposals)
            }
        };
        self.counts.add(&counting);
        match answered {
            Ok(answer) => self.engine.answer(answer)?,
            Err(Fault::Spent(why)) => {
                self.engine.abandon(why.clone())?;
                self.engine.stop();
                self.spent = Some(why);
            }
            Err(fault) => return Err(fault),
        }
        stepped.events.extend(self.events()?);
        Ok(stepped)
    }

    fn events(&mut self) -> Result<Vec<Value>, Fault> {
        let told = self.engine.take_events();
        let values: Result<_, _> = told.iter().map(serde_json::to_value).collect();
        values.map_err(|error| Fault::Broken(error.to_string()))
    }

    pub fn split(&self) -> &Split {
        &self.split
    }

    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// What was scored so far, of what may be.
    pub fn metric_calls(&self) -> (u64, u64) {
        (self.engine.outcome().map_or(0, |outcome| outcome.metric_calls), self.policy.max_metric_calls)
    }

    /// The text of a wording.
    pub fn wording(&self, number: usize) -> Option<&str> {
        self.wordings.get(number).map(|wording| wording.content.as_str())
    }

    pub(crate) fn number_of(&self, content: &str) -> Option<usize> {
        self.wordings.iter().position(|wording| wording.content == content)
    }

    /// The number of a wording; a new one is noted.
    pub(crate) fn note_wording(&mut self, content: &str, parents: Vec<usize>) -> (usize, bool) {
        if let Some(number) = self.number_of(content) {
            return (number, false);
        }
        self.wordings.push(Wording { content: content.to_owned(), parents });
        (self.wordings.len() - 1, true)
    }
}
