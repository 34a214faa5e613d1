//! When a run ends. Asked only between iterations.

use serde::{Deserialize, Serialize};

/// A reason to stop. Deadlines, signals and stop files are the caller's: it calls [`crate::Engine::stop`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stopper {
    MetricCalls(u64),
    Proposals(u64),
    /// The best mean has reached this.
    Score(f64),
    /// So many iterations in a row did not raise the best mean.
    NoImprovement(u64),
    Candidates(usize),
    ReflectionCost(f64),
    Any(Vec<Stopper>),
    All(Vec<Stopper>),
}

/// What stoppers look at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Progress {
    pub(crate) metric_calls: u64,
    pub(crate) iterations: u64,
    pub(crate) best: f64,
    pub(crate) stale: u64,
    pub(crate) candidates: usize,
    pub(crate) reflection_cost: f64,
}

impl Stopper {
    pub(crate) fn holds(&self, now: &Progress) -> bool {
        match self {
            Self::MetricCalls(most) => now.metric_calls >= *most,
            Self::Proposals(most) => now.iterations >= *most,
            Self::Score(enough) => now.best >= *enough,
            Self::NoImprovement(most) => now.stale >= *most,
            Self::Candidates(most) => now.candidates >= *most,
            Self::ReflectionCost(most) => now.reflection_cost >= *most,
            Self::Any(inner) => inner.iter().any(|stopper| stopper.holds(now)),
            Self::All(inner) => inner.iter().all(|stopper| stopper.holds(now)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_stopper_holds_at_its_bound_and_not_before() {
        let now = Progress {
            metric_calls: 10,
            iterations: 4,
            best: 0.5,
            stale: 2,
            candidates: 3,
            reflection_cost: 1.5,
        };
        let at = [
            Stopper::MetricCalls(10),
            Stopper::Proposals(4),
            Stopper::Score(0.5),
            Stopper::NoImprovement(2),
            Stopper::Candidates(3),
            Stopper::ReflectionCost(1.5),
        ];
        let before = [
            Stopper::MetricCalls(11),
            Stopper::Proposals(5),
            Stopper::Score(0.6),
            Stopper::NoImprovement(3),
            Stopper::Candidates(4),
            Stopper::ReflectionCost(1.6),
        ];
        assert!(at.iter().all(|stopper| stopper.holds(&now)));
        assert!(!before.iter().any(|stopper| stopper.holds(&now)));
        assert!(Stopper::All(at.to_vec()).holds(&now));
        assert!(!Stopper::Any(before.to_vec()).holds(&now));
        let mixed = vec![at[0].clone(), before[0].clone()];
        assert!(Stopper::Any(mixed.clone()).holds(&now));
        assert!(!Stopper::All(mixed).holds(&now));
    }
}
