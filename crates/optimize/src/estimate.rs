use reflexio_llm::tokens;
use serde::{Deserialize, Serialize};

use crate::{Policy, Split, Task};

/// What an answer is taken to be, in tokens.
const ANSWER: u64 = 250;
/// The instructions of a prompt, in tokens.
const INSTRUCTIONS: u64 = 700;
/// A run that tries less is left to chance.
const FEWEST_PROPOSALS: u64 = 2;

/// What a run may cost at most, said before it begins.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    pub windows: usize,
    pub held_out: usize,
    pub metric_calls: u64,
    /// If every proposal is accepted and validated.
    pub proposals_at_least: u64,
    /// If none is.
    pub proposals_at_most: u64,
    pub assistant_calls: u64,
    pub judge_calls: u64,
    pub reflection_calls: u64,
    /// Of judge and reflection, and of a playbook as the assistant; what another assistant costs is its own affair.
    pub prompt_tokens: u64,
    pub output_tokens: u64,
    /// In dollars; missing where prices are not known. With a playbook as the assistant it is no bound any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// What a playbook as the assistant asks of models; it is part of the figures above.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub playbook: Option<PlaybookCalls>,
    #[serde(default)]
    pub warnings: Vec<String>,
}

/// What a playbook as the assistant is expected to ask of models. How often it does, only earlier runs can tell.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PlaybookCalls {
    /// Calls for one answer.
    pub per_answer: f64,
    /// So many earlier runs say so; without any it is assumed.
    pub measured_in: usize,
    pub calls: u64,
    /// A conversation that asks more often ends there.
    pub most_per_conversation: u64,
    pub prompt_tokens: u64,
    /// In dollars.
    pub cost_usd: f64,
}

impl Estimate {
    /// Adds what the assistant itself asks of models.
    pub fn count_playbook(&mut self, playbook: PlaybookCalls) {
        self.prompt_tokens += playbook.prompt_tokens;
        self.output_tokens += playbook.calls * ANSWER;
        self.cost_usd = self.cost_usd.map(|cost| cost + playbook.cost_usd);
        self.playbook = Some(playbook);
    }

    pub fn of(task: &Task, split: &Split, policy: &Policy) -> Self {
        let held_out = split.validation.len() as u64;
        let left = policy.max_metric_calls.saturating_sub(held_out);
        let minibatch = split.minibatch(policy) as u64;
        let proposals_at_least = left / split.worst_iteration(policy).max(1);
        let proposals_at_most = left / minibatch;
        let turns = |window: usize| task.turns(window, policy.max_turns) as u64;
        let longest = (0..task.windows.len()).map(turns).max().unwrap_or(0);
        let said = |window: usize| -> u64 {
            let turns =
                task.windows.get(window).map(|window| window.user_turns.as_slice()).unwrap_or_default();
            turns.iter().take(policy.max_turns).map(|text| tokens::of_text(text)).sum()
        };
        let most_said = (0..task.windows.len()).map(said).max().unwrap_or(0);
        let conversation = most_said + longest * ANSWER;
        let judge_calls = 2 * left;
        let rule = tokens::of_text(&task.incumbent);
        let judged = judge_calls * (INSTRUCTIONS + 2 * conversation);
        let reflected = proposals_at_most * (INSTRUCTIONS + rule + minibatch * (2 * conversation + ANSWER));
        let mut estimate = Self {
            windows: task.windows.len(),
            held_out: split.validation.len(),
            metric_calls: policy.max_metric_calls,
            proposals_at_least,
            proposals_at_most,
            assistant_calls: (0..task.windows.len()).map(turns).sum::<u64>() + left * longest,
            judge_calls,
            reflection_calls: proposals_at_most,
            prompt_tokens: judged + reflected,
            output_tokens: judge_calls * ANSWER + proposals_at_most * (rule + ANSWER),
            cost_usd: None,
            playbook: None,
            warnings: Vec::new(),
        };
        estimate.warn(split, policy);
        estimate
    }

    fn warn(&mut self, split: &Split, policy: &Policy) {
        if self.proposals_at_least < FEWEST_PROPOSALS {
            let enough = split.validation.len() as u64 + FEWEST_PROPOSALS * split.worst_iteration(policy);
            self.warnings.push(format!(
                "`max_metric_calls` of {} may not pay for two proposals; {enough} would",
                policy.max_metric_calls
            ));
        }
        if split.is_shared() {
            self.warnings.push(
                "the only source window is trained on and validated with, so a win is not measured on anything unseen"
                    .to_owned(),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Window;

    fn task(windows: usize) -> Task {
        let user_turns = vec!["one".to_owned(), "two".to_owned()];
        let window = Window { user_turns, ideal: Vec::new(), session: None };
        Task {
            playbook_id: 1,
            incumbent: "Be brief.".to_owned(),
            trigger: String::new(),
            agent_context: None,
            windows: vec![window; windows],
        }
    }

    #[test]
    fn the_defaults_pay_for_four_to_eighteen_proposals() {
        let policy = Policy::default();
        let split = Split::of(3, &policy).unwrap();
        let estimate = Estimate::of(&task(3), &split, &policy);
        assert_eq!((estimate.proposals_at_least, estimate.proposals_at_most), (4, 18));
        assert_eq!((estimate.assistant_calls, estimate.judge_calls), (3 * 2 + 18 * 2, 36));
        assert_eq!(estimate.warnings, [] as [&str; 0]);
    }

    #[test]
    fn a_budget_that_cannot_pay_for_two_proposals_is_warned_about() {
        let policy = Policy { max_metric_calls: 7, ..Policy::default() };
        let split = Split::of(3, &policy).unwrap();
        let warnings = Estimate::of(&task(3), &split, &policy).warnings;
        assert!(warnings[0].contains("10 would"), "{warnings:?}");
    }
}
