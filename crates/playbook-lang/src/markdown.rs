//! Markdown blocks with byte ranges. Text is never taken from rendered inlines, so that `$a * $b`, `_` and
//! `<tag>` stay what they are.

use std::ops::Range;

use comrak::nodes::{AstNode, NodeValue, Sourcepos};
use comrak::{Arena, Options, parse_document};

use crate::span::{Lines, floor};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Heading(u8),
    Paragraph,
    List,
    Item,
    Code { info: String },
    Html,
    Other,
}

impl Kind {
    /// The level of a heading that begins an agent, a playbook or a section.
    pub(crate) fn head_level(&self) -> Option<u8> {
        if let Kind::Heading(level) = self { Some(*level).filter(|level| *level <= 3) } else { None }
    }
}

/// A block and the blocks in it; a child never reaches beyond its parent.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) kind: Kind,
    pub(crate) range: Range<usize>,
    pub(crate) children: Vec<Block>,
}

pub(crate) fn blocks(text: &str, lines: &Lines) -> Vec<Block> {
    let arena = Arena::new();
    let mut options = Options::default();
    // `---` ends metadata; it must not turn the line above into a heading.
    options.parse.ignore_setext = true;
    let root = parse_document(&arena, text, &options);
    children(root, &(0..text.len()), text, lines)
}

fn children<'a>(node: &'a AstNode<'a>, within: &Range<usize>, text: &str, lines: &Lines) -> Vec<Block> {
    let mut from = within.start;
    let mut blocks = Vec::new();
    for child in node.children() {
        let Some(kind) = kind_of(&child.data.borrow().value) else { continue };
        let range = range_of(child.data.borrow().sourcepos, text, lines);
        let start = range.start.clamp(from, within.end);
        let range = start..range.end.clamp(start, within.end);
        from = range.end;
        let nested = match kind {
            Kind::List | Kind::Item => children(child, &range, text, lines),
            Kind::Heading(_) | Kind::Paragraph | Kind::Code { .. } | Kind::Html | Kind::Other => Vec::new(),
        };
        blocks.push(Block { kind, range, children: nested });
    }
    blocks
}

#[expect(clippy::wildcard_enum_match_arm, reason = "inlines are not blocks")]
fn kind_of(value: &NodeValue) -> Option<Kind> {
    match value {
        NodeValue::Heading(heading) => Some(Kind::Heading(heading.level)),
        NodeValue::Paragraph => Some(Kind::Paragraph),
        NodeValue::List(_) => Some(Kind::List),
        NodeValue::Item(_) => Some(Kind::Item),
        NodeValue::CodeBlock(code) => Some(Kind::Code { info: code.info.clone() }),
        NodeValue::HtmlBlock(_) => Some(Kind::Html),
        NodeValue::BlockQuote | NodeValue::ThematicBreak => Some(Kind::Other),
        _ => None,
    }
}

fn range_of(position: Sourcepos, text: &str, lines: &Lines) -> Range<usize> {
    let offset = |line: usize, column: usize| {
        let range = lines.range(line.saturating_sub(1), text);
        (range.start + column).min(range.end)
    };
    let start = floor(text, offset(position.start.line, position.start.column.saturating_sub(1)));
    let mut end = offset(position.end.line, position.end.column);
    while !text.is_char_boundary(end) {
        end += 1;
    }
    start..end.max(start)
}
