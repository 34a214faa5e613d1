//! What each step is. Everything here is decided by words and Python's grammar; what is not certain is left to
//! the model as it is written.

mod action;
mod block;
mod condition;
mod phrase;
mod speech;
mod variables;

use rustc_hash::FxHashSet;

pub(crate) use condition::condition;

use crate::expr::{self, Uses};
use crate::names::{BUILTIN_FUNCTIONS, Names, SPECIAL};
use crate::span::{Span, to_u32};
use crate::step::{Arg, Call, Effects, Expr, Step};
use crate::tree::{Agent, Playbook};

/// What a bare name may mean in a playbook.
pub(crate) struct Scope<'a> {
    pub(crate) names: Option<&'a Names>,
    /// Parameters and variables without `$`.
    pub(crate) locals: FxHashSet<String>,
}

impl Scope<'_> {
    pub(crate) fn empty() -> Self {
        Scope { names: None, locals: FxHashSet::default() }
    }

    fn knows(&self, name: &str) -> bool {
        self.locals.contains(name)
            || BUILTIN_FUNCTIONS.contains(&name)
            || SPECIAL.contains(&name)
            || matches!(name, "true" | "false" | "null")
    }
}

/// With more playbooks than this it pays to use a second thread.
pub(crate) const MANY: usize = 200;

/// Classifies every step of every playbook. Playbooks do not depend on each other here.
pub(crate) fn all(agents: &mut [Agent], names: &Names) {
    let mut playbooks: Vec<&mut Playbook> =
        agents.iter_mut().flat_map(|agent| &mut agent.playbooks).collect();
    if playbooks.len() < MANY {
        playbooks.into_iter().for_each(|playbook| one_playbook(playbook, names));
        return;
    }
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get().min(4));
    let share = playbooks.len().div_ceil(threads);
    std::thread::scope(|scope| {
        for part in playbooks.chunks_mut(share) {
            scope.spawn(move || part.iter_mut().for_each(|playbook| one_playbook(playbook, names)));
        }
    });
}

fn one_playbook(playbook: &mut Playbook, names: &Names) {
    let params = playbook.params.iter().map(|param| param.name.value.clone());
    let mut scope = Scope { names: Some(names), locals: params.collect() };
    variables::locals(&playbook.steps, &mut scope.locals);
    steps(&mut playbook.steps, &scope);
}

fn steps(steps: &mut [Step], scope: &Scope<'_>) {
    for step in steps {
        one(step, scope);
        self::steps(&mut step.body, scope);
    }
}

fn one(step: &mut Step, scope: &Scope<'_>) {
    let text = std::mem::take(&mut step.text);
    // Further paragraphs and code belong to the step; what kind it is, its first paragraph says.
    let first = text.split("\n\n").next().unwrap_or_default();
    let line = Line { text: first.trim(), span: step.span, is_exact: step.span.range().len() == text.len() };
    let mut effects = Effects::default();
    let kind = block::classify(&line, step, scope, &mut effects)
        .unwrap_or_else(|| action::classify(&line, step.code.as_deref(), scope, &mut effects));
    step.kind = kind;
    step.effects = effects;
    step.text = text;
}

/// The words of a step and where they stand.
#[derive(Clone, Copy)]
pub(crate) struct Line<'a> {
    pub(crate) text: &'a str,
    pub(crate) span: Span,
    /// Whether offsets in the text are offsets in the file: not so for steps of several lines.
    pub(crate) is_exact: bool,
}

impl<'a> Line<'a> {
    /// A part of the line, which must have been cut out of its text.
    pub(crate) fn part(&self, part: &'a str) -> Line<'a> {
        if !self.is_exact {
            return Line { text: part, ..*self };
        }
        let start = (part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize).min(self.text.len());
        let end = (start + part.len()).min(self.text.len());
        Line { text: part, span: self.place(start..end), is_exact: true }
    }

    pub(crate) fn place(&self, range: std::ops::Range<usize>) -> Span {
        if !self.is_exact {
            return self.span;
        }
        let start = (self.span.start + to_u32(range.start)).min(self.span.end);
        let end = (self.span.start + to_u32(range.end)).clamp(start, self.span.end);
        Span { start, end, ..self.span }
    }

    /// The rest after some words, whatever their case.
    pub(crate) fn after(&self, words: &str) -> Option<Line<'a>> {
        after(self.text, words).map(|rest| self.part(rest))
    }
}

/// The text after some leading words, compared without case and ending at a word boundary.
pub(crate) fn after<'a>(text: &'a str, words: &str) -> Option<&'a str> {
    let head = text.get(..words.len())?;
    let rest = &text[words.len()..];
    let is_word = head.eq_ignore_ascii_case(words)
        && !rest.starts_with(|char: char| char.is_alphanumeric() || char == '_');
    is_word.then(|| rest.trim_start())
}

/// A Python expression whose every name is known to be a variable or a function.
pub(crate) fn native(line: &Line<'_>, scope: &Scope<'_>) -> Option<(Expr, Uses)> {
    // Most sentences cannot be Python; saying so early is what makes large programs quick to check.
    let has_sign = line.text.bytes().any(|byte| !byte.is_ascii_alphabetic() && byte != b' ' && byte != b'\'');
    if !has_sign && line.text.contains(' ') && !line.text.starts_with("not ") {
        return None;
    }
    let uses = expr::parse(line.text).ok()?;
    let is_known = uses.names.iter().all(|used| used.has_dollar || used.is_callee || scope.knows(&used.name));
    is_known.then(|| {
        (Expr { source: line.text.to_owned(), span: line.span, literal: uses.literal.clone() }, uses)
    })
}

/// Writes down what an expression reads and calls.
pub(crate) fn note(line: &Line<'_>, uses: &Uses, scope: &Scope<'_>, effects: &mut Effects) {
    for used in &uses.names {
        if used.has_dollar || (!used.is_callee && scope.locals.contains(&used.name)) {
            effects.read(&used.name);
        }
    }
    for call in &uses.calls {
        let is_builtin = BUILTIN_FUNCTIONS.contains(&call.callee.as_str());
        if !call.is_method && !is_builtin {
            effects.calls.push(call_of(line, call));
        }
    }
}

pub(crate) fn call_of(line: &Line<'_>, call: &expr::CallUse) -> Call {
    let args = call.args.iter().map(|arg| Arg {
        name: arg.name.clone(),
        is_unpacked: arg.is_unpacked,
        value: Expr {
            source: with_dollar(line.text, &arg.range).to_owned(),
            span: line.place(arg.range.clone()),
            literal: arg.literal.clone(),
        },
    });
    Call {
        callee: call.callee.clone(),
        instance: call.instance.clone(),
        args: args.collect(),
        name_span: line.place(call.name_range.clone()),
        span: line.place(call.range.clone()),
    }
}

/// The parser saw a blank where a `$` stands before a name.
fn with_dollar<'a>(text: &'a str, range: &std::ops::Range<usize>) -> &'a str {
    let start = if range.start > 0 && text.as_bytes()[range.start - 1] == b'$' {
        range.start - 1
    } else {
        range.start
    };
    text.get(start..range.end).unwrap_or_default()
}
