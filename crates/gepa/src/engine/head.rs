//! The head of the loop: stop, merge, or choose parents.

use std::collections::BTreeSet;

use super::Engine;
use super::phase::{Draw, MergeTest, Phase, distinct};
use crate::stop::Progress;
use crate::{Error, Event, Overshoot, Random, prune, select};

impl<R: Random> Engine<R> {
    pub(super) fn begin_iteration(&mut self) -> Result<(), Error> {
        self.tell(Event::StateSaved { iteration: self.iteration });
        if self.must_stop() {
            self.phase = Phase::Done;
            self.tell(Event::OptimizationEnd {
                best_candidate_idx: self.pool.best(),
                total_iterations: i64::try_from(self.iteration).unwrap_or(i64::MAX) - 1,
                total_metric_calls: self.spent,
            });
            return Ok(());
        }
        self.iteration += 1;
        self.spent_before_iteration = self.spent;
        self.members_before_iteration = self.pool.members().len();
        self.tell(Event::IterationStart { iteration: self.iteration });
        if !self.begin_merge()? {
            self.draw_parents()?;
        }
        Ok(())
    }

    fn must_stop(&mut self) -> bool {
        let best = self.pool.means().into_iter().fold(f64::NEG_INFINITY, f64::max);
        if self.best_seen.is_none_or(|seen| best > seen) {
            self.best_seen = Some(best);
            self.stale_iterations = 0;
        } else {
            self.stale_iterations += 1;
        }
        let now = Progress {
            metric_calls: self.spent,
            iterations: self.iteration,
            best,
            stale: self.stale_iterations,
            candidates: self.pool.members().len(),
            reflection_cost: self.reflection_cost,
        };
        let settings = &self.settings;
        let ahead = if settings.overshoot == Overshoot::Forbid { settings.worst_iteration() } else { 1 };
        self.stop_asked
            || settings.max_metric_calls.is_some_and(|budget| self.spent.saturating_add(ahead) > budget)
            || settings.last_iteration().is_none_or(|last| self.iteration >= last)
            || self.idle_iterations >= settings.max_idle_iterations.max(1)
            || settings.stoppers.iter().any(|stopper| stopper.holds(&now))
    }

    /// Tries a merge if one is due and the last iteration found a child. Whether it took the iteration.
    fn begin_merge(&mut self) -> Result<bool, Error> {
        let Some(merging) = self.settings.merging else { return Ok(false) };
        let found_child = std::mem::take(&mut self.merges.found_child);
        if self.merges.due == 0 || !found_child {
            return Ok(false);
        }
        let kept = prune(&self.fronts.seen_by(self.settings.frontier), &self.pool.means());
        let survivors: BTreeSet<usize> = kept.into_iter().flatten().collect();
        let survivors: Vec<usize> = survivors.into_iter().collect();
        let floor = merging.overlap_floor;
        let Some(merge) = self.merges.propose(&self.pool, &survivors, floor, &mut self.random)? else {
            return Ok(false);
        };
        self.tell(Event::EvaluationStart {
            iteration: self.iteration,
            candidate_idx: None,
            batch_size: merge.examples.len(),
            parent_ids: merge.parents.to_vec(),
        });
        let (known, missing) = self.look_up(&merge.candidate, &merge.examples);
        let test = MergeTest {
            candidate: merge.candidate,
            parents: merge.parents,
            examples: merge.examples,
            to_reach: merge.to_reach,
            known,
            missing,
        };
        if test.missing.is_empty() {
            self.judge_merge(test, &[])?;
        } else {
            self.phase = Phase::Merging(test);
        }
        Ok(true)
    }

    /// Parent first, then its minibatches: both draw from one stream, so the order is part of the algorithm.
    fn draw_parents(&mut self) -> Result<(), Error> {
        let (parents, each) = self.settings.sampling.shape();
        let mut draws = Vec::with_capacity(parents * each);
        for _ in 0..parents {
            let settings = &self.settings;
            let (selector, frontier) = (settings.selector, settings.frontier);
            let parent = select::parent(selector, frontier, &self.pool, &self.fronts, &mut self.random);
            for _ in 0..each {
                let (train, size) = (settings.train, settings.minibatch);
                let minibatch = self.sampler.draw(self.iteration - 1, train, size, &mut self.random);
                draws.push(Draw { parent, minibatch });
            }
        }
        let iteration = self.iteration;
        for Draw { parent, minibatch } in &draws {
            let score = self.pool.get(*parent)?.mean();
            self.tell(Event::CandidateSelected { iteration, candidate_idx: *parent, score });
            self.tell(Event::MinibatchSampled { iteration, minibatch_ids: minibatch.clone() });
        }
        for Draw { parent, minibatch } in distinct(&draws) {
            let parent_ids = self.pool.get(*parent)?.parents.clone();
            self.tell(Event::EvaluationStart {
                iteration,
                candidate_idx: Some(*parent),
                batch_size: minibatch.len(),
                parent_ids,
            });
        }
        self.phase = Phase::Parents(draws);
        Ok(())
    }
}
