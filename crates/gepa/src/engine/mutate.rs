//! A reflective iteration after its parents are drawn: reflect, propose, try, judge.

use std::collections::VecDeque;

use super::Engine;
use super::phase::{Accepted, Draw, Origin, Phase, Proposing, Reflecting, Trying, distinct};
use crate::{Dataset, Error, Evaluation, Event, Proposal, Random, Rejection, Selection, Skip, Split};

/// A tried child with both sums.
struct Tried {
    parent: usize,
    child: crate::Candidate,
    before: f64,
    after: f64,
}

impl<R: Random> Engine<R> {
    pub(super) fn reflect_on(&mut self, draws: Vec<Draw>, given: &[Evaluation]) -> Result<(), Error> {
        let iteration = self.iteration;
        let jobs: Vec<Draw> = distinct(&draws).into_iter().cloned().collect();
        for (job, evaluation) in jobs.iter().zip(given) {
            let member = self.pool.get(job.parent)?;
            let (candidate, parent_ids) = (member.candidate.clone(), member.parents.clone());
            let scores = evaluation.scores.clone();
            self.tell(Event::EvaluationEnd {
                iteration,
                candidate_idx: Some(job.parent),
                scores,
                parent_ids,
            });
            self.spend(evaluation.spend(job.minibatch.len()));
            self.remember(&candidate, Split::Train, &job.minibatch, evaluation);
        }
        let mut tasks = Vec::with_capacity(draws.len());
        for draw in draws {
            let at = jobs.iter().position(|job| *job == draw);
            let evaluation = at.and_then(|at| given.get(at)).ok_or(Error::State("a minibatch is missing"))?;
            if let Some(reason) = self.nothing_to_learn(evaluation) {
                self.tell(Event::EvaluationSkipped { iteration, candidate_idx: draw.parent, reason });
                continue;
            }
            // Only now, so that a skipped iteration does not move the pointer.
            let components = self.pool.choose_components(draw.parent, self.settings.components);
            tasks.push(Reflecting { draw, evaluation: evaluation.clone(), components });
        }
        self.go_on(tasks, Phase::Reflecting);
        Ok(())
    }

    fn nothing_to_learn(&self, evaluation: &Evaluation) -> Option<Skip> {
        if evaluation.trajectories.as_ref().is_none_or(Vec::is_empty) {
            return Some(Skip::NoTrajectories);
        }
        let perfect = self.settings.skip_at?;
        evaluation.scores.iter().all(|score| *score >= perfect).then_some(Skip::AllScoresPerfect)
    }

    pub(super) fn propose_from(
        &mut self,
        tasks: Vec<Reflecting>,
        given: Vec<Option<Dataset>>,
    ) -> Result<(), Error> {
        let iteration = self.iteration;
        let mut proposing = Vec::with_capacity(tasks.len());
        for (task, dataset) in tasks.into_iter().zip(given) {
            let Some(dataset) = dataset else { continue };
            let (candidate_idx, components) = (task.draw.parent, task.components.clone());
            self.tell(Event::ReflectiveDatasetBuilt { iteration, candidate_idx, components });
            let before = task.evaluation.scores.iter().sum();
            proposing.push(Proposing { draw: task.draw, before, components: task.components, dataset });
        }
        for task in &proposing {
            self.tell(Event::ProposalStart { iteration, components: task.components.clone() });
        }
        self.go_on(proposing, Phase::Proposing);
        Ok(())
    }

    pub(super) fn try_children(
        &mut self,
        tasks: Vec<Proposing>,
        given: Vec<Option<Proposal>>,
    ) -> Result<(), Error> {
        let iteration = self.iteration;
        let mut trying = Vec::with_capacity(tasks.len());
        for (task, proposal) in tasks.into_iter().zip(given) {
            let Some(Proposal { texts, cost }) = proposal else { continue };
            self.reflection_cost += if cost.is_finite() { cost.max(0.0) } else { 0.0 };
            self.tell(Event::ProposalEnd { iteration, new_instructions: texts.clone() });
            if !texts.is_empty() {
                let child = self.pool.get(task.draw.parent)?.candidate.with(&texts);
                trying.push(Trying { draw: task.draw, before: task.before, child });
            }
        }
        for Trying { draw, .. } in &trying {
            let (batch_size, parent_ids) = (draw.minibatch.len(), vec![draw.parent]);
            self.tell(Event::EvaluationStart { iteration, candidate_idx: None, batch_size, parent_ids });
        }
        self.go_on(trying, Phase::Trying);
        Ok(())
    }

    pub(super) fn judge_children(&mut self, tasks: Vec<Trying>, given: &[Evaluation]) -> Result<(), Error> {
        let iteration = self.iteration;
        let mut tried = Vec::with_capacity(tasks.len());
        for (Trying { draw, before, child }, evaluation) in tasks.into_iter().zip(given) {
            let (scores, parent_ids) = (evaluation.scores.clone(), vec![draw.parent]);
            let after = scores.iter().sum();
            self.tell(Event::EvaluationEnd { iteration, candidate_idx: None, scores, parent_ids });
            self.spend(evaluation.spend(draw.minibatch.len()));
            self.remember(&child, Split::Train, &draw.minibatch, evaluation);
            tried.push(Tried { parent: draw.parent, child, before, after });
        }
        let kept = self.select_children(&tried);
        if kept.is_empty() {
            self.end_iteration();
            return Ok(());
        }
        self.validate(kept)
    }

    /// The children to validate, in order; tells why the others are not.
    fn select_children(&mut self, tried: &[Tried]) -> VecDeque<Accepted> {
        let acceptance = self.settings.acceptance;
        let improved: Vec<bool> = tried.iter().map(|t| acceptance.accepts(t.before, t.after)).collect();
        let order = keep(self.settings.selection, tried, &improved);
        let mut kept: VecDeque<Accepted> = VecDeque::new();
        let mut rejected = Vec::new();
        for at in order.iter().copied() {
            let Some(Tried { parent, child, after, .. }) = tried.get(at) else { continue };
            if kept.iter().any(|earlier| earlier.child == *child) {
                rejected.push((at, Rejection::Duplicate));
                continue;
            }
            let (child, parents) = (child.clone(), vec![*parent]);
            kept.push_back(Accepted { child, parents, score: *after, origin: Origin::Reflection });
        }
        for (at, improved) in improved.into_iter().enumerate().filter(|(at, _)| !order.contains(at)) {
            rejected.push((at, if improved { Rejection::NotSelected } else { Rejection::NotImproved }));
        }
        rejected.sort_by_key(|(at, _)| *at);
        for (at, reason) in rejected {
            let Some(Tried { before, after, .. }) = tried.get(at) else { continue };
            let (iteration, old_score, new_score) = (self.iteration, *before, *after);
            self.tell(Event::CandidateRejected { iteration, old_score, new_score, reason });
        }
        kept
    }

    fn go_on<T>(&mut self, tasks: Vec<T>, phase: impl FnOnce(Vec<T>) -> Phase) {
        if tasks.is_empty() {
            self.end_iteration();
        } else {
            self.phase = phase(tasks);
        }
    }
}

/// Positions of the children a selection keeps. A larger margin is better; of equals the earlier stays in front.
fn keep(selection: Selection, tried: &[Tried], improved: &[bool]) -> Vec<usize> {
    let mut kept: Vec<(usize, f64)> = tried.iter().map(|t| t.after - t.before).enumerate().collect();
    kept.retain(|(at, _)| improved.get(*at).copied().unwrap_or(false));
    let most = match selection {
        Selection::AllImprovements => kept.len(),
        Selection::BestImprovement => 1,
        Selection::TopK(k) => k,
    };
    if selection != Selection::AllImprovements {
        kept.sort_by(|(_, a), (_, b)| b.partial_cmp(a).unwrap_or(std::cmp::Ordering::Equal));
    }
    kept.into_iter().take(most).map(|(at, _)| at).collect()
}
