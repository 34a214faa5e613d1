//! Playbooks that nothing starts.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Context;
use crate::diagnostic::{Code, Diagnostic};
use crate::names::Callee;
use crate::tree::{Agent, Playbook};
use crate::trigger::TriggerKind;

/// Words that come between the words of a name when people speak.
const FILLERS: &[&str] = &["a", "an", "and", "for", "of", "the", "their", "to", "with", "your"];

pub(super) fn check(context: &mut Context<'_>) {
    let called = called(context);
    let open: Vec<(usize, usize)> = context
        .agents
        .iter()
        .enumerate()
        .flat_map(|(agent, found)| (0..found.playbooks.len()).map(move |playbook| (agent, playbook)))
        .filter(|&(agent, playbook)| {
            !called.contains(&(agent, playbook)) && !starts(&context.agents[agent].playbooks[playbook])
        })
        .collect();
    if open.is_empty() {
        return;
    }
    let words: FxHashMap<(usize, usize), Vec<String>> = open
        .iter()
        .map(|&(agent, playbook)| {
            ((agent, playbook), words(&context.agents[agent].playbooks[playbook].name.value))
        })
        .collect();
    let spoken = Spoken::new(context.agents, words.values().flatten());
    for (agent, number) in open {
        if spoken.mentions(&words[&(agent, number)]) {
            continue;
        }
        let playbook = &context.agents[agent].playbooks[number];
        let message = format!("nothing starts `{}`", playbook.name.value);
        let help = "give it a trigger, call it from a step, or add `public: true`";
        context.report(Diagnostic::new(Code::Unreachable, playbook.name.span, message).help(help));
    }
}

fn starts(playbook: &Playbook) -> bool {
    !playbook.triggers.is_empty()
        || playbook.is_public()
        || playbook.meta.is_set("cli_entry")
        || playbook.meta.is_set("meeting")
        || playbook.name.value.starts_with("pattern_")
}

fn called(context: &Context<'_>) -> FxHashSet<(usize, usize)> {
    let mut called = FxHashSet::default();
    let mut note = |agent: usize, name: &str| {
        if let Callee::Playbook { agent, playbook } = context.names.callee(context.agents, agent, name) {
            called.insert((agent, playbook));
        }
    };
    for (agent, playbook) in context.playbooks() {
        let calls = playbook.all_steps().flat_map(|step| &step.effects.calls);
        calls.for_each(|call| note(agent, &call.callee));
        let placeholders = playbook.description.placeholders().flat_map(|found| &found.calls);
        placeholders.for_each(|name| note(agent, name));
        for trigger in &playbook.triggers {
            if let TriggerKind::Flow { playbook, .. } = &trigger.kind {
                note(agent, playbook);
            }
        }
    }
    for (agent, found) in context.agents.iter().enumerate() {
        for playbook in &found.playbooks {
            // Python writes a title with underscores.
            let spelled = playbook.name.value.replace(' ', "_");
            let is_called = |block: &crate::tree::PythonBlock| block.code.matches(&spelled).count() > 1;
            let is_markdown = playbook.mode != crate::tree::Mode::Python;
            let mentions = found
                .python
                .iter()
                .any(|block| is_called(block) || (is_markdown && block.code.contains(&spelled)));
            if mentions {
                note(agent, &playbook.name.value);
            }
        }
    }
    called
}

/// The words of a name: `ValidateEmail` and `validate the email` are the same two.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut is_inside = false;
    for char in name.chars() {
        if !char.is_alphanumeric() {
            is_inside = false;
        } else if is_inside && !char.is_uppercase() {
            if let Some(last) = words.last_mut() {
                last.push(char);
            }
        } else {
            words.push(char.to_lowercase().collect());
            is_inside = true;
        }
    }
    words.retain(|word| !FILLERS.contains(&word.as_str()));
    words
}

/// The sentences of a program by the words that matter.
struct Spoken<'a> {
    by_word: FxHashMap<&'a str, Vec<u32>>,
}

impl<'a> Spoken<'a> {
    fn new(agents: &[Agent], wanted: impl Iterator<Item = &'a String>) -> Self {
        let mut by_word: FxHashMap<&str, Vec<u32>> = wanted.map(|word| (word.as_str(), Vec::new())).collect();
        let mut number = 0;
        for playbook in agents.iter().flat_map(|agent| &agent.playbooks) {
            let steps = playbook.all_steps().map(|step| step.text.as_str());
            let notes = playbook.notes.iter().map(|note| note.text.as_str());
            for text in steps.chain(notes).chain([playbook.description.text.as_str()]) {
                number += 1;
                let split = text.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty());
                for word in split {
                    let lower = word.to_lowercase();
                    if let Some(list) =
                        by_word.get_mut(lower.as_str()).filter(|list| list.last() != Some(&number))
                    {
                        list.push(number);
                    }
                }
            }
        }
        Self { by_word }
    }

    /// Whether one sentence has all the words.
    fn mentions(&self, words: &[String]) -> bool {
        let mut lists: Vec<&Vec<u32>> =
            words.iter().filter_map(|word| self.by_word.get(word.as_str())).collect();
        if lists.len() < words.len() || lists.is_empty() {
            return false;
        }
        lists.sort_by_key(|list| list.len());
        let (first, rest) = (lists[0], &lists[1..]);
        first.iter().any(|number| rest.iter().all(|list| list.binary_search(number).is_ok()))
    }
}
