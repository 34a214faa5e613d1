//! Candidates: one module for each way in which a conversation teaches something.

mod actions;
mod admitted;
mod expert;
mod facts;
mod forget;
mod guards;
mod misfits;
mod outcomes;
mod repeated;
mod rules;
pub(super) mod signs;
mod tools;

use super::lifetime;
use super::output::{DropReason, Dropped, Signal};
use super::reading::Reading;

/// What was found, with turns as places in the window.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) rules: Vec<Rule>,
    pub(super) facts: Vec<Fact>,
    pub(super) forget: Vec<Forget>,
}

#[derive(Debug)]
pub(super) struct Rule {
    pub(super) signal: Signal,
    /// The turn that taught it, and the others that show it.
    pub(super) turn: usize,
    pub(super) also: Vec<usize>,
    /// The user's turn that tells the situation; none for rules that always hold.
    pub(super) request: Option<usize>,
    /// A situation that the rule names itself.
    pub(super) trigger: Option<String>,
    pub(super) instruction: String,
    pub(super) pitfall: Option<String>,
    pub(super) span: String,
}

#[derive(Debug)]
pub(super) struct Fact {
    pub(super) signal: Signal,
    pub(super) turn: usize,
    pub(super) also: Vec<usize>,
    pub(super) topic: Option<&'static str>,
    pub(super) content: String,
    pub(super) time_to_live: reflexio_types::ProfileTimeToLive,
    pub(super) span: String,
}

#[derive(Debug)]
pub(super) struct Forget {
    pub(super) turn: usize,
    pub(super) what: String,
}

pub(super) fn detect(reading: &Reading<'_>, dropped: &mut Dropped) -> Found {
    let mut found = Found::default();
    for (at, said) in reading.users() {
        let forget = forget::requests(at, said);
        if !forget.is_empty() {
            // What is to be forgotten must not be learned from the same breath.
            found.forget.extend(forget);
            continue;
        }
        let ruled = rules::rules(reading, at, said, dropped);
        let corrected = ruled.rules.iter().any(|rule| rule.signal == Signal::Correction);
        facts::facts(reading, at, said, &ruled, &mut found.facts, dropped);
        found.facts.extend(ruled.tastes);
        found.rules.extend(ruled.rules);
        if !corrected {
            let learned = outcomes::outcomes(reading, at, said, &mut found.rules, dropped);
            if !learned && !admitted::admitted(reading, at, said, &mut found.rules) {
                repeated::repeated(reading, at, said, &mut found.rules);
            }
        }
    }
    tools::failures(reading, &mut found.rules);
    expert::gaps(reading, &mut found.rules, dropped);
    actions::actions(reading, &mut found, dropped);
    found
}
