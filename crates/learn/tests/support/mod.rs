//! The labelled set: reading it, learning from it, and counting. `labelled/README.md` states the rules.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "lints allow both in test functions, not in their helpers"
)]

use std::collections::BTreeMap;
use std::path::Path;

use reflexio_learn::builtin::{Definitions, LabelledTurn, Learned, OwnText, Signal, Window, learn};
use reflexio_types::config::{PlaybookConfig, ProfileExtractorConfig};
use reflexio_types::{Timestamp, ToolUse, Turn, UserAction};
use serde::Deserialize;

#[derive(Deserialize)]
pub(crate) struct Case {
    pub(crate) id: String,
    pub(crate) turns: Vec<WrittenTurn>,
    pub(crate) expect: Vec<Label>,
}

#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum WrittenTurn {
    /// `U: …` or `A: …`
    Said(String),
    Full(FullTurn),
}

#[derive(Deserialize)]
pub(crate) struct FullTurn {
    role: String,
    #[serde(default)]
    content: String,
    #[serde(default)]
    expert: String,
    #[serde(default)]
    action: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    tools: Vec<ToolUse>,
}

#[derive(Deserialize, Debug)]
pub(crate) struct Label {
    /// One class, or several with `|` where the rules allow either.
    pub(crate) class: String,
    /// Counted from 1.
    pub(crate) turn: usize,
    pub(crate) has: Vec<String>,
    #[serde(default)]
    pub(crate) ttl: Option<String>,
}

/// An item as the labels see it.
#[derive(Debug)]
pub(crate) struct Item {
    pub(crate) class: &'static str,
    pub(crate) evidence: Vec<String>,
    pub(crate) text: String,
    pub(crate) ttl: Option<&'static str>,
}

#[derive(Default, Clone, Copy, Debug)]
pub(crate) struct Count {
    pub(crate) right: usize,
    pub(crate) wrong: usize,
    pub(crate) labels: usize,
    pub(crate) found: usize,
}

impl Count {
    pub(crate) fn precision(self) -> f64 {
        self.right as f64 / (self.right + self.wrong).max(1) as f64
    }

    pub(crate) fn recall(self) -> f64 {
        self.found as f64 / self.labels.max(1) as f64
    }
}

pub(crate) fn cases(half: &str) -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/labelled").join(half);
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
        .iter()
        .flat_map(|file| serde_json::from_str::<Vec<Case>>(&std::fs::read_to_string(file).unwrap()).unwrap())
        .collect()
}

pub(crate) fn turn(written: &WrittenTurn) -> Turn {
    match written {
        WrittenTurn::Said(text) => {
            let (who, content) = text.split_once(": ").unwrap();
            Turn::say(Timestamp(0), if who == "U" { "User" } else { "Agent" }, content)
        }
        WrittenTurn::Full(full) => {
            let mut turn = Turn::say(Timestamp(0), &full.role, &full.content);
            turn.expert_content.clone_from(&full.expert);
            turn.user_action = UserAction::parse(&full.action).unwrap_or_default();
            turn.user_action_description.clone_from(&full.description);
            turn.tools_used.clone_from(&full.tools);
            turn
        }
    }
}

pub(crate) fn learn_from(turns: &[Turn]) -> Learned {
    let labels: Vec<String> = (1..=turns.len()).map(|number| format!("T{number}")).collect();
    let labelled: Vec<LabelledTurn<'_>> =
        labels.iter().zip(turns).map(|(label, turn)| LabelledTurn { label, turn }).collect();
    let playbooks = [PlaybookConfig::general()];
    let profile = ProfileExtractorConfig::default();
    let definitions = Definitions { profile: Some(&profile), playbooks: &playbooks };
    learn(&Window { turns: &labelled, own: &OwnText::default() }, &definitions)
}

pub(crate) fn items(learned: &Learned) -> Vec<Item> {
    let profiles = learned.profiles.iter().map(|profile| Item {
        class: class(profile.signal),
        evidence: profile.evidence.clone(),
        text: profile.content.clone(),
        ttl: Some(profile.time_to_live.as_str()),
    });
    let playbooks = learned.playbooks.iter().map(|playbook| Item {
        class: class(playbook.signal),
        evidence: playbook.evidence.clone(),
        text: playbook.instruction.clone(),
        ttl: None,
    });
    let forget = learned.forget.iter().map(|forget| Item {
        class: "forget",
        evidence: forget.evidence.clone(),
        text: forget.what.clone(),
        ttl: None,
    });
    profiles.chain(playbooks).chain(forget).collect()
}

fn class(signal: Signal) -> &'static str {
    match signal {
        Signal::Correction => "correction",
        Signal::Preference => "preference",
        Signal::Fact => "fact",
        Signal::Failure => "failure",
        Signal::Confirmation => "confirmation",
        Signal::Action => "action",
        Signal::ExpertGap => "expert",
    }
}

impl Label {
    pub(crate) fn is_met_by(&self, item: &Item) -> bool {
        let text = item.text.to_lowercase();
        self.class.split('|').any(|class| class == item.class)
            && item.evidence.contains(&format!("T{}", self.turn))
            && self.has.iter().all(|word| text.contains(&word.to_lowercase()))
            && self.ttl.as_deref().is_none_or(|ttl| item.ttl == Some(ttl))
    }

    fn first_class(&self) -> &str {
        self.class.split('|').next().unwrap_or_default()
    }
}

/// Counts per class. With `show`, every mistake is printed: for the development half only.
pub(crate) fn count(cases: &[Case], show: bool) -> BTreeMap<String, Count> {
    let mut counts: BTreeMap<String, Count> = BTreeMap::new();
    for case in cases {
        let turns: Vec<Turn> = case.turns.iter().map(turn).collect();
        let items = items(&learn_from(&turns));
        let mut met = vec![false; case.expect.len()];
        for item in &items {
            // Each label is met once: saying the same twice is a mistake.
            let label = (0..case.expect.len()).find(|&at| !met[at] && case.expect[at].is_met_by(item));
            let class = label.map_or(item.class, |at| case.expect[at].first_class());
            let count = counts.entry(class.to_owned()).or_default();
            match label {
                Some(at) => {
                    met[at] = true;
                    count.right += 1;
                }
                None => {
                    count.wrong += 1;
                    if show {
                        println!("{} not expected: {item:?}", case.id);
                    }
                }
            }
        }
        for (label, met) in case.expect.iter().zip(met) {
            let count = counts.entry(label.first_class().to_owned()).or_default();
            count.labels += 1;
            count.found += usize::from(met);
            if show && !met {
                println!("{} not found: {label:?}", case.id);
            }
        }
    }
    counts
}

pub(crate) fn print(title: &str, counts: &BTreeMap<String, Count>) {
    println!("{title:14} {:>9} {:>7} {:>7} {:>6}", "precision", "recall", "labels", "items");
    for (class, count) in counts {
        let (precision, recall) = (count.precision(), count.recall());
        println!(
            "{class:14} {precision:>9.2} {recall:>7.2} {:>7} {:>6}",
            count.labels,
            count.right + count.wrong
        );
    }
}
