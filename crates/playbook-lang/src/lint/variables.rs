//! Variables: read before they are written, written and never read, watched by the playbook that writes them.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Context;
use crate::diagnostic::{Code, Diagnostic};
use crate::names::{BUILTIN_FUNCTIONS, SPECIAL};
use crate::span::Span;
use crate::step::{Step, StepKind};
use crate::suggest;
use crate::tree::{Agent, Playbook};
use crate::trigger::TriggerKind;

/// Variables a run sets by itself.
const GIVEN: &[&str] = &["startup_message", "_", "__", "topic", "attendees", "messages"];

pub(super) fn check(context: &mut Context<'_>) {
    for agent in context.agents {
        let written = Written::of(agent);
        for (number, playbook) in agent.playbooks.iter().enumerate() {
            reads(playbook, number, &written, context);
            self_trigger(playbook, context);
        }
        never_read(agent, context);
    }
}

/// Which playbooks of an agent give a variable its value. State belongs to the whole agent.
struct Written<'a> {
    by: FxHashMap<&'a str, Vec<usize>>,
    python: Vec<&'a str>,
}

impl<'a> Written<'a> {
    fn of(agent: &'a Agent) -> Self {
        let mut by: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        let mut note = |name: &'a str, number: usize| {
            let list = by.entry(name).or_default();
            if list.last() != Some(&number) {
                list.push(number);
            }
        };
        for (number, playbook) in agent.playbooks.iter().enumerate() {
            for param in playbook.params.iter().filter(|param| param.is_state) {
                note(&param.name.value, number);
            }
            for step in playbook.all_steps() {
                step.effects.writes.iter().for_each(|name| note(name, number));
            }
        }
        Self { by, python: agent.python.iter().map(|block| block.code.as_str()).collect() }
    }

    fn is_set_by_python(&self, name: &str) -> bool {
        self.python.iter().any(|code| code.contains(name))
    }
}

fn reads(playbook: &Playbook, number: usize, written: &Written<'_>, context: &mut Context<'_>) {
    let params: FxHashSet<&str> = playbook.params.iter().map(|param| param.name.value.as_str()).collect();
    let is_given = |name: &str| params.contains(name) || GIVEN.contains(&name) || SPECIAL.contains(&name);
    let mut told: FxHashSet<&str> = FxHashSet::default();
    let never = |name: &'_ str, span: Span, context: &mut Context<'_>| {
        let names = written.by.keys().copied().chain(params.iter().copied());
        let nearest = suggest::nearest(name, names);
        let hint = nearest.map_or_else(String::new, |nearest| format!("; did you mean `${nearest}`?"));
        let message = format!("`${name}` is read here, but nothing gives it a value{hint}");
        context.report(Diagnostic::new(Code::ReadBeforeWrite, span, message));
    };
    for placeholder in playbook.description.placeholders() {
        for name in &placeholder.reads {
            let is_function =
                BUILTIN_FUNCTIONS.contains(&name.as_str()) || context.names.agent(name).is_some();
            let is_known =
                is_given(name) || written.by.contains_key(name.as_str()) || written.is_set_by_python(name);
            let is_known = is_known || is_function || matches!(name.as_str(), "true" | "false" | "null");
            if !is_known && told.insert(name) {
                never(name, placeholder.span, context);
            }
        }
    }
    for step in playbook.all_steps() {
        for name in &step.effects.reads {
            let is_known =
                is_given(name) || written.by.contains_key(name.as_str()) || written.is_set_by_python(name);
            if !is_known && told.insert(name) {
                never(name, step.span, context);
            }
        }
    }
    // Another playbook may have run before; only what this one alone writes can be followed.
    let own =
        |name: &str| written.by.get(name).is_some_and(|by| by.as_slice() == [number]) && !is_given(name);
    let mut paths = Paths { own: &own, told, context };
    paths.steps(&playbook.steps, Vec::new());
}

struct Paths<'a, 'c, 'p> {
    own: &'a dyn Fn(&str) -> bool,
    told: FxHashSet<&'p str>,
    context: &'a mut Context<'c>,
}

impl<'p> Paths<'_, '_, 'p> {
    /// Follows the steps with what is surely set before them; `None` if they never come to their end.
    fn steps(&mut self, steps: &'p [Step], mut set: Vec<&'p str>) -> Option<Vec<&'p str>> {
        let mut index = 0;
        while let Some(step) = steps.get(index) {
            if matches!(step.kind, StepKind::If { .. }) {
                let len = 1 + steps[index + 1..].iter().take_while(|step| is_branch(step)).count();
                set = self.branches(&steps[index..index + len], &set)?;
                index += len;
                continue;
            }
            self.read(step, &set);
            set.extend(step.effects.writes.iter().map(String::as_str));
            if matches!(step.kind, StepKind::Return { .. } | StepKind::EndProgram) {
                return None;
            }
            if step.kind.is_block() {
                self.steps(&step.body, set.clone());
            } else {
                set = self.steps(&step.body, set)?;
            }
            index += 1;
        }
        Some(set)
    }

    /// After a chain of branches only that is set which every way sets.
    fn branches(&mut self, chain: &'p [Step], before: &[&'p str]) -> Option<Vec<&'p str>> {
        let mut after: Option<Vec<&'p str>> = None;
        let mut merge = |set: Option<Vec<&'p str>>| {
            after = match (after.take(), set) {
                (Some(left), Some(right)) => {
                    Some(left.into_iter().filter(|name| right.contains(name)).collect())
                }
                (one, other) => one.or(other),
            };
        };
        for step in chain {
            self.read(step, before);
            merge(self.steps(&step.body, before.to_vec()));
        }
        if !chain.iter().any(|step| step.kind == StepKind::Else) {
            merge(Some(before.to_vec()));
        }
        after
    }

    fn read(&mut self, step: &'p Step, set: &[&'p str]) {
        for name in &step.effects.reads {
            if (self.own)(name) && !set.contains(&name.as_str()) && self.told.insert(name) {
                let message = format!("`${name}` may have no value yet when this step reads it");
                let help = format!("give `${name}` a value on every way that leads here");
                self.context.report(Diagnostic::new(Code::ReadBeforeWrite, step.span, message).help(help));
            }
        }
    }
}

fn is_branch(step: &Step) -> bool {
    matches!(step.kind, StepKind::ElseIf { .. } | StepKind::Else)
}

/// A value the program computes itself and mentions nowhere. What the model fills in, the model also sees.
fn never_read(agent: &Agent, context: &mut Context<'_>) {
    let mut first: FxHashMap<&str, Span> = FxHashMap::default();
    let mut order: Vec<&str> = Vec::new();
    let mut used: FxHashSet<&str> = FxHashSet::default();
    for playbook in &agent.playbooks {
        for step in playbook.all_steps() {
            if let StepKind::Assign { target, .. } | StepKind::Call { target: Some(target), .. } = &step.kind
            {
                first.entry(&target.variable).or_insert_with(|| {
                    order.push(&target.variable);
                    target.span
                });
            } else {
                used.extend(step.effects.writes.iter().map(String::as_str));
            }
            used.extend(step.effects.reads.iter().map(String::as_str));
        }
        used.extend(
            playbook.description.placeholders().flat_map(|found| found.reads.iter().map(String::as_str)),
        );
        used.extend(playbook.triggers.iter().flat_map(|trigger| trigger.watches.iter().map(String::as_str)));
    }
    let open: Vec<&str> = order.into_iter().filter(|name| !used.contains(name)).collect();
    if open.is_empty() {
        return;
    }
    let words = mentioned(agent);
    for name in open {
        let is_mentioned = name.split('_').filter(|part| !part.is_empty()).all(|part| words.contains(part));
        if !is_mentioned {
            let message = format!("`${name}` is given a value that nothing reads");
            context.report(Diagnostic::new(Code::NeverRead, first[name], message));
        }
    }
}

/// The words of everything a model gets to read.
fn mentioned(agent: &Agent) -> FxHashSet<String> {
    let mut words = FxHashSet::default();
    let mut add = |text: &str| {
        let split = text.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty());
        words.extend(split.map(str::to_lowercase));
    };
    add(&agent.description.text);
    agent.python.iter().for_each(|block| add(&block.code));
    for playbook in &agent.playbooks {
        add(&playbook.description.text);
        playbook.notes.iter().for_each(|note| add(&note.text));
        playbook.triggers.iter().for_each(|trigger| add(&trigger.text));
        for step in playbook.all_steps() {
            if !matches!(step.kind, StepKind::Assign { .. } | StepKind::Call { .. }) {
                add(&step.text);
            }
        }
    }
    words
}

fn self_trigger(playbook: &Playbook, context: &mut Context<'_>) {
    for trigger in
        playbook.triggers.iter().filter(|trigger| matches!(trigger.kind, TriggerKind::State { .. }))
    {
        let writes = |name: &&String| playbook.all_steps().any(|step| step.effects.writes.contains(name));
        if let Some(name) = trigger.watches.iter().find(writes) {
            let message = format!("this playbook changes `${name}`, which its own trigger watches");
            let help = "make sure that the change cannot make the condition true again";
            context.report(Diagnostic::new(Code::SelfTrigger, trigger.span, message).help(help));
        }
    }
}
