//! Driving an engine in one process.

use crate::{
    Answer, Dataset, Engine, Error, Evaluation, EvaluationJob, Event, Next, Proposal, ProposalJob, Random,
    ReflectionJob, Request,
};

/// The task: what scores candidates and what writes new ones.
pub trait Adapter {
    type Error;
    /// Scores a candidate. An example that fails is a low score, not an error.
    fn evaluate(&mut self, job: &EvaluationJob) -> Result<Evaluation, Self::Error>;
    /// Makes the records to learn from; `None` gives this proposal up.
    fn reflect(&mut self, job: &ReflectionJob) -> Result<Option<Dataset>, Self::Error>;
    /// Writes new texts; `None` gives this proposal up. Retries are the business of whoever calls the model.
    fn propose(&mut self, job: &ProposalJob) -> Result<Option<Proposal>, Self::Error>;
}

/// Whether a run goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    Answered,
    Done,
}

/// Why a step failed. The engine has not moved and can be asked again.
#[derive(Debug, thiserror::Error)]
pub enum Failure<E> {
    #[error("the adapter failed")]
    Adapter(#[source] E),
    #[error(transparent)]
    Engine(#[from] Error),
}

/// Answers one request. The caller may store the engine before and after.
pub fn step<R: Random, A: Adapter>(
    engine: &mut Engine<R>,
    adapter: &mut A,
) -> Result<Step, Failure<A::Error>> {
    let Next::Need(request) = engine.poll()? else { return Ok(Step::Done) };
    let answer = match request {
        Request::Evaluate(jobs) => {
            let given: Result<_, _> = jobs.iter().map(|job| adapter.evaluate(job)).collect();
            Answer::Evaluations(given.map_err(Failure::Adapter)?)
        }
        Request::Reflect(jobs) => {
            let given: Result<_, _> = jobs.iter().map(|job| adapter.reflect(job)).collect();
            Answer::Datasets(given.map_err(Failure::Adapter)?)
        }
        Request::Propose(jobs) => {
            let given: Result<_, _> = jobs.iter().map(|job| adapter.propose(job)).collect();
            Answer::Proposals(given.map_err(Failure::Adapter)?)
        }
    };
    engine.answer(answer)?;
    Ok(Step::Answered)
}

/// Runs to the end, telling `watch` each event as it happens.
///
/// ```
/// use gepa::{Adapter, Candidate, Dataset, Engine, Evaluation, Proposal, Settings, Validation};
/// use gepa::{EvaluationJob, ProposalJob, ReflectionJob};
///
/// /// Likes long texts.
/// struct Longer;
///
/// impl Adapter for Longer {
///     type Error = std::convert::Infallible;
///     fn evaluate(&mut self, job: &EvaluationJob) -> Result<Evaluation, Self::Error> {
///         let length = job.candidate.text("prompt").map_or(0, str::len);
///         let mut evaluation = Evaluation::of_scores(vec![length as f64 / 100.0; job.examples.len()]);
///         evaluation.trajectories = Some(evaluation.outputs.clone());
///         Ok(evaluation)
///     }
///     fn reflect(&mut self, _: &ReflectionJob) -> Result<Option<Dataset>, Self::Error> {
///         Ok(Some(Dataset::new()))
///     }
///     fn propose(&mut self, job: &ProposalJob) -> Result<Option<Proposal>, Self::Error> {
///         let longer = |name: &String| Some((name.clone(), format!("{}, please", job.candidate.text(name)?)));
///         Ok(Some(Proposal { texts: job.components.iter().filter_map(longer).collect(), cost: 0.0 }))
///     }
/// }
///
/// let seed = Candidate::new([("prompt", "Answer")])?;
/// let mut engine = Engine::new(Settings::new(4, Validation::Separate(2), 40), seed)?;
/// gepa::run(&mut engine, &mut Longer, |_event| {})?;
/// assert!(engine.outcome().is_some_and(|outcome| outcome.candidate.text("prompt") > Some("Answer, please, please")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn run<R: Random, A: Adapter>(
    engine: &mut Engine<R>,
    adapter: &mut A,
    mut watch: impl FnMut(&Event),
) -> Result<(), Failure<A::Error>> {
    loop {
        let step = step(engine, adapter)?;
        engine.take_events().iter().for_each(&mut watch);
        if step == Step::Done {
            return Ok(());
        }
    }
}
