//! What a run is told before it starts. The defaults are those of the reference's `optimize`.

use serde::{Deserialize, Serialize};

use crate::{Error, Stopper};

/// Which list an example number counts in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Split {
    Train,
    Validation,
}

/// Where candidates are validated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Validation {
    /// On the training examples themselves; minibatch scores then answer validations through the cache.
    Shared,
    /// On this many examples of their own.
    Separate(usize),
}

/// What candidates are compared on when a parent is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Frontier {
    #[default]
    Instance,
    Objective,
    Hybrid,
    Cartesian,
}

/// Who becomes a parent.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Selector {
    #[default]
    Pareto,
    CurrentBest,
    /// Any member with this probability, else the best.
    EpsilonGreedy(f64),
    /// As `Pareto`, among this many best means.
    TopKPareto(usize),
}

/// Which components a proposal rewrites.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Components {
    #[default]
    RoundRobin,
    All,
}

/// When a child's minibatch lets it into validation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Acceptance {
    #[default]
    StrictImprovement,
    ImprovementOrEqual,
}

impl Acceptance {
    /// Whether sums `before` and `after` let a child in.
    pub fn accepts(self, before: f64, after: f64) -> bool {
        match self {
            Self::StrictImprovement => after > before,
            Self::ImprovementOrEqual => after >= before,
        }
    }
}

/// How many proposals an iteration makes, and from whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sampling {
    #[default]
    SingleMutation,
    SameParent(usize),
    Independent(usize),
    PxN {
        parents: usize,
        each: usize,
    },
}

impl Sampling {
    /// Parents drawn, and minibatches drawn for each.
    pub(crate) fn shape(self) -> (usize, usize) {
        match self {
            Self::SingleMutation => (1, 1),
            Self::SameParent(n) => (1, n),
            Self::Independent(n) => (n, 1),
            Self::PxN { parents, each } => (parents, each),
        }
    }
}

/// Which of an iteration's accepted children are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Selection {
    #[default]
    AllImprovements,
    BestImprovement,
    TopK(usize),
}

/// Crossing two members that descend from one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Merging {
    pub max_accepted: u64,
    /// How many validated examples two members must share.
    pub overlap_floor: usize,
}

impl Default for Merging {
    fn default() -> Self {
        Self { max_accepted: 5, overlap_floor: 5 }
    }
}

/// Which validation examples a candidate is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Policy {
    #[default]
    Full,
    /// Only these; means are over what was scored.
    Only(Vec<usize>),
}

/// What happens when the budget would run out inside an iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Overshoot {
    /// Finish the iteration, as the reference does.
    #[default]
    Allow,
    /// Do not begin an iteration whose worst case does not fit.
    Forbid,
}

/// Everything a run is told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    pub train: usize,
    pub validation: Validation,
    pub seed: u64,
    pub minibatch: usize,
    pub selector: Selector,
    pub frontier: Frontier,
    pub components: Components,
    pub acceptance: Acceptance,
    pub sampling: Sampling,
    pub selection: Selection,
    pub policy: Policy,
    pub merging: Option<Merging>,
    /// A minibatch on which the parent reaches this everywhere is not reflected on.
    pub skip_at: Option<f64>,
    pub cache: bool,
    pub track_best_outputs: bool,
    pub max_metric_calls: Option<u64>,
    /// Bounds a run whose adapter reports no spend; by default `max_metric_calls`.
    pub max_iterations: Option<u64>,
    /// Ends a run after so many iterations in a row without spend.
    pub max_idle_iterations: u64,
    pub overshoot: Overshoot,
    /// Any one of them ends the run.
    pub stoppers: Vec<Stopper>,
}

impl Settings {
    /// The defaults of the reference for these sets and this budget.
    pub fn new(train: usize, validation: Validation, max_metric_calls: u64) -> Self {
        Self {
            train,
            validation,
            seed: 0,
            minibatch: 3,
            selector: Selector::default(),
            frontier: Frontier::default(),
            components: Components::default(),
            acceptance: Acceptance::default(),
            sampling: Sampling::default(),
            selection: Selection::default(),
            policy: Policy::default(),
            merging: None,
            skip_at: Some(1.0),
            cache: false,
            track_best_outputs: true,
            max_metric_calls: Some(max_metric_calls),
            max_iterations: None,
            max_idle_iterations: 10,
            overshoot: Overshoot::default(),
            stoppers: Vec::new(),
        }
    }

    /// Refuses settings under which a run could not work or not end.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let (parents, each) = self.sampling.shape();
        let refuse = |name, problem| Err(Error::Setting { name, problem });
        if self.train == 0 {
            return refuse("train", "must not be empty");
        }
        if self.validation_ids().is_empty() {
            return refuse("validation", "must not be empty");
        }
        if self.minibatch == 0 {
            return refuse("minibatch", "must be at least 1");
        }
        if parents == 0 || each == 0 {
            return refuse("sampling", "must make at least one proposal");
        }
        if self.selection == Selection::TopK(0) || self.selector == Selector::TopKPareto(0) {
            return refuse("selection", "must keep at least one");
        }
        if self.last_iteration().is_none() {
            return refuse("max_iterations", "or `max_metric_calls` must bound the run");
        }
        if self.overshoot == Overshoot::Forbid
            && self.max_metric_calls.is_some_and(|budget| budget < self.validation_ids().len() as u64)
        {
            return refuse("max_metric_calls", "does not cover the validation of the seed");
        }
        Ok(())
    }

    /// The split candidates are validated on.
    pub fn validation_split(&self) -> Split {
        match self.validation {
            Validation::Shared => Split::Train,
            Validation::Separate(_) => Split::Validation,
        }
    }

    /// The validation examples a candidate is asked for now, ascending.
    pub fn validation_ids(&self) -> Vec<usize> {
        let count = match self.validation {
            Validation::Shared => self.train,
            Validation::Separate(count) => count,
        };
        match &self.policy {
            Policy::Full => (0..count).collect(),
            Policy::Only(ids) => (0..count).filter(|id| ids.contains(id)).collect(),
        }
    }

    pub(crate) fn last_iteration(&self) -> Option<u64> {
        self.max_iterations.or(self.max_metric_calls)
    }

    /// What one iteration may cost at most, if the adapter reports no more than its examples.
    pub(crate) fn worst_iteration(&self) -> u64 {
        let (parents, each) = self.sampling.shape();
        let proposals = parents * each;
        let kept = match self.selection {
            Selection::AllImprovements => proposals,
            Selection::BestImprovement => 1,
            Selection::TopK(k) => k.min(proposals),
        };
        let full = self.validation_ids().len();
        let mutation = 2 * proposals * self.minibatch + kept * full;
        let merge = if self.merging.is_some() { crate::merge::TESTED + full } else { 0 };
        mutation.max(merge) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lateral_acceptance_takes_an_equal_child() {
        for (before, after, strict, lateral) in
            [(1.0, 1.5, true, true), (1.0, 1.0, false, true), (1.0, 0.5, false, false)]
        {
            assert_eq!(Acceptance::StrictImprovement.accepts(before, after), strict);
            assert_eq!(Acceptance::ImprovementOrEqual.accepts(before, after), lateral);
        }
    }

    #[test]
    fn a_policy_narrows_validation_to_examples_that_exist() {
        let mut settings = Settings::new(2, Validation::Separate(4), 10);
        settings.policy = Policy::Only(vec![3, 1, 9]);
        assert_eq!(settings.validation_ids(), [1, 3]);
        settings.policy = Policy::Only(vec![9]);
        assert!(settings.check().is_err());
    }
}
