//! Where something stands: byte ranges in a file, and the lines and columns people count in.

use std::ops::Range;

use serde::Serialize;

/// A source file of a program, by its order of loading.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct FileId(pub u32);

/// A byte range in one file. Both ends lie on character boundaries of that file.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct Span {
    pub file: FileId,
    pub start: u32,
    pub end: u32,
}

impl Span {
    /// The range as indices into the text of the file.
    #[must_use]
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The empty span where this one begins: the place to insert something before it.
    #[must_use]
    pub fn at_start(self) -> Self {
        Self { end: self.start, ..self }
    }

    /// The empty span where this one ends.
    #[must_use]
    pub fn at_end(self) -> Self {
        Self { start: self.end, ..self }
    }

    /// From the beginning of this span to the end of the other; this span alone if they are in different files.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        if self.file == other.file { Self { end: self.end.max(other.end), ..self } } else { self }
    }

    /// Whether the other span lies inside this one.
    #[must_use]
    pub fn contains(self, other: Self) -> bool {
        self.file == other.file && self.start <= other.start && other.end <= self.end
    }
}

/// A place as an editor shows it: both count from 1, columns in characters.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Position {
    pub line: u32,
    pub column: u32,
}

/// A value and where it was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Spanned<T> {
    pub value: T,
    pub span: Span,
}

impl<T> Spanned<T> {
    pub fn new(value: T, span: Span) -> Self {
        Self { value, span }
    }
}

/// Where lines begin. A line ends after `\n`, `\r\n` or a lone `\r`, as in Markdown.
#[derive(Clone, Debug)]
pub(crate) struct Lines(Vec<u32>);

impl Lines {
    pub(crate) fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        for at in memchr::memchr2_iter(b'\n', b'\r', bytes) {
            let is_crlf_head = bytes[at] == b'\r' && bytes.get(at + 1) == Some(&b'\n');
            if !is_crlf_head {
                starts.push(to_u32(at + 1));
            }
        }
        Self(starts)
    }

    /// The line that holds an offset, from 0.
    pub(crate) fn line_of(&self, offset: usize) -> usize {
        self.0.partition_point(|&start| start as usize <= offset).saturating_sub(1)
    }

    /// The offset of a line's first byte; the end of the text for lines that do not exist.
    pub(crate) fn start(&self, line: usize, text: &str) -> usize {
        self.0.get(line).map_or(text.len(), |&start| start as usize)
    }

    /// A line with its line break.
    pub(crate) fn range(&self, line: usize, text: &str) -> Range<usize> {
        self.start(line, text)..self.start(line + 1, text)
    }

    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn position(&self, offset: usize, text: &str) -> Position {
        let offset = floor(text, offset);
        let line = self.line_of(offset);
        let column = text[self.start(line, text)..offset].chars().count();
        Position { line: to_u32(line + 1), column: to_u32(column + 1) }
    }
}

/// The nearest character boundary at or before an offset.
pub(crate) fn floor(text: &str, offset: usize) -> usize {
    let mut at = offset.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Sources are limited to 4 GB; beyond it positions stick to the end instead of wrapping.
pub(crate) fn to_u32(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
