//! An open document, as the editor has it.

use lsp_types::{TextDocumentContentChangeEvent, Uri};

use crate::position::Index;

#[derive(Clone, Debug)]
pub struct Document {
    pub uri: Uri,
    /// How programs name it: its path, or its address if it has none yet.
    pub name: String,
    pub text: String,
    pub version: i32,
    /// The file that imports this one and is read in its place.
    pub root: Option<String>,
}

impl Document {
    /// Changes the text as the editor did; a change without a range replaces all of it.
    pub fn change(&mut self, change: TextDocumentContentChangeEvent) {
        let Some(range) = change.range else {
            self.text = change.text;
            return;
        };
        let index = Index::new(&self.text);
        let (start, end) = (index.offset(range.start), index.offset(range.end));
        self.text.replace_range(start.min(end)..end.max(start), &change.text);
    }
}
