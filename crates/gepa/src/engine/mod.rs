//! The engine: a run as a state machine that asks and is answered.

mod check;
mod head;
mod mutate;
mod phase;
mod validate;

use serde::{Deserialize, Serialize};

use crate::merge::Merges;
use crate::{
    Answer, Cache, Candidate, Error, Event, Fronts, Mt19937, Next, Pool, Random, Request, Sampler, Settings,
    Split, Validation,
};
use phase::Phase;

/// A whole run. Serialise it between any two calls; restored, it goes on as if it had never stopped.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Engine<R = Mt19937> {
    settings: Settings,
    random: R,
    pool: Pool,
    fronts: Fronts,
    cache: Option<Cache>,
    sampler: Sampler,
    merges: Merges,
    /// Iterations begun.
    iteration: u64,
    spent: u64,
    spent_before_iteration: u64,
    members_before_iteration: usize,
    idle_iterations: u64,
    full_validations: u64,
    reflection_cost: f64,
    best_seen: Option<f64>,
    stale_iterations: u64,
    stop_asked: bool,
    phase: Phase,
    events: Vec<Event>,
}

/// What a run has come to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Highest mean; of equals the one scored on more examples, then the first.
    pub best: usize,
    /// The first with the highest mean, whatever its coverage.
    pub first_best: usize,
    pub candidate: Candidate,
    pub mean: f64,
    pub iterations: u64,
    pub metric_calls: u64,
    pub full_validations: u64,
}

impl Engine {
    /// A run that will improve `seed`, drawing from the generator that `settings.seed` names.
    pub fn new(settings: Settings, seed: Candidate) -> Result<Self, Error> {
        let random = Mt19937::new(settings.seed);
        Self::with_random(settings, seed, random)
    }
}

impl<R: Random> Engine<R> {
    /// A run that draws from another source, such as a recording.
    pub fn with_random(settings: Settings, seed: Candidate, random: R) -> Result<Self, Error> {
        settings.check()?;
        Ok(Self {
            cache: settings.cache.then(Cache::default),
            settings,
            random,
            pool: Pool::default(),
            fronts: Fronts::default(),
            sampler: Sampler::default(),
            merges: Merges::default(),
            iteration: 0,
            spent: 0,
            spent_before_iteration: 0,
            members_before_iteration: 0,
            idle_iterations: 0,
            full_validations: 0,
            reflection_cost: 0.0,
            best_seen: None,
            stale_iterations: 0,
            stop_asked: false,
            phase: Phase::Seed(seed),
            events: Vec::new(),
        })
    }

    /// What is needed now. Begins the next iteration where the last one has ended, so it moves the run; asked
    /// again without an answer, it says the same.
    pub fn poll(&mut self) -> Result<Next, Error> {
        while self.phase == Phase::Idle {
            self.begin_iteration()?;
        }
        Ok(self.pending()?.map_or(Next::Done, Next::Need))
    }

    /// What was asked and not answered yet.
    pub fn pending(&self) -> Result<Option<Request>, Error> {
        self.phase.request(&self.settings, &self.pool)
    }

    /// Takes the answer to what [`Self::poll`] asked. An answer that does not fit changes nothing.
    pub fn answer(&mut self, answer: Answer) -> Result<(), Error> {
        let request = self.pending()?.ok_or(Error::Unasked("nothing was asked"))?;
        check::fits(&request, &answer, self.settings.frontier)?;
        let phase = std::mem::replace(&mut self.phase, Phase::Idle);
        match (phase, answer) {
            (Phase::Seed(seed), Answer::Evaluations(given)) => self.plant(seed, &given),
            (Phase::Parents(draws), Answer::Evaluations(given)) => self.reflect_on(draws, &given),
            (Phase::Reflecting(tasks), Answer::Datasets(given)) => self.propose_from(tasks, given),
            (Phase::Proposing(tasks), Answer::Proposals(given)) => self.try_children(tasks, given),
            (Phase::Trying(tasks), Answer::Evaluations(given)) => self.judge_children(tasks, &given),
            (Phase::Merging(test), Answer::Evaluations(given)) => self.judge_merge(test, &given),
            (Phase::Validating(task), Answer::Evaluations(given)) => self.finish_validation(task, &given),
            (phase, _) => {
                self.phase = phase;
                Err(Error::Unasked("it is of another kind"))
            }
        }
    }

    /// Ends the run at the next head of the loop: for deadlines, signals and whatever else the caller watches.
    pub fn stop(&mut self) {
        self.stop_asked = true;
    }

    /// Gives the iteration under way up, for a caller that outlives its adapter's failures. If the iteration has
    /// spent nothing the run ends, since it would fail the same way again.
    pub fn abandon(&mut self, message: impl Into<String>) -> Result<(), Error> {
        if matches!(self.phase, Phase::Seed(_) | Phase::Idle | Phase::Done) {
            return Err(Error::Unasked("no iteration is under way"));
        }
        let will_continue = self.spent > self.spent_before_iteration;
        self.stop_asked |= !will_continue;
        self.tell(Event::Error { iteration: self.iteration, message: message.into(), will_continue });
        self.end_iteration();
        Ok(())
    }

    /// Takes the events since the last call. They are part of the state until taken, so that none is lost or told
    /// twice across a restart.
    pub fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// Tells that the training list has grown to `train`; the order of minibatches is then drawn anew.
    pub fn grow_train(&mut self, train: usize) {
        self.settings.train = self.settings.train.max(train);
    }

    /// Tells that the separate validation list has grown; later candidates are validated on all of it.
    pub fn grow_validation(&mut self, examples: usize) {
        if let Validation::Separate(count) = &mut self.settings.validation {
            *count = examples.max(*count);
        }
    }

    /// Everything that was accepted.
    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    /// The best scores so far and who has them.
    pub fn fronts(&self) -> &Fronts {
        &self.fronts
    }

    /// What the run was told.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The source of chance, as it stands.
    pub fn random(&self) -> &R {
        &self.random
    }

    /// What the run has come to so far; nothing before the seed is validated.
    pub fn outcome(&self) -> Option<Outcome> {
        let best = self.pool.best();
        let member = self.pool.members().get(best)?;
        Some(Outcome {
            best,
            first_best: crate::select::first_best(&self.pool.means()),
            candidate: member.candidate.clone(),
            mean: member.mean(),
            iterations: self.iteration,
            metric_calls: self.spent,
            full_validations: self.full_validations,
        })
    }

    fn tell(&mut self, event: Event) {
        self.events.push(event);
    }

    fn spend(&mut self, calls: u64) {
        self.spent += calls;
        self.tell(Event::BudgetUpdated {
            iteration: self.iteration,
            metric_calls_used: self.spent,
            metric_calls_delta: calls,
        });
    }

    fn remember(
        &mut self,
        candidate: &Candidate,
        split: Split,
        examples: &[usize],
        given: &crate::Evaluation,
    ) {
        if let Some(cache) = &mut self.cache {
            cache.put(candidate, split, examples, given);
        }
    }

    fn end_iteration(&mut self) {
        let proposal_accepted = self.pool.members().len() > self.members_before_iteration;
        let idle = self.spent == self.spent_before_iteration;
        self.idle_iterations = if idle { self.idle_iterations + 1 } else { 0 };
        self.tell(Event::IterationEnd { iteration: self.iteration, proposal_accepted });
        self.phase = Phase::Idle;
    }
}
