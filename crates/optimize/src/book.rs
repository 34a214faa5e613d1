use std::collections::BTreeMap;

use reflexio_types::{RolloutJudgement, RolloutMessage};

/// What was said in replays: kept apart from the run, since these are the words of users.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Book {
    incumbent: BTreeMap<usize, Vec<RolloutMessage>>,
    trials: BTreeMap<(String, usize), Trial>,
}

/// One wording replayed in one window, and what the judge said of it. Never made twice.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    pub wording: String,
    pub window: usize,
    pub rollout: Vec<RolloutMessage>,
    pub judgement: RolloutJudgement,
}

impl Book {
    /// The conversation of a window under the wording that was there.
    pub fn incumbent(&self, window: usize) -> Option<&[RolloutMessage]> {
        self.incumbent.get(&window).map(Vec::as_slice)
    }

    pub fn trial(&self, wording: &str, window: usize) -> Option<&Trial> {
        self.trials.get(&(wording.to_owned(), window))
    }

    pub fn trials(&self) -> impl Iterator<Item = &Trial> {
        self.trials.values()
    }

    pub fn incumbents(&self) -> impl Iterator<Item = (usize, &[RolloutMessage])> {
        self.incumbent.iter().map(|(window, rollout)| (*window, rollout.as_slice()))
    }

    pub fn note_incumbent(&mut self, window: usize, rollout: Vec<RolloutMessage>) {
        self.incumbent.insert(window, rollout);
    }

    pub fn note(&mut self, trial: Trial) {
        self.trials.insert((trial.wording.clone(), trial.window), trial);
    }
}
