//! An open document read as the program it belongs to.

use std::cell::OnceCell;
use std::rc::Rc;

use lsp_types::{Location, Range, Uri};
use playbook_lang::{FileId, Loader, Playbook, Program, SourceFile, Span, Step, Symbols};

use crate::Files;
use crate::document::Document;
use crate::position::{Index, to_u32};

/// Open documents stand for their files.
struct Open<'a> {
    documents: &'a [Document],
    files: &'a dyn Files,
}

impl Loader for Open<'_> {
    fn load(&self, importer: &str, path: &str) -> Result<SourceFile, String> {
        let mut file = self.files.load(importer, path)?;
        if let Some(open) = self.documents.iter().find(|document| document.name == file.name) {
            file.text.clone_from(&open.text);
        }
        Ok(file)
    }
}

/// A program as it was read, until a document changes.
pub(crate) struct Reading {
    program: Program,
    /// The document within the program.
    file: FileId,
    /// Diagnostics do without.
    symbols: OnceCell<Symbols>,
}

impl Reading {
    /// Reads a document with what it imports; a part of another file is read with that file around it.
    pub(crate) fn new(document: &Document, documents: &[Document], files: &dyn Files) -> Self {
        let loader = Open { documents, files };
        let around = document.root.as_ref().and_then(|root| {
            let file = loader.load("", root).ok()?;
            let program = Program::parse_with(vec![file], &loader);
            file_of(&program, &document.name).map(|file| (program, file))
        });
        let (program, file) = around.unwrap_or_else(|| {
            let file = SourceFile::new(document.name.clone(), document.text.clone());
            (Program::parse_with(vec![file], &loader), FileId(0))
        });
        Self { program, file, symbols: OnceCell::new() }
    }
}

/// A document and the program it belongs to, to be asked about.
pub(crate) struct Analysis<'a> {
    reading: Rc<Reading>,
    pub(crate) document: &'a Document,
    documents: &'a [Document],
}

impl<'a> Analysis<'a> {
    pub(crate) fn new(reading: Rc<Reading>, document: &'a Document, documents: &'a [Document]) -> Self {
        Self { reading, document, documents }
    }

    pub(crate) fn program(&self) -> &Program {
        &self.reading.program
    }

    pub(crate) fn symbols(&self) -> &Symbols {
        self.reading.symbols.get_or_init(|| Symbols::new(&self.reading.program))
    }

    pub(crate) fn file(&self) -> FileId {
        self.reading.file
    }

    pub(crate) fn index(&self) -> Index<'_> {
        self.index_of(self.file())
    }

    pub(crate) fn index_of(&self, file: FileId) -> Index<'_> {
        Index::new(self.program().sources().file(file).map_or("", |file| file.text.as_str()))
    }

    pub(crate) fn text(&self) -> &str {
        self.program().sources().file(self.file()).map_or("", |file| file.text.as_str())
    }

    /// Whether a span stands in the document; a file that is imported twice has two numbers.
    pub(crate) fn is_here(&self, span: Span) -> bool {
        span.file == self.file()
            || self.program().sources().file(span.file).is_some_and(|file| file.name == self.document.name)
    }

    pub(crate) fn location(&self, span: Span) -> Option<Location> {
        let file = self.program().sources().file(span.file)?;
        Some(Location { uri: self.uri(&file.name)?, range: self.range(span) })
    }

    pub(crate) fn range(&self, span: Span) -> Range {
        self.index_of(span.file).range(span.range())
    }

    /// The address of a file by its name.
    pub(crate) fn uri(&self, name: &str) -> Option<Uri> {
        if let Some(open) = self.documents.iter().find(|document| document.name == name) {
            return Some(open.uri.clone());
        }
        url::Url::from_file_path(name).ok()?.as_str().parse().ok()
    }

    /// The numbers of the agent and the playbook around an offset of the document.
    pub(crate) fn around(&self, offset: usize) -> Option<(usize, Option<usize>)> {
        let holds = |span: Span| self.holds(span, offset);
        let in_playbook =
            |playbook: &Playbook| holds(playbook.span) || playbook.all_steps().any(|step| holds(step.span));
        let agents = || self.program().agents.iter().enumerate();
        agents()
            .find_map(|(number, agent)| {
                let found = agent.playbooks.iter().enumerate().filter(|(_, playbook)| in_playbook(playbook));
                // A Python function stands inside of the playbook above it.
                let inner = found.min_by_key(|(_, playbook)| playbook.span.range().len());
                inner.map(|(playbook, _)| (number, Some(playbook)))
            })
            .or_else(|| {
                let mut around = agents().filter(|(_, agent)| holds(agent.span));
                around.next_back().map(|(number, _)| (number, None))
            })
    }

    /// The innermost step at an offset of the document.
    pub(crate) fn step(&self, offset: usize) -> Option<&Step> {
        let playbooks = self.program().agents.iter().flat_map(|agent| &agent.playbooks);
        let steps = playbooks.flat_map(Playbook::all_steps).filter(|step| self.holds(step.span, offset));
        steps.min_by_key(|step| step.span.range().len())
    }

    pub(crate) fn holds(&self, span: Span, offset: usize) -> bool {
        let offset = to_u32(offset);
        span.file == self.file() && span.start <= offset && offset <= span.end
    }
}

fn file_of(program: &Program, name: &str) -> Option<FileId> {
    program.sources().iter().find(|(_, file)| file.name == name).map(|(id, _)| id)
}

/// The file beside a document that imports it.
pub(crate) fn root_of(document: &Document, documents: &[Document], files: &dyn Files) -> Option<String> {
    let loader = Open { documents, files };
    let open = documents.iter().map(|open| SourceFile::new(open.name.clone(), open.text.clone()));
    let candidates = open.chain(files.beside(&document.name));
    candidates
        .filter(|file| file.name != document.name && file.text.contains("!import"))
        .find(|file| file_of(&Program::parse_with(vec![file.clone()], &loader), &document.name).is_some())
        .map(|file| file.name)
}
