//! Where an iteration stands. Each phase holds what the next one needs and nothing else, so that a state between
//! two phases cannot be written.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};

use crate::{
    Candidate, Dataset, Error, Evaluation, EvaluationJob, Known, Pool, ProposalJob, ReflectionJob, Request,
    Settings, Split, Traces,
};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Phase {
    Seed(Candidate),
    /// Between iterations.
    Idle,
    Parents(Vec<Draw>),
    Reflecting(Vec<Reflecting>),
    Proposing(Vec<Proposing>),
    Trying(Vec<Trying>),
    Merging(MergeTest),
    Validating(Validating),
    Done,
}

/// A parent and the minibatch it will be improved on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Draw {
    pub(super) parent: usize,
    pub(super) minibatch: Vec<usize>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Reflecting {
    pub(super) draw: Draw,
    pub(super) evaluation: Evaluation,
    pub(super) components: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Proposing {
    pub(super) draw: Draw,
    /// The parent's sum on the minibatch.
    pub(super) before: f64,
    pub(super) components: Vec<String>,
    pub(super) dataset: Dataset,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Trying {
    pub(super) draw: Draw,
    pub(super) before: f64,
    pub(super) child: Candidate,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct MergeTest {
    pub(super) candidate: Candidate,
    pub(super) parents: [usize; 2],
    pub(super) examples: Vec<usize>,
    pub(super) to_reach: f64,
    pub(super) known: BTreeMap<usize, Known>,
    pub(super) missing: Vec<usize>,
}

/// How a child that is to be validated came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Origin {
    Reflection,
    Merge,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Accepted {
    pub(super) child: Candidate,
    pub(super) parents: Vec<usize>,
    /// Its sum on the examples it was accepted on.
    pub(super) score: f64,
    pub(super) origin: Origin,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Validating {
    pub(super) current: Accepted,
    pub(super) known: BTreeMap<usize, Known>,
    pub(super) missing: Vec<usize>,
    pub(super) waiting: VecDeque<Accepted>,
}

/// The draws without repetition: the same parent on the same minibatch is paid once.
pub(super) fn distinct(draws: &[Draw]) -> Vec<&Draw> {
    let mut distinct: Vec<&Draw> = Vec::with_capacity(draws.len());
    for draw in draws {
        if !distinct.contains(&draw) {
            distinct.push(draw);
        }
    }
    distinct
}

impl Phase {
    /// What this phase waits for, if anything.
    pub(super) fn request(&self, settings: &Settings, pool: &Pool) -> Result<Option<Request>, Error> {
        let parent = |draw: &Draw| pool.get(draw.parent).map(|member| member.candidate.clone());
        let validation = |candidate: &Candidate, examples: &[usize]| {
            let split = settings.validation_split();
            vec![job(candidate.clone(), split, examples, Traces::Skip)]
        };
        Ok(Some(match self {
            Self::Idle | Self::Done => return Ok(None),
            Self::Seed(seed) => Request::Evaluate(validation(seed, &settings.validation_ids())),
            Self::Parents(draws) => {
                let of = |draw: &Draw| Ok(job(parent(draw)?, Split::Train, &draw.minibatch, Traces::Capture));
                Request::Evaluate(distinct(draws).into_iter().map(of).collect::<Result<_, Error>>()?)
            }
            Self::Reflecting(tasks) => {
                let of = |task: &Reflecting| {
                    Ok(ReflectionJob {
                        candidate: parent(&task.draw)?,
                        examples: task.draw.minibatch.clone(),
                        evaluation: task.evaluation.clone(),
                        components: task.components.clone(),
                    })
                };
                Request::Reflect(tasks.iter().map(of).collect::<Result<_, Error>>()?)
            }
            Self::Proposing(tasks) => {
                let of = |task: &Proposing| {
                    Ok(ProposalJob {
                        candidate: parent(&task.draw)?,
                        components: task.components.clone(),
                        dataset: task.dataset.clone(),
                    })
                };
                Request::Propose(tasks.iter().map(of).collect::<Result<_, Error>>()?)
            }
            Self::Trying(tasks) => {
                let of = |task: &Trying| {
                    job(task.child.clone(), Split::Train, &task.draw.minibatch, Traces::Capture)
                };
                Request::Evaluate(tasks.iter().map(of).collect())
            }
            Self::Merging(test) => Request::Evaluate(validation(&test.candidate, &test.missing)),
            Self::Validating(task) => Request::Evaluate(validation(&task.current.child, &task.missing)),
        }))
    }
}

fn job(candidate: Candidate, split: Split, examples: &[usize], traces: Traces) -> EvaluationJob {
    EvaluationJob { candidate, split, examples: examples.to_vec(), traces }
}
