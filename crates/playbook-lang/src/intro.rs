//! What stands between a heading and the first section: metadata, description, Python; and the heading itself.

use std::ops::Range;

use crate::build::{Area, File};
use crate::diagnostic::{Code, Diagnostic};
use crate::expr;
use crate::items;
use crate::markdown::{Block, Kind};
use crate::meta::{self, Entry, Meta};
use crate::placeholder::Template;
use crate::signature;
use crate::span::{Span, Spanned};
use crate::tree::{self, Param};

/// The area between a heading and the first section.
pub(crate) struct Intro<'a> {
    pub(crate) meta: Meta,
    pub(crate) description: Template,
    /// A list right under the heading that takes the place of a section of steps.
    pub(crate) steps: Option<&'a Block>,
    pub(crate) python: Vec<&'a Block>,
}

/// What a list right under a heading is.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(crate) enum FirstList {
    Steps,
    Prose,
}

pub(crate) fn intro<'a>(
    area: &Area<'a>,
    first_list: FirstList,
    file: &File<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Intro<'a> {
    let python: Vec<&Block> = area.blocks.iter().filter(|block| is_python(block)).collect();
    let hidden = area.blocks.iter().filter(|block| is_python(block) || is_comment(block, file));
    let hidden: Vec<Range<usize>> = hidden.map(|block| block.range.clone()).collect();
    let opaque: Vec<Range<usize>> = area
        .blocks
        .iter()
        .filter(|block| matches!(block.kind, Kind::Code { .. } | Kind::Html))
        .map(|block| block.range.clone())
        .collect();
    let (meta, taken) = metadata(area, file, &opaque, diagnostics);
    let is_taken =
        |range: &Range<usize>| taken.iter().any(|taken| taken.start <= range.start && range.end <= taken.end);
    let first = area
        .blocks
        .iter()
        .find(|block| !is_python(block) && !is_comment(block, file) && !is_taken(&block.range));
    let is_list = |block: &&Block| block.kind == Kind::List && !overlaps(&taken, &block.range);
    let steps = first.filter(|block| first_list == FirstList::Steps && is_list(block));
    let mut skip = taken;
    skip.extend(hidden);
    skip.extend(steps.map(|list| list.range.clone()));
    skip.sort_by_key(|range| range.start);
    let mut description = template(area.body.clone(), &skip, file, diagnostics);
    if description.text.is_empty() {
        description.span = file.span(area.heading.range.clone()).at_end();
    }
    Intro { meta, description, steps, python }
}

fn overlaps(ranges: &[Range<usize>], range: &Range<usize>) -> bool {
    ranges.iter().any(|other| other.start < range.end && range.start < other.end)
}

pub(crate) fn is_python(block: &Block) -> bool {
    matches!(&block.kind, Kind::Code { info } if info.split_whitespace().next() == Some("python"))
}

fn is_comment(block: &Block, file: &File<'_>) -> bool {
    block.kind == Kind::Html && file.text()[block.range.clone()].trim_start().starts_with("<!--")
}

/// The metadata of an area and the ranges it takes.
fn metadata(
    area: &Area<'_>,
    file: &File<'_>,
    opaque: &[Range<usize>],
    diagnostics: &mut Vec<Diagnostic>,
) -> (Meta, Vec<Range<usize>>) {
    let text = file.text();
    let mut ranges = Vec::new();
    let mut at = area.body.start;
    while at < area.body.end {
        let end = file.lines.range(file.lines.line_of(at), text).end.min(area.body.end);
        ranges.push(at..end);
        at = end;
    }
    let lines: Vec<Option<&str>> =
        ranges.iter().map(|range| (!overlaps(opaque, range)).then(|| &text[range.clone()])).collect();
    let mut meta = Meta::default();
    let mut taken = Vec::new();
    for found in meta::find(&lines) {
        let range = ranges[found.lines.start].start..ranges[found.lines.end - 1].end;
        let span = file.span(items::trimmed(text, range.clone()));
        match found.entries {
            Ok(entries) => {
                for (key, value) in entries {
                    let span = key_span(&key, &ranges[found.lines.clone()], file).unwrap_or(span);
                    meta.entries.push(Entry { key, value, span });
                }
            }
            Err(reason) => {
                let message = format!("the metadata cannot be read: {reason}");
                diagnostics.push(Diagnostic::new(Code::Metadata, span, message));
            }
        }
        taken.push(range);
    }
    (meta, taken)
}

fn key_span(key: &str, lines: &[Range<usize>], file: &File<'_>) -> Option<Span> {
    lines.iter().find_map(|range| {
        let line = &file.text()[range.clone()];
        let start = line.len() - line.trim_start().len();
        let rest = line[start..].strip_prefix(key)?;
        rest.starts_with(':').then(|| file.span(range.start + start..range.start + start + key.len()))
    })
}

/// The text of an area without the ranges to skip.
fn template(
    body: Range<usize>,
    skip: &[Range<usize>],
    file: &File<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Template {
    let text = file.text();
    let mut kept: Vec<Range<usize>> = Vec::new();
    let mut at = body.start;
    for range in skip.iter().filter(|range| range.end > body.start && range.start < body.end) {
        if range.start > at {
            kept.push(at..range.start);
        }
        at = at.max(range.end.min(body.end));
    }
    kept.push(at..body.end);
    while kept.first().is_some_and(|range| text[range.clone()].trim().is_empty()) {
        kept.remove(0);
    }
    while kept.last().is_some_and(|range| text[range.clone()].trim().is_empty()) {
        kept.pop();
    }
    let last = kept.len().saturating_sub(1);
    let mut template = Template::default();
    for (index, range) in kept.iter().enumerate() {
        let slice = &text[range.clone()];
        let start =
            if index == 0 { range.start + (slice.len() - slice.trim_start().len()) } else { range.start };
        let end = if index == last { range.start + slice.trim_end().len() } else { range.end };
        for brace in
            template.push(&text[start..end], &|inner| file.span(start + inner.start..start + inner.end))
        {
            let message = "a `{` opens a placeholder that is never closed";
            diagnostics.push(
                Diagnostic::new(Code::UnclosedBrace, brace, message)
                    .help("close it with `}`, or write `{{` for a brace")
                    .suggest("write a literal brace", brace, "{{"),
            );
        }
        let span = file.span(start..end);
        template.span = if index == 0 { span } else { template.span.to(span) };
    }
    template
}

pub(crate) struct Heading {
    pub(crate) title: Spanned<String>,
    pub(crate) name: Spanned<String>,
    pub(crate) params: Vec<Param>,
    pub(crate) returns: Option<Spanned<String>>,
}

pub(crate) fn heading(
    title: &str,
    range: Range<usize>,
    file: &File<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Heading {
    let signature = signature::parse(title);
    let place =
        |inner: &Range<usize>| file.span(range.start + inner.start..(range.start + inner.end).min(range.end));
    let text = |inner: &Range<usize>| Spanned::new(title[inner.clone()].to_owned(), place(inner));
    for (code, at, message) in &signature.problems {
        diagnostics.push(Diagnostic::new(*code, place(at), message.clone()));
    }
    if title[signature.name.clone()].is_empty() {
        let message = "a playbook needs a name: write it after `##`";
        diagnostics.push(Diagnostic::new(Code::Signature, file.span(range.clone()), message));
    }
    let params = signature.params.iter().map(|param| Param {
        name: text(&param.name),
        is_state: param.is_state,
        kind: param.kind,
        ty: param.ty.as_ref().map(&text),
        default: param.default.as_ref().map(|default| {
            let source = text(default);
            let value = expr::literal_of(&source.value);
            if value.is_none() {
                let message = format!("the default `{}` is not a literal", source.value);
                let diagnostic = Diagnostic::new(Code::Signature, source.span, message)
                    .help("use a number, a quoted text, a list, a dict, True, False or None");
                diagnostics.push(diagnostic);
            }
            tree::Default { source, value }
        }),
    });
    let params: Vec<Param> = params.collect();
    Heading {
        title: Spanned::new(title.to_owned(), file.span(range.clone())),
        name: text(&signature.name),
        params,
        returns: signature.returns.as_ref().map(text),
    }
}
