//! Whether an answer fits its request. Everything is checked before anything changes.

use crate::{Answer, Error, Frontier, Proposal, ProposalJob, Request};

pub(super) fn fits(request: &Request, answer: &Answer, frontier: Frontier) -> Result<(), Error> {
    match (request, answer) {
        (Request::Evaluate(jobs), Answer::Evaluations(evaluations)) => {
            same_length(jobs.len(), evaluations.len())?;
            jobs.iter().zip(evaluations).try_for_each(|(job, evaluation)| evaluation.check(job, frontier))
        }
        (Request::Reflect(jobs), Answer::Datasets(datasets)) => same_length(jobs.len(), datasets.len()),
        (Request::Propose(jobs), Answer::Proposals(proposals)) => {
            same_length(jobs.len(), proposals.len())?;
            let made =
                jobs.iter().zip(proposals).filter_map(|(job, made)| made.as_ref().map(|made| (job, made)));
            made.into_iter().try_for_each(|(job, made)| only_known_components(job, made))
        }
        (Request::Evaluate(_) | Request::Reflect(_) | Request::Propose(_), _) => {
            Err(Error::Unasked("it is of another kind"))
        }
    }
}

fn same_length(jobs: usize, answers: usize) -> Result<(), Error> {
    if jobs == answers { Ok(()) } else { Err(Error::Unasked("it must have one entry per job")) }
}

fn only_known_components(job: &ProposalJob, made: &Proposal) -> Result<(), Error> {
    match made.texts.keys().find(|name| job.candidate.text(name).is_none()) {
        Some(unknown) => Err(Error::UnknownComponent(unknown.clone())),
        None => Ok(()),
    }
}
