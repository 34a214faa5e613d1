//! Finds occurrences: exactly where the tree knows the code, by words where people wrote prose.

use std::collections::BTreeMap;
use std::ops::Range;

use rustc_hash::FxHashSet;

use super::{Occurrence, Role, Symbol, python, words};
use crate::expr;
use crate::name;
use crate::names::Callee;
use crate::program::Program;
use crate::span::{FileId, Span, to_u32};
use crate::step::{Decided, Expr, Items, Returned, Step, StepKind};
use crate::tree::{Agent, Mode, Playbook};
use crate::trigger::TriggerKind;

pub(super) fn all(program: &Program) -> Vec<Occurrence> {
    let mut found = Vec::new();
    for (number, agent) in program.agents.iter().enumerate() {
        let mut collect = Collect {
            program,
            agent: number,
            playbook: None,
            code: Code::default(),
            variables: Vec::new(),
            found: Vec::new(),
        };
        collect.agent(agent);
        found.extend(collect.resolved(agent));
    }
    found
}

/// A variable before it is known whether it belongs to the agent or to the playbook.
struct Variable {
    /// The playbook it stands in or, for an argument given by name, the one that is called.
    owner: (usize, Option<usize>),
    name: String,
    span: Span,
    has_dollar: bool,
    role: Role,
}

struct Collect<'a> {
    program: &'a Program,
    agent: usize,
    playbook: Option<usize>,
    /// Ranges that were read as code, so that words are not searched in them again.
    code: Code,
    variables: Vec<Variable>,
    found: Vec<Occurrence>,
}

impl<'a> Collect<'a> {
    fn agent(&mut self, agent: &'a Agent) {
        self.define(Symbol::Agent { agent: self.agent }, agent.title.span, &agent.title.value);
        for block in &agent.python {
            self.python(agent, block.span, &block.code);
        }
        for (number, playbook) in agent.playbooks.iter().enumerate() {
            self.playbook = Some(number);
            self.head(number, playbook);
            playbook.description.placeholders().for_each(|found| self.placeholder(found.span));
            for step in playbook.all_steps() {
                self.step(step);
            }
            for trigger in &playbook.triggers {
                if let TriggerKind::Flow { playbook, .. } = &trigger.kind {
                    self.callee(playbook, trigger.span);
                }
            }
            self.prose_of(playbook);
        }
        self.playbook = None;
        agent.description.placeholders().for_each(|found| self.placeholder(found.span));
        self.prose(agent.span, &[]);
    }

    fn head(&mut self, number: usize, playbook: &Playbook) {
        let symbol = Symbol::Playbook { agent: self.agent, playbook: number };
        self.define(symbol, playbook.name.span, &playbook.name.value);
        for param in &playbook.params {
            self.variable(&param.name.value, param.name.span, param.is_state, Role::Definition);
        }
    }

    /// Names are taken only where the file really says them.
    fn is_said(&self, span: Span, text: &str) -> bool {
        self.program.sources().slice(span) == text
    }

    fn define(&mut self, symbol: Symbol, span: Span, text: &str) {
        let span = within(span, 0..text.len());
        if self.is_said(span, text) {
            self.found.push(Occurrence { symbol, span, role: Role::Definition });
        }
    }

    fn variable(&mut self, name: &str, span: Span, has_dollar: bool, role: Role) {
        if self.is_said(span, name) {
            let owner = (self.agent, self.playbook);
            self.variables.push(Variable { owner, name: name.to_owned(), span, has_dollar, role });
        }
    }

    fn step(&mut self, step: &Step) {
        if let StepKind::Assign { target, .. }
        | StepKind::AssignAsked { target, .. }
        | StepKind::Call { target: Some(target), .. } = &step.kind
        {
            let skip = usize::from(self.program.sources().slice(target.span).starts_with('$'));
            let span = within(target.span, skip..skip + target.variable.len());
            self.variable(&target.variable, span, skip == 1, Role::Definition);
        }
        if let StepKind::ForEach { variable: Some(name), .. } = &step.kind {
            let text = self.program.sources().slice(step.span);
            if let Some(range) = words::whole(text, name).next() {
                let has_dollar = text[..range.start].ends_with('$');
                self.variable(name, within(step.span, range), has_dollar, Role::Definition);
            }
        }
        if let StepKind::Say { words, .. } = &step.kind {
            words.placeholders().for_each(|found| self.placeholder(found.span));
        }
        for expr in expressions(step) {
            if self.is_said(expr.span, &expr.source) {
                self.expression(expr.span);
            }
        }
        for call in &step.effects.calls {
            if self.program.sources().slice(call.span).ends_with(')') {
                self.expression(call.span);
            }
            self.callee(&call.callee, call.name_span);
        }
        let written: Vec<&str> = step.effects.writes.iter().map(String::as_str).collect();
        self.prose(step.span, &written);
    }

    fn placeholder(&mut self, span: Span) {
        let text = self.program.sources().slice(span);
        if text.len() >= 2 && text.starts_with('{') && text.ends_with('}') {
            self.expression(within(span, 1..text.len() - 1));
        } else if text.starts_with('$') {
            self.expression(span);
        }
    }

    fn expression(&mut self, span: Span) {
        let source = self.program.sources().slice(span);
        let Ok(uses) = expr::parse(source) else { return };
        self.code.add(span);
        for used in uses.names.iter().filter(|used| used.has_dollar || !used.is_callee) {
            self.variable(&used.name, within(span, used.range.clone()), used.has_dollar, Role::Reference);
        }
        for call in uses.calls.iter().filter(|call| !call.is_method) {
            self.callee(&call.callee, within(span, call.name_range.clone()));
            let Some((agent, playbook)) = self.target(&call.callee) else { continue };
            for arg in &call.args {
                let (Some(name), Some(range)) = (&arg.name, &arg.name_range) else { continue };
                self.argument((agent, playbook), name, within(span, range.clone()));
            }
        }
    }

    /// `Ship(order=…)`: the name of an argument is that of the parameter.
    fn argument(&mut self, (agent, playbook): (usize, usize), name: &str, span: Span) {
        let called = self.program.agents.get(agent).and_then(|agent| agent.playbooks.get(playbook));
        if called.is_some_and(|called| called.param(name).is_some()) && self.is_said(span, name) {
            let owner = (agent, Some(playbook));
            let (name, role) = (name.to_owned(), Role::Reference);
            self.variables.push(Variable { owner, name, span, has_dollar: false, role });
        }
    }

    fn target(&self, callee: &str) -> Option<(usize, usize)> {
        match self.program.names().callee(&self.program.agents, self.agent, callee) {
            Callee::Playbook { agent, playbook } => Some((agent, playbook)),
            Callee::Known | Callee::Unknown => None,
        }
    }

    /// A playbook that is named in a span, perhaps with its agent before it.
    fn callee(&mut self, callee: &str, span: Span) {
        let text = self.program.sources().slice(span);
        let (owner, inner) =
            callee.rsplit_once('.').map_or((None, callee), |(owner, inner)| (Some(owner), inner));
        if let Some(owner) = owner
            && let Some(agent) = self.program.names().agent(owner)
            && let Some(range) = words::whole(text, owner).next()
        {
            let role = Role::Reference;
            self.found.push(Occurrence { symbol: Symbol::Agent { agent }, span: within(span, range), role });
        }
        let Some((agent, playbook)) = self.target(callee) else { return };
        if let Some(range) = words::whole(text, inner).last() {
            let symbol = Symbol::Playbook { agent, playbook };
            self.found.push(Occurrence { symbol, span: within(span, range), role: Role::Reference });
        }
    }

    /// Everything of a playbook that is written for people, in the file of its heading and in imported ones.
    fn prose_of(&mut self, playbook: &Playbook) {
        if playbook.mode == Mode::Python {
            return;
        }
        self.prose(playbook.span, &[]);
        let spans = playbook.triggers.iter().map(|trigger| trigger.span);
        for span in spans.chain(playbook.notes.iter().map(|note| note.span)) {
            if !playbook.span.contains(span) {
                self.prose(span, &[]);
            }
        }
    }

    fn prose(&mut self, span: Span, written: &[&str]) {
        let text = self.program.sources().slice(span);
        for range in words::dollars(text) {
            let place = within(span, range.clone());
            if !self.code.holds(place) {
                let name = &text[range];
                let role = if written.contains(&name) { Role::Definition } else { Role::Reference };
                self.variable(name, place, true, role);
            }
        }
        for range in words::dotted(text) {
            let word = &text[range.clone()];
            let last = word.rsplit('.').next().unwrap_or(word);
            let is_called = text[range.end..].starts_with('(');
            if (words::is_distinctive(last) || is_called) && !self.code.holds(within(span, range.clone())) {
                self.mention(word, within(span, range));
            }
        }
    }

    /// A word that is spelled like a playbook.
    fn mention(&mut self, word: &str, span: Span) {
        let Some((agent, playbook)) = self.target(word) else { return };
        let last = word.rsplit('.').next().unwrap_or(word);
        let found = self.program.agents.get(agent).and_then(|agent| agent.playbooks.get(playbook));
        let is_spelled =
            found.is_some_and(|found| found.name.value == last || name::camel(&found.name.value) == last);
        if is_spelled {
            self.callee(word, span);
        }
    }

    fn python(&mut self, agent: &Agent, span: Span, code: &str) {
        let text = self.program.sources().slice(span);
        // Words of a block are code, wherever they stand in it.
        self.code.add(span);
        let Some(start) = text.find(code).filter(|_| !code.is_empty()) else { return };
        for range in python::names(code) {
            let word = &code[range.clone()];
            let number = agent.playbooks.iter().position(|playbook| {
                playbook.name.value == word
                    || (playbook.mode != Mode::Python && name::camel(&playbook.name.value) == word)
            });
            if let Some(playbook) = number {
                let span = within(span, start + range.start..start + range.end);
                let symbol = Symbol::Playbook { agent: self.agent, playbook };
                let is_head = agent.playbooks[playbook].name.span == span;
                let role = if is_head { Role::Definition } else { Role::Reference };
                self.found.push(Occurrence { symbol, span, role });
            }
        }
    }

    /// Decides to whom each variable belongs.
    fn resolved(self, agent: &Agent) -> Vec<Occurrence> {
        let Self { program, variables, mut found, .. } = self;
        let shared: FxHashSet<String> =
            variables.iter().filter(|one| one.has_dollar).map(|one| one.name.clone()).collect();
        let own: FxHashSet<(Option<usize>, &str)> = variables
            .iter()
            .filter(|one| one.role == Role::Definition)
            .map(|one| (one.owner.1, one.name.as_str()))
            .collect();
        for one in &variables {
            let (owner, playbook) = one.owner;
            let is_shared = if owner == self.agent {
                shared.contains(&one.name)
            } else {
                is_state(program, owner, &one.name)
            };
            let is_known = is_shared || own.contains(&(playbook, one.name.as_str())) || owner != self.agent;
            if !is_known || agent.playbooks.is_empty() {
                continue;
            }
            let playbook = if is_shared { None } else { playbook };
            let symbol = Symbol::Variable { agent: owner, playbook, name: one.name.clone() };
            found.push(Occurrence { symbol, span: one.span, role: one.role });
        }
        found
    }
}

/// Spans that were read as code, none inside another.
#[derive(Default)]
struct Code(BTreeMap<(FileId, u32), u32>);

impl Code {
    fn add(&mut self, span: Span) {
        if !self.holds(span) {
            let inside = (span.file, span.start)..(span.file, span.end);
            let inner: Vec<_> = self.0.range(inside).map(|(start, _)| *start).collect();
            inner.iter().for_each(|start| {
                self.0.remove(start);
            });
            self.0.insert((span.file, span.start), span.end);
        }
    }

    fn holds(&self, span: Span) -> bool {
        let before = self.0.range(..=(span.file, span.start)).next_back();
        before.is_some_and(|((file, _), end)| *file == span.file && span.end <= *end)
    }
}

/// Whether a name is written with `$` anywhere in another agent.
fn is_state(program: &Program, agent: usize, name: &str) -> bool {
    let Some(agent) = program.agents.get(agent) else { return false };
    let text = program.sources().slice(agent.span);
    words::dollars(text).any(|range| &text[range] == name)
}

/// The Python of a step, as it is written.
#[expect(clippy::wildcard_enum_match_arm, reason = "the others hold words")]
fn expressions(step: &Step) -> Vec<&Expr> {
    match &step.kind {
        StepKind::Assign { value, .. } => vec![value],
        StepKind::ForEach { items: Items::Expression { expr }, .. }
        | StepKind::Return { value: Some(Returned::Expression { expr }) } => vec![expr],
        kind => match kind.condition().map(|condition| &condition.decided) {
            Some(Decided::Expression { expr }) => vec![expr],
            _ => Vec::new(),
        },
    }
}

/// A range of the text of a span.
fn within(span: Span, range: Range<usize>) -> Span {
    let at = |offset: usize| (span.start.saturating_add(to_u32(offset))).min(span.end);
    Span { start: at(range.start), end: at(range.end), ..span }
}
