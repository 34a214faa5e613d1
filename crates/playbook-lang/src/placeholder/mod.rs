//! Description placeholders: `{expression}` in prose, found once, evaluated once when a playbook begins.

mod bounded;
pub mod conformance;
mod convert;
mod format;
mod host;
mod percent;
mod prepass;
mod sandbox;
mod scan;

use std::ops::Range;

use serde::Serialize;

pub use bounded::BOUNDED;
pub use convert::{from_python, to_python, to_value};
pub use host::{CallInfo, Host, HostError, Moment};
pub use sandbox::{EvalError, Limits, evaluate, evaluate_value};
pub use scan::{Piece, scan};

use crate::expr::{self, SyntaxError};
use crate::span::Span;

/// A text with placeholders in it. It is never changed; [`Template::resolve`] makes a new text.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Template {
    /// The text as it is written, without metadata and Python blocks.
    pub text: String,
    pub parts: Vec<Part>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    Text(String),
    Placeholder(Placeholder),
}

/// One `{expression}`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Placeholder {
    /// What stands between the braces.
    pub source: String,
    /// The placeholder with its braces.
    pub span: Span,
    /// Names it uses and functions it calls, as far as it could be read.
    pub reads: Vec<String>,
    pub calls: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<PlaceholderError>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlaceholderError {
    pub message: String,
    pub span: Span,
}

impl Template {
    /// Reads one text; `span` is where it stands.
    #[must_use]
    pub fn new(text: &str, span: Span) -> Self {
        let base = span.start;
        let mut template = Self { span, ..Self::default() };
        template.push(text, &|range| Span {
            file: span.file,
            start: base + crate::span::to_u32(range.start),
            end: base + crate::span::to_u32(range.end),
        });
        template
    }

    /// Adds a piece of source; `place` says where its ranges stand.
    pub(crate) fn push(&mut self, text: &str, place: &dyn Fn(Range<usize>) -> Span) -> Vec<Span> {
        self.text.push_str(text);
        let mut unclosed = Vec::new();
        if memchr::memchr2(b'{', b'}', text.as_bytes()).is_none() {
            self.push_text(text);
            return unclosed;
        }
        for piece in scan(text) {
            match piece {
                Piece::Text { shown, .. } => self.push_text(&shown),
                Piece::Unclosed { at } => unclosed.push(place(at..at + 1)),
                Piece::Code { source, range } => {
                    let placeholder = placeholder(source, range, place);
                    self.parts.push(Part::Placeholder(placeholder));
                }
            }
        }
        unclosed
    }

    fn push_text(&mut self, text: &str) {
        match self.parts.last_mut() {
            Some(Part::Text(last)) => last.push_str(text),
            _ if text.is_empty() => {}
            _ => self.parts.push(Part::Text(text.to_owned())),
        }
    }

    /// The same with variables in the words (`Hello, $name!`) as placeholders too; `find` knows where they are.
    pub(crate) fn with_variables(mut self, find: &dyn Fn(&str) -> Vec<Range<usize>>) -> Self {
        // Offsets are those of the source only while no `{{` was shortened.
        let is_exact = self.parts.len() == 1 && !self.text.contains(['{', '}']);
        let span = self.span;
        let place = |range: Range<usize>| {
            let to = |at: usize| (span.start + crate::span::to_u32(at)).min(span.end);
            if is_exact { Span { start: to(range.start), end: to(range.end), ..span } } else { span }
        };
        for part in std::mem::take(&mut self.parts) {
            let Part::Text(text) = part else {
                self.parts.push(part);
                continue;
            };
            let mut from = 0;
            for range in find(&text) {
                self.push_text(&text[from..range.start]);
                from = range.end;
                self.parts.push(Part::Placeholder(variable(&text[range.clone()], place(range))));
            }
            self.push_text(&text[from..]);
        }
        self
    }

    pub fn placeholders(&self) -> impl Iterator<Item = &Placeholder> {
        self.parts.iter().filter_map(|part| match part {
            Part::Placeholder(placeholder) => Some(placeholder),
            Part::Text(_) => None,
        })
    }

    /// Evaluates every placeholder once, left to right, and returns the text to show. The first failure ends it:
    /// half a description would be worse than none.
    pub fn resolve(&self, host: &mut dyn Host, limits: &Limits) -> Result<String, ResolveError> {
        let mut shown = String::with_capacity(self.text.len());
        for part in &self.parts {
            match part {
                Part::Text(text) => shown.push_str(text),
                Part::Placeholder(placeholder) => match evaluate(&placeholder.source, host, limits) {
                    Ok(value) => shown.push_str(&value),
                    Err(error) => return Err(ResolveError { span: placeholder.place(&error), error }),
                },
            }
        }
        Ok(shown)
    }
}

impl Placeholder {
    /// Where in the source an error of the evaluation stands.
    fn place(&self, error: &EvalError) -> Span {
        let at = error.offset().and_then(|at| u32::try_from(at + 1).ok());
        match at.map(|at| self.span.start + at) {
            Some(start) if start < self.span.end => Span { start, ..self.span },
            _ => self.span,
        }
    }
}

/// A placeholder that could not be evaluated, and where it stands.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
pub struct ResolveError {
    pub span: Span,
    pub error: EvalError,
}

fn variable(source: &str, span: Span) -> Placeholder {
    let reads = match expr::parse(source) {
        Ok(uses) => uses.names.into_iter().map(|used| used.name).collect(),
        Err(_) => Vec::new(),
    };
    Placeholder { source: source.to_owned(), span, reads, calls: Vec::new(), error: None }
}

fn placeholder(source: String, range: Range<usize>, place: &dyn Fn(Range<usize>) -> Span) -> Placeholder {
    let span = place(range.clone());
    let mut placeholder = Placeholder { source, span, reads: Vec::new(), calls: Vec::new(), error: None };
    match expr::parse(&placeholder.source) {
        Ok(uses) => {
            let reads = uses.names.iter().filter(|used| used.has_dollar || !used.is_callee);
            placeholder.reads = reads.map(|used| used.name.clone()).collect();
            let calls = uses.calls.iter().filter(|call| !call.is_method);
            placeholder.calls = calls.map(|call| call.callee.clone()).collect();
        }
        Err(SyntaxError { message, at }) => {
            let at = (range.start + 1 + at).min(range.end - 1);
            placeholder.error = Some(PlaceholderError { message, span: place(at..range.end - 1) });
        }
    }
    placeholder
}
