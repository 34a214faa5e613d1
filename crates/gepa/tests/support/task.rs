//! A task whose scores are up to the test.
#![expect(unreachable_pub, reason = "a module of a test")]

use std::collections::BTreeMap;

use gepa::{
    Answer, Candidate, Dataset, Engine, Evaluation, EvaluationJob, Event, Next, Proposal, Request, Settings,
};
use serde_json::Value;

pub fn seed() -> Candidate {
    Candidate::new([("text", "seed")]).unwrap()
}

/// A task whose score is up to the test; every proposal appends a number.
pub struct Task<S> {
    pub engine: Engine,
    score: S,
    pub metric_calls: Option<u64>,
    proposals: usize,
    pub events: Vec<Event>,
}

impl<S: Fn(&EvaluationJob, usize) -> f64> Task<S> {
    pub fn new(settings: Settings, score: S) -> Self {
        let engine = Engine::new(settings, seed()).unwrap();
        Self { engine, score, metric_calls: None, proposals: 0, events: Vec::new() }
    }

    fn evaluation(&self, job: &EvaluationJob) -> Evaluation {
        let scores = job.examples.iter().map(|example| (self.score)(job, *example)).collect();
        Evaluation {
            trajectories: Some(vec![Value::Null; job.examples.len()]),
            metric_calls: self.metric_calls,
            ..Evaluation::of_scores(scores)
        }
    }

    pub fn next(&mut self) -> Option<Request> {
        let next = self.engine.poll().unwrap();
        self.events.extend(self.engine.take_events());
        match next {
            Next::Need(request) => Some(request),
            Next::Done => None,
        }
    }

    pub fn answer(&mut self, request: &Request) {
        let answer = match request {
            Request::Evaluate(jobs) => {
                Answer::Evaluations(jobs.iter().map(|job| self.evaluation(job)).collect())
            }
            Request::Reflect(jobs) => Answer::Datasets(jobs.iter().map(|_| Some(Dataset::new())).collect()),
            Request::Propose(jobs) => {
                self.proposals += jobs.len();
                let text = |at: usize| format!("child {}", self.proposals + at);
                let texts = |at| BTreeMap::from([("text".to_owned(), text(at))]);
                let given = (0..jobs.len()).map(|at| Some(Proposal { texts: texts(at), cost: 2.0 }));
                Answer::Proposals(given.collect())
            }
        };
        self.engine.answer(answer).unwrap();
    }

    pub fn run(mut self) -> Self {
        while let Some(request) = self.next() {
            self.answer(&request);
        }
        self
    }

    pub fn metric_calls(&self) -> u64 {
        self.engine.outcome().unwrap().metric_calls
    }

    pub fn iterations(&self) -> u64 {
        self.engine.outcome().unwrap().iterations
    }
}

/// Later children are better.
pub fn rising(job: &EvaluationJob, _: usize) -> f64 {
    let number = job.candidate.text("text").and_then(|text| text.strip_prefix("child "));
    number.map_or(0.0, |number| number.parse::<f64>().unwrap() / 1024.0)
}

pub fn names(events: &[Event]) -> Vec<String> {
    let name = |event| serde_json::to_value(event).unwrap().as_object().unwrap().keys().next().cloned();
    events.iter().filter_map(name).collect()
}
