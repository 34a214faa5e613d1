use std::collections::BTreeMap;

use reflexio_types::{JobProgress, Timestamp};

use super::plan::Step;
use super::rows::Rows;

/// What a job learned.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Learnt {
    pub windows: u64,
    /// Turns that were new in these windows.
    pub turns: u64,
    pub profiles: u64,
    pub playbooks: u64,
    /// Facts that users wanted forgotten.
    pub forgotten: u64,
    /// How many items are not stored, by reason: without evidence, empty, or said before.
    pub left_out: BTreeMap<&'static str, u64>,
    /// When the latest of the turns came that wait for their window to fill.
    pub waiting_since: Option<Timestamp>,
}

impl Learnt {
    /// How many items are not stored.
    pub fn dropped(&self) -> u64 {
        self.left_out.values().sum()
    }

    pub(super) fn read(&mut self, step: &Step<'_>, left_out: BTreeMap<&'static str, u32>) {
        self.windows += 1;
        self.turns += step.turns.len().saturating_sub(step.known) as u64;
        for (reason, count) in left_out {
            *self.left_out.entry(reason).or_default() += u64::from(count);
        }
    }

    pub(super) fn count(&mut self, rows: &Rows) {
        let (profiles, playbooks, forgotten) = rows.count();
        self.profiles += profiles;
        self.playbooks += playbooks;
        self.forgotten += forgotten;
    }

    /// What the job tells people who look at it.
    pub(super) fn progress(&self) -> JobProgress {
        let mut message = format!(
            "learned {} and {} from {}",
            counted(self.profiles, "profile"),
            counted(self.playbooks, "user playbook"),
            counted(self.turns, "turn"),
        );
        if self.forgotten > 0 {
            message.push_str(&format!("; forgot {}", counted(self.forgotten, "profile")));
        }
        if !self.left_out.is_empty() {
            let reasons: Vec<String> =
                self.left_out.iter().map(|(reason, count)| format!("{reason}: {count}")).collect();
            message.push_str(&format!("; left out {} ({})", self.dropped(), reasons.join(", ")));
        }
        JobProgress { done: self.windows, total: None, message: Some(message) }
    }
}

fn counted(count: u64, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{ending}")
}
