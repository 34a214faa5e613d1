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

/// Larger texts are read by several threads.
const LARGE: usize = 128 * 1024;

pub(crate) fn blocks(text: &str, lines: &Lines) -> Vec<Block> {
    if text.len() >= LARGE
        && let Some(blocks) = in_parts(text, &cuts(text))
    {
        return blocks;
    }
    whole(text, lines)
}

/// Places to cut a text in about equal parts: a playbook's heading after a blank line ends every other block.
fn cuts(text: &str) -> Vec<usize> {
    let parts = std::thread::available_parallelism().map_or(1, |count| count.get().min(4));
    let mut cuts = vec![0];
    for part in 1..parts {
        let from = floor(text, (text.len() / parts * part).max(cuts[cuts.len() - 1] + 1));
        if let Some(at) = memchr::memmem::find(&text.as_bytes()[from..], b"\n\n## ") {
            cuts.push(from + at + 2);
        }
    }
    cuts.dedup();
    cuts.push(text.len());
    cuts
}

/// The blocks of all parts; nothing if a part ends in code or HTML, which could go on beyond the cut.
fn in_parts(text: &str, cuts: &[usize]) -> Option<Vec<Block>> {
    let parts: Vec<Vec<Block>> = std::thread::scope(|scope| {
        let read = |range: &[usize]| {
            let (start, part) = (range[0], &text[range[0]..range[1]]);
            scope.spawn(move || {
                let mut blocks = whole(part, &Lines::new(part));
                blocks.iter_mut().for_each(|block| block.shift(start));
                blocks
            })
        };
        let threads: Vec<_> = cuts.windows(2).map(read).collect();
        threads.into_iter().map(|thread| thread.join().ok()).collect::<Option<Vec<_>>>()
    })?;
    let is_open = |blocks: &Vec<Block>| {
        blocks.last().is_some_and(|last| matches!(last.kind, Kind::Code { .. } | Kind::Html))
    };
    let (_, before_last) = parts.split_last()?;
    if before_last.iter().any(is_open) {
        return None;
    }
    Some(parts.into_iter().flatten().collect())
}

fn whole(text: &str, lines: &Lines) -> Vec<Block> {
    let arena = Arena::new();
    let mut options = Options::default();
    // `---` ends metadata; it must not turn the line above into a heading.
    options.parse.ignore_setext = true;
    let root = parse_document(&arena, text, &options);
    children(root, &(0..text.len()), text, lines)
}

impl Block {
    fn shift(&mut self, by: usize) {
        self.range = self.range.start + by..self.range.end + by;
        self.children.iter_mut().for_each(|child| child.shift(by));
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn flat(blocks: &[Block]) -> Vec<(Kind, Range<usize>)> {
        blocks
            .iter()
            .flat_map(|block| {
                let mut all = vec![(block.kind.clone(), block.range.clone())];
                all.extend(flat(&block.children));
                all
            })
            .collect()
    }

    #[test]
    fn parts_give_the_same_blocks_as_the_whole() {
        let endings =
            ["- a\n  - b\n", "> quote\n", "text\n", "- ```python\n  x\n", "# H\n", "1. a\n\n   b\n"];
        for (ending, next) in
            endings.iter().zip(["- c\n", "    code\n", "", "```\nx\n```\n", "<div>\n", "|a|\n"])
        {
            let text = format!("# A\n\n## One\n{ending}\n\n## Two\n{next}\n\n## Three\nend é\n");
            let cuts: Vec<usize> = [0, text.find("## Two").unwrap(), text.len()].to_vec();
            let parts = in_parts(&text, &cuts).unwrap();
            assert_eq!(flat(&parts), flat(&whole(&text, &Lines::new(&text))), "{text}");
        }
    }

    #[test]
    fn a_part_that_ends_in_code_is_read_with_the_rest() {
        let text = "# A\n```\ncode\n\n## not a heading\n```\n";
        assert!(in_parts(text, &[0, text.find("## not").unwrap(), text.len()]).is_none());
    }
}
