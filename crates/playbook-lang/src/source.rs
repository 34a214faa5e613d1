//! The files a program was read from.

use crate::span::{FileId, Lines, Position, Span, floor, to_u32};

/// A file as it is given to the parser: a name to show, and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    pub name: String,
    pub text: String,
}

impl SourceFile {
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), text: text.into() }
    }

    /// Bytes that are not UTF-8 become replacement characters, so that any file can be looked at.
    #[must_use]
    pub fn from_bytes(name: impl Into<String>, bytes: &[u8]) -> Self {
        Self::new(name, String::from_utf8_lossy(bytes))
    }

    /// Whether this is the compiled form of the public implementation: numbered, coded steps.
    pub(crate) fn is_compiled(&self) -> bool {
        self.name.ends_with(".pbasm")
    }
}

/// Every file of a program, imported ones included.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: Vec<(SourceFile, Lines)>,
}

impl Sources {
    pub(crate) fn add(&mut self, file: SourceFile) -> FileId {
        let lines = Lines::new(&file.text);
        self.files.push((file, lines));
        FileId(to_u32(self.files.len() - 1))
    }

    #[must_use]
    pub fn file(&self, id: FileId) -> Option<&SourceFile> {
        self.files.get(id.0 as usize).map(|(file, _)| file)
    }

    pub fn iter(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files.iter().enumerate().map(|(index, (file, _))| (FileId(to_u32(index)), file))
    }

    /// The text of a span; empty if the span is not of this program.
    #[must_use]
    pub fn slice(&self, span: Span) -> &str {
        self.file(span.file).and_then(|file| file.text.get(span.range())).unwrap_or_default()
    }

    /// Line and column of a span's beginning.
    #[must_use]
    pub fn start(&self, span: Span) -> Position {
        self.position(span.file, span.start)
    }

    /// Line and column just after a span.
    #[must_use]
    pub fn end(&self, span: Span) -> Position {
        self.position(span.file, span.end)
    }

    #[must_use]
    pub fn position(&self, file: FileId, offset: u32) -> Position {
        match self.files.get(file.0 as usize) {
            Some((file, lines)) => lines.position(offset as usize, &file.text),
            None => Position { line: 1, column: 1 },
        }
    }

    /// The offset of a line and column, for editors; clamped to the text.
    #[must_use]
    pub fn offset(&self, file: FileId, position: Position) -> u32 {
        let Some((file, lines)) = self.files.get(file.0 as usize) else { return 0 };
        let range = lines.range(position.line.saturating_sub(1) as usize, &file.text);
        let line = &file.text[range.clone()];
        let column = position.column.saturating_sub(1) as usize;
        let within = line
            .char_indices()
            .nth(column)
            .map_or_else(|| line.trim_end_matches(['\n', '\r']).len(), |(at, _)| at);
        to_u32(floor(&file.text, range.start + within))
    }
}
