//! Lays a file out: one blank line between parts, `-` for bullets, two blanks for every level.
//!
//! A formatter must never change what a program does. So the result is read again and compared with the source;
//! if it differs in anything but layout, the source is returned as it is.

use crate::load::{Expanded, has_imports};
use crate::markdown::{self, Block, Kind};
use crate::program::Program;
use crate::section::{self, Section};
use crate::source::SourceFile;
use crate::span::Lines;

/// The file with a regular layout.
#[must_use]
pub fn format(source: &str) -> String {
    // What an import brings may go on in the lines after it: nobody can tell from here what moving them would do.
    if has_imports(source) {
        return source.to_owned();
    }
    if is_crlf(source) {
        return format(&source.replace("\r\n", "\n")).replace('\n', "\r\n");
    }
    let laid_out = layout(source);
    let is_stable = layout(&laid_out) == laid_out;
    if is_stable && ink(source) == ink(&laid_out) && meaning(source) == meaning(&laid_out) {
        laid_out
    } else {
        source.to_owned()
    }
}

/// Whether every line ends as on Windows; then it stays so.
fn is_crlf(source: &str) -> bool {
    let pairs = source.matches("\r\n").count();
    pairs > 0 && source.matches('\n').count() == pairs && source.matches('\r').count() == pairs
}

/// The tree without places.
fn meaning(source: &str) -> serde_json::Value {
    Program::parse(vec![SourceFile::new("file", source)]).to_json()
}

/// Everything but layout: letters and digits in their order.
fn ink(source: &str) -> impl PartialEq + use<> {
    source
        .chars()
        .filter(|char| char.is_alphanumeric() || "$\"'{}[]()=<>".contains(*char))
        .collect::<String>()
}

fn layout(source: &str) -> String {
    let body = Expanded::body_of(source);
    let text = &source[body..];
    let lines = Lines::new(text);
    let blocks = markdown::blocks(text, &lines);
    let mut out = Out { text, lines: &lines, out: source[..body].trim_end().to_owned() };
    let mut index = 0;
    let first = blocks.iter().position(is_head).unwrap_or(blocks.len());
    let preamble = out.raw(0, blocks.get(first));
    out.part(&preamble);
    index += first;
    while let Some(head) = blocks.get(index) {
        let next = blocks[index + 1..].iter().position(is_head).map_or(blocks.len(), |at| index + 1 + at);
        out.area(head, &blocks[index + 1..next], blocks.get(next));
        index = next;
    }
    let mut text = out.out.trim_end().to_owned();
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

fn is_head(block: &Block) -> bool {
    block.kind.head_level().is_some()
}

struct Out<'a> {
    text: &'a str,
    lines: &'a Lines,
    out: String,
}

impl Out<'_> {
    /// A part with a blank line before it.
    fn part(&mut self, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        if !self.out.is_empty() {
            self.out.push_str("\n\n");
        }
        self.out.push_str(text.trim_end());
    }

    /// The lines from an offset to a block, as they are, without the blank ones around them.
    fn raw(&self, from: usize, to: Option<&Block>) -> String {
        let end = to.map_or(self.text.len(), |block| self.line_start(block));
        let slice = self.text.get(from..end).unwrap_or_default();
        let blank = slice
            .split_inclusive('\n')
            .take_while(|line| line.trim().is_empty())
            .map(str::len)
            .sum::<usize>();
        slice[blank..].trim_end().to_owned()
    }

    fn line_start(&self, block: &Block) -> usize {
        self.lines.start(self.lines.line_of(block.range.start), self.text)
    }

    fn area(&mut self, head: &Block, blocks: &[Block], next: Option<&Block>) {
        let heading = self.text[head.range.clone()].trim();
        let title = heading.trim_start_matches('#');
        let level = heading.len() - title.len();
        let title = title.trim();
        self.part(format!("{} {title}", "#".repeat(level)).trim_end());
        let body = if level == 3 && !matches!(section::of(title), Section::Other) && has_only_lists(blocks) {
            blocks.iter().map(|list| self.list(list)).collect::<Vec<_>>().join("\n")
        } else {
            let line = self.lines.line_of(head.range.start);
            self.raw(self.lines.start(line + 1, self.text), next)
        };
        if !body.is_empty() {
            self.out.push('\n');
            self.out.push_str(&body);
        }
    }

    fn list(&self, list: &Block) -> String {
        let mut lines = Vec::new();
        self.items(list, "", &mut lines);
        lines.join("\n")
    }

    fn items(&self, list: &Block, indent: &str, lines: &mut Vec<String>) {
        for item in &list.children {
            let slice = &self.text[item.range.clone()];
            let marker = marker(slice);
            let inner = format!("{indent}{}", " ".repeat(marker.len() + 1));
            let head = format!("{indent}{marker} ");
            let mut is_first = true;
            for child in &item.children {
                if child.kind == Kind::List {
                    if is_first {
                        lines.push(format!("{indent}{marker}"));
                    }
                    self.items(child, &inner, lines);
                } else {
                    if !is_first && child.kind == Kind::Paragraph {
                        lines.push(String::new());
                    }
                    self.words(child, is_first.then_some(head.as_str()), &inner, lines);
                }
                is_first = false;
            }
            if item.children.is_empty() {
                lines.push(format!("{indent}{marker}"));
            }
        }
    }

    fn words(&self, block: &Block, head: Option<&str>, indent: &str, lines: &mut Vec<String>) {
        let column = block.range.start - self.line_start(block);
        let is_code = matches!(block.kind, Kind::Code { .. });
        for (number, line) in self.text[block.range.clone()].trim_end().lines().enumerate() {
            let line = if number == 0 || !is_code { line.trim() } else { dedent(line, column) };
            match head {
                Some(head) if number == 0 => lines.push(format!("{head}{line}")),
                _ if line.is_empty() => lines.push(String::new()),
                _ => lines.push(format!("{indent}{line}")),
            }
        }
    }
}

fn has_only_lists(blocks: &[Block]) -> bool {
    !blocks.is_empty() && blocks.iter().all(|block| block.kind == Kind::List)
}

/// `-` for bullets; numbers stay.
fn marker(item: &str) -> &str {
    let digits = item.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 { "-" } else { item.get(..digits + 1).unwrap_or("-") }
}

fn dedent(line: &str, columns: usize) -> &str {
    let blanks = line.bytes().take(columns).take_while(|byte| *byte == b' ').count();
    &line[blanks..]
}
