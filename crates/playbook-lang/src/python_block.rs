//! Python blocks of a file: their code, and their functions as playbooks.

use std::ops::Range;

use crate::build::File;
use crate::diagnostic::{Code, Diagnostic};
use crate::markdown::Block;
use crate::meta::{Entry, Meta};
use crate::name;
use crate::placeholder::Template;
use crate::python;
use crate::span::{Span, Spanned};
use crate::tree::{self, Agent, Mode, Param, Playbook, PythonBlock};
use crate::trigger::Trigger;

/// Python blocks belong to the agent, wherever they stand.
pub(crate) fn take(
    agent: &mut Agent,
    blocks: Vec<&Block>,
    file: &File<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    for block in blocks {
        let (code, start) = code_of(block, file);
        let module = python::parse(&code);
        let span = file.span(block.range.clone());
        let place = |range: Range<usize>| match start {
            Some(start) => file.span(start + range.start..(start + range.end).min(block.range.end)),
            None => span,
        };
        if let Some((at, message)) = module.error {
            let message = format!("this Python does not parse: {message}");
            diagnostics.push(Diagnostic::new(Code::PythonSyntax, place(at..at), message));
        }
        for found in module.playbooks {
            agent.playbooks.push(python_playbook(found, &place));
        }
        agent.python.push(PythonBlock { code, span, functions: module.functions });
    }
}

/// The lines between the fences; with their offset, unless an indented fence moved them.
fn code_of(block: &Block, file: &File<'_>) -> (String, Option<usize>) {
    let text = file.text();
    let first = file.lines.line_of(block.range.start);
    let start = file.lines.start(first + 1, text).min(block.range.end);
    let mut end = block.range.end;
    let last = file.lines.start(file.lines.line_of(end.saturating_sub(1).max(block.range.start)), text);
    let fence = text[last.min(end)..end].trim();
    if last > block.range.start && (fence.starts_with("```") || fence.starts_with("~~~")) {
        end = last;
    }
    let end = end.max(start);
    let indent = block.range.start - file.lines.start(first, text);
    if indent == 0 {
        return (text[start..end].to_owned(), Some(start));
    }
    let dedent = |line: &str| {
        line.get(indent..).filter(|_| line[..indent].trim().is_empty()).unwrap_or(line).to_owned()
    };
    let code: Vec<String> = text[start..end]
        .split_inclusive('\n')
        .map(|line| {
            if line.is_char_boundary(indent.min(line.len())) && line.len() > indent {
                dedent(line)
            } else {
                line.trim_start().to_owned()
            }
        })
        .collect();
    (code.concat(), None)
}

fn python_playbook(found: python::PythonPlaybook, place: &dyn Fn(Range<usize>) -> Span) -> Playbook {
    let span = place(found.range);
    let name_span = place(found.name_range);
    let spanned = |text: String| Spanned::new(text, name_span);
    let params = found.params.into_iter().map(|param| Param {
        name: spanned(param.name),
        is_state: false,
        kind: param.kind,
        ty: param.ty.map(&spanned),
        default: param.default.map(|(source, value)| tree::Default { source: spanned(source), value }),
    });
    let params: Vec<Param> = params.collect();
    let triggers = found.triggers.iter().enumerate();
    let description = Template { text: found.description.clone(), parts: Vec::new(), span: name_span };
    Playbook {
        title: spanned(found.name.clone()),
        key: name::key(&found.name),
        name: spanned(found.name),
        params,
        returns: found.returns.map(&spanned),
        meta: Meta {
            entries: found
                .meta
                .into_iter()
                .map(|(key, value)| Entry { key, value, span: name_span })
                .collect(),
        },
        description,
        triggers: triggers.map(|(index, text)| Trigger::new(index + 1, text, name_span)).collect(),
        steps: Vec::new(),
        notes: Vec::new(),
        sections: Vec::new(),
        mode: Mode::Python,
        span,
    }
}
