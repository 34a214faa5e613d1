//! Finds `{expression}` in prose. `{{` and `}}` are braces; a brace that is never closed is one too.

use std::ops::Range;

use crate::lexer;

/// How many bytes may be read in vain for the ends of braces, so that a text full of open ones takes no square of time.
/// Braces after that are words.
const READ_IN_VAIN: usize = 1 << 20;

/// A piece of a text with placeholders. Ranges are offsets in that text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Words as they are shown, `{{` already read as `{`.
    Text { shown: String, range: Range<usize> },
    /// What stands between the braces; `range` includes them.
    Code { source: String, range: Range<usize> },
    /// A `{` without its `}`, shown as it is.
    Unclosed { at: usize },
}

/// Cuts a text into words and placeholders, left to right.
#[must_use]
pub fn scan(text: &str) -> Vec<Piece> {
    let mut scan = Scan { text, pieces: Vec::new(), shown: String::new(), from: 0, left: READ_IN_VAIN };
    let mut at = 0;
    while let Some(found) = memchr::memchr2(b'{', b'}', &text.as_bytes()[at..]) {
        at = scan.brace(at, at + found);
    }
    scan.shown.push_str(&text[at..]);
    scan.flush(text.len(), text.len());
    scan.pieces
}

struct Scan<'a> {
    text: &'a str,
    pieces: Vec<Piece>,
    shown: String,
    from: usize,
    left: usize,
}

impl Scan<'_> {
    /// Handles the brace at `brace`, words from `at` before it; says where to go on.
    fn brace(&mut self, at: usize, brace: usize) -> usize {
        self.shown.push_str(&self.text[at..brace]);
        let rest = &self.text[brace..];
        if rest.starts_with("{{") || rest.starts_with("}}") {
            self.shown.push_str(&rest[..1]);
            return brace + 2;
        }
        if rest.starts_with('}') {
            self.shown.push('}');
            return brace + 1;
        }
        let close = if self.left > 0 { close_of(self.text, brace + 1) } else { None };
        match close {
            Some(close) => {
                self.flush(brace, close + 1);
                let source = self.text[brace + 1..close].to_owned();
                self.pieces.push(Piece::Code { source, range: brace..close + 1 });
                close + 1
            }
            None => {
                self.left = self.left.saturating_sub(rest.len());
                self.flush(brace, brace);
                self.pieces.push(Piece::Unclosed { at: brace });
                self.shown.push('{');
                brace + 1
            }
        }
    }

    fn flush(&mut self, end: usize, next: usize) {
        if !self.shown.is_empty() {
            let shown = std::mem::take(&mut self.shown);
            self.pieces.push(Piece::Text { shown, range: self.from..end });
        }
        self.from = next;
    }
}

/// Python's rules say where the expression ends; if a quote of the prose confuses them, the next brace does.
fn close_of(text: &str, from: usize) -> Option<usize> {
    lexer::closing_brace(text, from).or_else(|| {
        let mut depth = 0_usize;
        text.bytes().enumerate().skip(from).take_while(|(_, byte)| *byte != b'\n').find_map(|(at, byte)| {
            match byte {
                b'{' => depth += 1,
                b'}' if depth == 0 => return Some(at),
                b'}' => depth -= 1,
                _ => {}
            }
            None
        })
    })
}
