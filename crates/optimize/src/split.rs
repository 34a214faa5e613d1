use serde::{Deserialize, Serialize};

use crate::Policy;

/// Which windows are trained on, and which are held out. Numbers of windows of the [`crate::Task`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Split {
    pub train: Vec<usize>,
    pub validation: Vec<usize>,
}

/// Why nothing can be optimised.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoSplit {
    #[error("none of its source windows has a turn of a user to replay")]
    NoWindows,
    #[error(
        "only {held_out} of {windows} source windows can be held out, and a commit needs {needed}; wait for more source \
         windows or lower `min_commit_windows`"
    )]
    TooFew { windows: usize, held_out: usize, needed: usize },
    #[error(
        "`max_metric_calls` is {budget}, which does not pay for {needed}, the validation of the present wording and one \
         proposal; raise it"
    )]
    Budget { budget: u64, needed: u64 },
}

impl Split {
    /// Holds out the first windows, as many as the policy allows, and trains on the rest. The only window serves as both.
    pub fn of(windows: usize, policy: &Policy) -> Result<Self, NoSplit> {
        if windows == 0 {
            return Err(NoSplit::NoWindows);
        }
        let held_out = if windows == 1 { 1 } else { policy.max_validation_windows.min(windows - 1) };
        if held_out < policy.min_commit_windows {
            return Err(NoSplit::TooFew { windows, held_out, needed: policy.min_commit_windows });
        }
        let split = Self {
            validation: (0..held_out).collect(),
            train: if windows == 1 { vec![0] } else { (held_out..windows).collect() },
        };
        let needed = held_out as u64 + split.worst_iteration(policy);
        if policy.max_metric_calls < needed {
            return Err(NoSplit::Budget { budget: policy.max_metric_calls, needed });
        }
        Ok(split)
    }

    /// Whether one window is trained on and validated with.
    pub fn is_shared(&self) -> bool {
        self.train == self.validation
    }

    /// A minibatch is never larger than what there is to train on: each copy of a window would be paid.
    pub(crate) fn minibatch(&self, policy: &Policy) -> usize {
        policy.reflection_minibatch_size.clamp(1, self.train.len().max(1))
    }

    /// What one proposal costs at most.
    pub(crate) fn worst_iteration(&self, policy: &Policy) -> u64 {
        (2 * self.minibatch(policy) + self.validation.len()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(windows: usize, max: usize, min: usize) -> Result<(usize, usize), NoSplit> {
        let policy = Policy { max_validation_windows: max, min_commit_windows: min, ..Policy::default() };
        Split::of(windows, &policy).map(|split| (split.validation.len(), split.train.len()))
    }

    #[test]
    fn the_first_windows_are_held_out_and_one_is_left_to_train_on() {
        assert_eq!(split(3, 2, 2), Ok((2, 1)));
        assert_eq!(split(9, 2, 2), Ok((2, 7)));
        assert_eq!(split(9, 4, 2), Ok((4, 5)));
        assert_eq!(split(2, 2, 1), Ok((1, 1)));
        assert_eq!(split(1, 2, 1), Ok((1, 1)));
        let shared = Split::of(1, &Policy { min_commit_windows: 1, ..Policy::default() }).unwrap();
        assert!(shared.is_shared());
    }

    #[test]
    fn a_holdout_that_no_winner_could_satisfy_is_not_searched() {
        assert_eq!(split(2, 2, 2), Err(NoSplit::TooFew { windows: 2, held_out: 1, needed: 2 }));
        assert_eq!(split(1, 2, 2), Err(NoSplit::TooFew { windows: 1, held_out: 1, needed: 2 }));
        assert_eq!(split(0, 2, 1), Err(NoSplit::NoWindows));
        let poor = Policy { max_metric_calls: 5, ..Policy::default() };
        assert_eq!(Split::of(3, &poor), Err(NoSplit::Budget { budget: 5, needed: 6 }));
    }
}
