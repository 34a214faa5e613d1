//! Places: the protocol counts lines from 0 and columns in UTF-16 units, programs count bytes.

use lsp_types::{Position, Range};

/// A text with the beginnings of its lines. A line ends after `\n`, `\r\n` or a lone `\r`.
#[derive(Debug)]
pub struct Index<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Index<'a> {
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        let bytes = text.as_bytes();
        let ends_line = |at: &usize| match bytes[*at] {
            b'\n' => true,
            b'\r' => bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        };
        let starts = (0..bytes.len()).filter(ends_line).map(|at| at + 1);
        Self { text, starts: std::iter::once(0).chain(starts).collect() }
    }

    /// The place of an offset; one inside of a character counts as its beginning.
    #[must_use]
    pub fn position(&self, offset: usize) -> Position {
        let offset = self.text.floor_char_boundary(offset);
        let line = self.starts.partition_point(|start| *start <= offset).saturating_sub(1);
        let column = self.text[self.starts[line]..offset].encode_utf16().count();
        Position::new(to_u32(line), to_u32(column))
    }

    /// The offset of a place; beyond the end of a line it is that end, beyond the text the end of the text.
    #[must_use]
    pub fn offset(&self, position: Position) -> usize {
        let line = position.line as usize;
        let Some(&start) = self.starts.get(line) else { return self.text.len() };
        let end = self.starts.get(line + 1).copied().unwrap_or(self.text.len());
        let content = self.text[start..end].trim_end_matches(['\n', '\r']);
        let mut units = 0;
        for (at, char) in content.char_indices() {
            units += char.len_utf16();
            if units > position.character as usize {
                return start + at;
            }
        }
        start + content.len()
    }

    #[must_use]
    pub fn range(&self, span: std::ops::Range<usize>) -> Range {
        Range::new(self.position(span.start), self.position(span.end))
    }

    /// What stands before an offset in its line.
    #[must_use]
    pub fn line_before(&self, offset: usize) -> &'a str {
        let offset = self.text.floor_char_boundary(offset);
        let line = self.starts.partition_point(|start| *start <= offset).saturating_sub(1);
        &self.text[self.starts[line]..offset]
    }
}

/// Texts are limited to 4 GB.
pub(crate) fn to_u32(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
