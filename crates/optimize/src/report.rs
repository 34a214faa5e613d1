use std::collections::BTreeMap;

use reflexio_types::{CandidateFate, OptimizationCandidate, RolloutVerdict};
use serde::{Deserialize, Serialize};

use crate::{Book, Counts, Decision, Excluded, Refused, Run};

/// What a run came to, for people.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    #[serde(flatten)]
    pub decision: Decision,
    pub metric_calls: u64,
    pub max_metric_calls: u64,
    pub iterations: u64,
    /// Wordings that were tried, without the one that was there.
    pub tried: usize,
    pub accepted: usize,
    #[serde(flatten)]
    pub counts: Counts,
    /// Replays that were answered from what was replayed before.
    pub verdicts: BTreeMap<String, u64>,
    /// Comparisons in which the judge named another winner when the order was swapped.
    pub wavering_judgements: u64,
    pub excluded: Vec<Excluded>,
    pub refused: Vec<Refused>,
    /// Why it ended before its time.
    pub ended_early: Option<String>,
}

impl Run {
    pub fn report(&self, book: &Book) -> Report {
        let outcome = self.engine.outcome();
        let mut verdicts = BTreeMap::new();
        for trial in book.trials() {
            *verdicts.entry(trial.judgement.verdict.as_str().to_owned()).or_insert(0) += 1;
        }
        Report {
            decision: self.decide(book),
            metric_calls: self.metric_calls().0,
            max_metric_calls: self.policy.max_metric_calls,
            iterations: outcome.as_ref().map_or(0, |outcome| outcome.iterations),
            tried: self.wordings.len() - 1,
            accepted: self.engine.pool().members().len().saturating_sub(1),
            counts: self.counts,
            verdicts,
            wavering_judgements: book.trials().filter(|trial| !trial.judgement.orders_agree).count() as u64,
            excluded: self.excluded.clone(),
            refused: self.refused.clone(),
            ended_early: self.spent.clone(),
        }
    }

    /// Every wording that was tried, with its scores.
    pub fn candidates(&self, book: &Book) -> Vec<OptimizationCandidate> {
        let winner = match self.decide(book) {
            Decision::Commit { candidate, .. } => Some(candidate),
            Decision::Keep { .. } => None,
        };
        (0..self.wordings.len()).filter_map(|number| self.candidate(number, winner, book)).collect()
    }

    fn candidate(&self, number: usize, winner: Option<usize>, book: &Book) -> Option<OptimizationCandidate> {
        let wording = self.wordings.get(number)?;
        let members = self.engine.pool().members();
        let member = members
            .iter()
            .find(|member| member.candidate.text(crate::run::CONTENT) == Some(&wording.content));
        let fate = match (number, member) {
            (0, _) => CandidateFate::Incumbent,
            (number, _) if Some(number) == winner => CandidateFate::Winner,
            (_, Some(_)) => CandidateFate::Accepted,
            (_, None) => CandidateFate::Rejected,
        };
        let of_this = |trial: &&crate::Trial| trial.wording == wording.content;
        let scores = book.trials().filter(of_this);
        Some(OptimizationCandidate {
            number: short(number),
            content: wording.content.clone(),
            parents: wording.parents.iter().copied().map(short).collect(),
            mean: member.map(|member| member.mean()),
            scores: scores.map(|trial| (short(trial.window), trial.judgement.score)).collect(),
            fate,
        })
    }

    /// How often the candidate won, for a line of progress.
    pub fn wins(&self, book: &Book) -> usize {
        book.trials().filter(|trial| trial.judgement.verdict == RolloutVerdict::Candidate).count()
    }
}

fn short(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
