use reflexio_types::RolloutVerdict;
use serde::{Deserialize, Serialize};

use crate::run::CONTENT;
use crate::{Book, Run};

/// What a run that is over comes to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "decision", rename_all = "snake_case")]
pub enum Decision {
    /// The wording may become a successor.
    Commit { candidate: usize, content: String, mean: f64, won: usize },
    /// Everything stays as it is.
    Keep { reason: String },
}

impl Run {
    /// Whether the best wording won by enough, in enough of the windows that it was not trained on.
    pub fn decide(&self, book: &Book) -> Decision {
        let keep = |reason: String| Decision::Keep { reason };
        let Some(outcome) = self.engine.outcome() else { return keep("nothing was tried".to_owned()) };
        let best = outcome.candidate.text(CONTENT).unwrap_or_default().to_owned();
        let Some(number) = self.number_of(&best).filter(|number| *number > 0) else {
            return keep(self.nothing_better());
        };
        let policy = &self.policy;
        let judged: Vec<_> = self
            .split
            .validation
            .iter()
            .filter_map(|window| book.trial(&best, *window))
            .map(|trial| &trial.judgement)
            .collect();
        if judged.is_empty() {
            return keep("the best wording could not be judged in any held-out window".to_owned());
        }
        // Over what was really judged: a window that failed says nothing.
        let mean = judged.iter().map(|judgement| judgement.score).sum::<f64>() / judged.len() as f64;
        let won = judged
            .iter()
            .filter(|judgement| {
                judgement.verdict == RolloutVerdict::Candidate
                    && judgement.score >= policy.min_commit_score
                    && judgement.likert >= policy.min_commit_likert
            })
            .count();
        if mean < policy.min_commit_score {
            return keep(format!(
                "the best wording scores {mean:.2} in the held-out windows, and a commit needs {:.2} (`min_commit_score`)",
                policy.min_commit_score
            ));
        }
        if won < policy.min_commit_windows {
            return keep(format!(
                "the best wording wins in {won} of {} held-out windows, and a commit needs {} (`min_commit_windows`)",
                self.split.validation.len(),
                policy.min_commit_windows
            ));
        }
        Decision::Commit { candidate: number, content: best, mean, won }
    }

    fn nothing_better(&self) -> String {
        let tried = self.wordings.len() - 1;
        match (tried, &self.spent) {
            (_, Some(why)) => format!("the run ended before anything better was found: {why}"),
            (0, None) => "no new wording could be tried".to_owned(),
            (tried, None) => format!("none of {tried} new wordings did better than the one that is there"),
        }
    }
}
