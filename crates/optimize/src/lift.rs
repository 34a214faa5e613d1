//! Whether a playbook helps at all: the same conversations with and without it, compared by a judge who does not know which
//! is which.

use futures::FutureExt;
use reflexio_types::{RolloutJudgement, RolloutMessage};
use serde::{Deserialize, Serialize};

use crate::rollout::{roll_out, side_by_side};
use crate::{Fault, Pair, Task, World};

/// Windows that are measured at the same time.
const AT_ONCE: usize = 2;
/// Two-sided 95 % points of Student's distribution, by degrees of freedom from 1 on.
const STUDENT: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
    2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
];
const NORMAL: f64 = 1.96;

/// How much a playbook helps, from -1 (it ruins conversations) over 0 (no difference) to 1 (they fail without it).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lift {
    pub lift: f64,
    /// The bounds within which it lies with 95 %; missing with fewer than two windows.
    pub interval: Option<(f64, f64)>,
    pub windows: Vec<LiftWindow>,
    /// Windows that could not be replayed or judged, with the reason.
    pub excluded: Vec<(usize, String)>,
}

/// One window with and without the playbook.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LiftWindow {
    pub window: usize,
    pub lift: f64,
    /// `candidate` is the conversation with the playbook, `incumbent` the one without.
    pub judgement: RolloutJudgement,
    pub with: Vec<RolloutMessage>,
    pub without: Vec<RolloutMessage>,
}

/// Replays these windows with and without the playbook.
pub async fn measure(
    task: &Task,
    windows: &[usize],
    most_turns: usize,
    world: &dyn World,
) -> Result<Lift, Fault> {
    let measuring =
        windows.iter().map(|window| measure_one(task, *window, most_turns, world).boxed()).collect();
    let measured = side_by_side(measuring, AT_ONCE).await;
    let (mut found, mut excluded) = (Vec::new(), Vec::new());
    for (window, measured) in windows.iter().copied().zip(measured) {
        match measured {
            Ok(one) => found.push(one),
            Err(Fault::Failed(reason)) => excluded.push((window, reason)),
            Err(fault) => return Err(fault),
        }
    }
    Ok(lift_of(found, excluded))
}

async fn measure_one(
    task: &Task,
    window: usize,
    most_turns: usize,
    world: &dyn World,
) -> Result<LiftWindow, Fault> {
    let without = roll_out(world, task, None, window, most_turns).await?;
    let with = roll_out(world, task, Some(&task.incumbent), window, most_turns).await?;
    let ideal = task.windows.get(window).map(|window| window.ideal.as_slice()).unwrap_or_default();
    let pair = Pair {
        incumbent: &without,
        candidate: &with,
        trigger: &task.trigger,
        agent_context: task.agent_context.as_deref(),
        ideal,
    };
    let judgement = world.judge(&pair).await?;
    Ok(LiftWindow { window, lift: 2.0 * judgement.score - 1.0, judgement, with, without })
}

/// The mean over windows, with its interval.
pub fn lift_of(windows: Vec<LiftWindow>, excluded: Vec<(usize, String)>) -> Lift {
    let count = windows.len();
    let mean = windows.iter().map(|window| window.lift).sum::<f64>() / count.max(1) as f64;
    let interval = (count >= 2).then(|| {
        let squares: f64 = windows.iter().map(|window| (window.lift - mean).powi(2)).sum();
        let error = (squares / (count - 1) as f64 / count as f64).sqrt();
        let reach = STUDENT.get(count - 2).copied().unwrap_or(NORMAL) * error;
        ((mean - reach).max(-1.0), (mean + reach).min(1.0))
    });
    Lift { lift: mean, interval, windows, excluded }
}

#[cfg(test)]
mod tests {
    use reflexio_types::RolloutVerdict;

    use super::*;

    fn window(window: usize, lift: f64) -> LiftWindow {
        let judgement = RolloutJudgement {
            score: (lift + 1.0) / 2.0,
            verdict: RolloutVerdict::Tie,
            likert: 3,
            rationale: String::new(),
            failure_modes: Vec::new(),
            regressions: Vec::new(),
            winning_behaviors: Vec::new(),
            missing_instruction: None,
            recommended_mutation: None,
            orders_agree: true,
            judged_by: String::new(),
        };
        LiftWindow { window, lift, judgement, with: Vec::new(), without: Vec::new() }
    }

    #[test]
    fn the_interval_is_students_and_one_window_has_none() {
        let lift = lift_of(
            [0.2, 0.4, 0.6].into_iter().enumerate().map(|(at, lift)| window(at, lift)).collect(),
            vec![],
        );
        assert!((lift.lift - 0.4).abs() < 1e-9);
        let (low, high) = lift.interval.unwrap();
        // 4.303 * 0.2 / sqrt(3) = 0.4969
        assert!((low + 0.0969).abs() < 1e-3 && (high - 0.8969).abs() < 1e-3, "{low} {high}");
        assert_eq!(lift_of(vec![window(0, 0.5)], vec![]).interval, None);
        assert_eq!(lift_of(vec![], vec![]).lift, 0.0);
    }
}
