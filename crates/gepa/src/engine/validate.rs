//! Full validation: the only way into the pool.

use std::collections::{BTreeMap, VecDeque};

use super::Engine;
use super::phase::{Accepted, MergeTest, Origin, Phase, Validating};
use crate::{Candidate, Error, Evaluation, Event, Known, Random};

impl<R: Random> Engine<R> {
    /// The seed enters the pool.
    pub(super) fn plant(&mut self, seed: Candidate, given: &[Evaluation]) -> Result<(), Error> {
        let evaluation = given.first().ok_or(Error::State("an evaluation is missing"))?;
        let ids = self.settings.validation_ids();
        self.remember(&seed, self.settings.validation_split(), &ids, evaluation);
        self.spent = ids.len() as u64;
        self.full_validations = 1;
        self.enter(seed, Vec::new(), &Known::of(&ids, evaluation).collect(), 0)?;
        self.phase = Phase::Idle;
        Ok(())
    }

    /// Validates children one after the other; each may be answered in part by what the one before was asked.
    pub(super) fn validate(&mut self, mut waiting: VecDeque<Accepted>) -> Result<(), Error> {
        while let Some(current) = waiting.pop_front() {
            let (known, missing) = self.look_up(&current.child, &self.settings.validation_ids());
            if !missing.is_empty() {
                self.phase = Phase::Validating(Validating { current, known, missing, waiting });
                return Ok(());
            }
            self.settle(current, &known, 0)?;
        }
        self.end_iteration();
        Ok(())
    }

    pub(super) fn finish_validation(&mut self, task: Validating, given: &[Evaluation]) -> Result<(), Error> {
        let Validating { current, mut known, missing, waiting } = task;
        self.fill(&current.child, &mut known, &missing, given);
        self.settle(current, &known, missing.len() as u64)?;
        self.validate(waiting)
    }

    /// A merge is accepted if it does at least as well as the better parent on the tested examples.
    pub(super) fn judge_merge(&mut self, test: MergeTest, given: &[Evaluation]) -> Result<(), Error> {
        let MergeTest { candidate, parents, examples, to_reach, mut known, missing } = test;
        self.fill(&candidate, &mut known, &missing, given);
        let scores: Vec<f64> =
            examples.iter().filter_map(|id| known.get(id)).map(|known| known.score).collect();
        let (iteration, parent_ids) = (self.iteration, parents.to_vec());
        let score: f64 = scores.iter().sum();
        self.tell(Event::EvaluationEnd {
            iteration,
            candidate_idx: None,
            scores,
            parent_ids: parent_ids.clone(),
        });
        self.spend(missing.len() as u64);
        let merged_candidate = candidate.to_map();
        self.tell(Event::MergeAttempted { iteration, parent_ids: parent_ids.clone(), merged_candidate });
        if score >= to_reach {
            let merged = Accepted { child: candidate, parents: parent_ids, score, origin: Origin::Merge };
            return self.validate(VecDeque::from([merged]));
        }
        self.tell(Event::MergeRejected { iteration, parent_ids });
        self.end_iteration();
        Ok(())
    }

    pub(super) fn look_up(
        &self,
        candidate: &Candidate,
        examples: &[usize],
    ) -> (BTreeMap<usize, Known>, Vec<usize>) {
        match &self.cache {
            Some(cache) => cache.look_up(candidate, self.settings.validation_split(), examples),
            None => (BTreeMap::new(), examples.to_vec()),
        }
    }

    fn fill(
        &mut self,
        candidate: &Candidate,
        known: &mut BTreeMap<usize, Known>,
        missing: &[usize],
        given: &[Evaluation],
    ) {
        if let Some(evaluation) = given.first() {
            known.extend(Known::of(missing, evaluation));
            self.remember(candidate, self.settings.validation_split(), missing, evaluation);
        }
    }

    /// A validated child enters the pool. It was discovered at the spend before its own validation.
    fn settle(
        &mut self,
        accepted: Accepted,
        known: &BTreeMap<usize, Known>,
        misses: u64,
    ) -> Result<(), Error> {
        let Accepted { child, parents: parent_ids, score: new_score, origin } = accepted;
        let iteration = self.iteration;
        let discovered_at = self.spent;
        self.spend(misses);
        self.full_validations += 1;
        let new_candidate_idx = self.enter(child, parent_ids.clone(), known, discovered_at)?;
        if origin == Origin::Merge {
            self.merges.due = self.merges.due.saturating_sub(1);
            self.merges.accepted += 1;
            self.tell(Event::MergeAccepted { iteration, new_candidate_idx, parent_ids: parent_ids.clone() });
        }
        self.tell(Event::CandidateAccepted { iteration, new_candidate_idx, new_score, parent_ids });
        if let (Origin::Reflection, Some(merging)) = (origin, self.settings.merging) {
            self.merges.found_child = true;
            self.merges.due += u64::from(self.merges.accepted < merging.max_accepted);
        }
        Ok(())
    }

    fn enter(
        &mut self,
        candidate: Candidate,
        parents: Vec<usize>,
        known: &BTreeMap<usize, Known>,
        discovered_at: u64,
    ) -> Result<usize, Error> {
        let frontier = self.settings.frontier;
        let before = self.fronts.holders(frontier);
        let number = self.pool.add(candidate, parents, known, discovered_at);
        let member = self.pool.get(number)?;
        self.fronts.enter(number, known, &member.objectives, frontier);
        if self.settings.track_best_outputs {
            self.fronts.keep_outputs(number, known);
        }
        let told = Event::ValsetEvaluated {
            iteration: self.iteration,
            candidate_idx: number,
            scores_by_val_id: member.scores.clone(),
            average_score: member.mean(),
            is_best_program: self.pool.best() == number,
        };
        if number > 0 {
            let after = self.fronts.holders(frontier);
            self.tell(Event::ParetoFrontUpdated {
                iteration: self.iteration,
                displaced_candidates: before.difference(&after).copied().collect(),
                new_front: after.into_iter().collect(),
            });
        }
        self.tell(told);
        Ok(number)
    }
}
