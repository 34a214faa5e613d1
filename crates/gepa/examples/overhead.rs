//! What the engine itself costs: 1,000 candidates, 100 validation windows, and a task that answers at once. Time of the processor, so
//! that a busy machine does not count.
//!
//! `cargo run --release -p gepa --example overhead`
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a program for people who measure")]

use std::time::Duration;

use gepa::{
    Acceptance, Answer, Candidate, Dataset, Engine, Evaluation, Next, Proposal, Request, Settings, Validation,
};
use serde_json::Value;

const CANDIDATES: usize = 1_000;
const WINDOWS: usize = 100;
const MEASURED: usize = 200;

fn main() {
    let mut settings = Settings::new(WINDOWS, Validation::Separate(WINDOWS), u64::MAX);
    settings.acceptance = Acceptance::ImprovementOrEqual;
    settings.skip_at = None;
    settings.cache = true;
    let mut engine = Engine::new(settings, Candidate::new([("text", "seed")]).unwrap()).unwrap();
    let mut times: Vec<Duration> = Vec::new();
    while engine.pool().members().len() < CANDIDATES + MEASURED {
        let spent = iteration(&mut engine);
        if engine.pool().members().len() > CANDIDATES {
            times.push(spent);
        }
    }
    times.sort_unstable();
    let mean = times.iter().sum::<Duration>() / times.len() as u32;
    let at = |share: usize| times[(times.len() * share / 100).min(times.len() - 1)];
    println!(
        "{} candidates, {WINDOWS} windows, {} iterations: mean {mean:?}, median {:?}, p99 {:?}, longest {:?}",
        engine.pool().members().len(),
        times.len(),
        at(50),
        at(99),
        at(100)
    );
}

fn now() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or_default())
}

/// One iteration; only what the engine does is timed.
fn iteration(engine: &mut Engine) -> Duration {
    let (mut spent, before) = (Duration::ZERO, engine.pool().members().len());
    while engine.pool().members().len() == before {
        let began = now();
        let next = engine.poll().unwrap();
        spent += now() - began;
        let Next::Need(request) = next else { return spent };
        let answer = answer(&request);
        let began = now();
        engine.answer(answer).unwrap();
        drop(engine.take_events());
        spent += now() - began;
    }
    spent
}

fn answer(request: &Request) -> Answer {
    match request {
        Request::Evaluate(jobs) => Answer::Evaluations(
            jobs.iter()
                .map(|job| {
                    let text = job.candidate.text("text").unwrap();
                    let captured = job.traces == gepa::Traces::Capture;
                    let score = |id: &usize| if captured { 0.5 } else { noise(text, *id) };
                    let mut evaluation = Evaluation::of_scores(job.examples.iter().map(score).collect());
                    evaluation.trajectories = Some(vec![Value::Null; job.examples.len()]);
                    evaluation
                })
                .collect(),
        ),
        Request::Reflect(jobs) => Answer::Datasets(jobs.iter().map(|_| Some(Dataset::new())).collect()),
        Request::Propose(jobs) => Answer::Proposals(
            jobs.iter()
                .map(|job| {
                    let parent = job.candidate.text("text").unwrap();
                    let text = format!("{:016x}", hash(parent).wrapping_mul(31));
                    Some(Proposal { texts: [("text".to_owned(), text)].into(), cost: 0.0 })
                })
                .collect(),
        ),
    }
}

/// Many candidates are best at something, and many are equally good.
fn noise(text: &str, id: usize) -> f64 {
    (hash(&format!("{text}{id}")) >> 20 & 63) as f64 / 64.0
}

fn hash(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
