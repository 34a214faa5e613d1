//! Files into the text that is parsed: shebang and frontmatter taken off, imports put in, origins remembered.

use std::ops::Range;

use serde_json::{Map, Value};

use crate::diagnostic::{Code, Diagnostic};
use crate::meta;
use crate::source::{SourceFile, Sources};
use crate::span::{FileId, Lines, Span, to_u32};

const MAX_IMPORT_DEPTH: usize = 10;
const MAX_IMPORT_BYTES: usize = 1 << 20;
/// Imports within imports can double at every level; the whole stays bounded.
const MAX_EXPANDED_BYTES: usize = 16 << 20;

/// Finds the files that `!import` names. The parser itself opens nothing.
pub trait Loader {
    /// The file `path` as written in the file `importer`, under a name that tells files apart.
    fn load(&self, importer: &str, path: &str) -> Result<SourceFile, String>;
}

/// A loader without files: every import is an error in the tree's diagnostics.
pub struct NoImports;

impl Loader for NoImports {
    fn load(&self, _importer: &str, _path: &str) -> Result<SourceFile, String> {
        Err("imports are not available here".to_owned())
    }
}

/// Files in memory, found by the name they have or by their path beside the importing file.
pub struct Library(pub Vec<SourceFile>);

impl Loader for Library {
    fn load(&self, importer: &str, path: &str) -> Result<SourceFile, String> {
        let folder = importer.rsplit_once('/').map_or("", |(folder, _)| folder);
        let path = path.strip_prefix("file://").unwrap_or(path).trim_start_matches("./");
        let beside = if folder.is_empty() { path.to_owned() } else { format!("{folder}/{path}") };
        let find = |name: &str| self.0.iter().find(|file| file.name == name);
        find(&beside).or_else(|| find(path)).cloned().ok_or_else(|| format!("`{path}` was not found"))
    }
}

/// One root file with its imports in place.
#[derive(Default)]
pub(crate) struct Expanded {
    pub(crate) text: String,
    segments: Vec<Segment>,
}

/// From `at` on, the text comes from `source` of `file`; added indentation maps to one place.
struct Segment {
    at: usize,
    file: FileId,
    source: usize,
    is_added: bool,
}

impl Expanded {
    /// Where a file's text begins, after shebang and frontmatter.
    pub(crate) fn body_of(text: &str) -> usize {
        frontmatter_of(text).0
    }

    fn push(&mut self, file: FileId, source: usize, text: &str) {
        let continues = self.segments.last().is_some_and(|last| {
            !last.is_added && last.file == file && last.source + (self.text.len() - last.at) == source
        });
        if !continues {
            self.segments.push(Segment { at: self.text.len(), file, source, is_added: false });
        }
        self.text.push_str(text);
    }

    fn push_added(&mut self, file: FileId, source: usize, text: &str) {
        if !text.is_empty() {
            self.segments.push(Segment { at: self.text.len(), file, source, is_added: true });
            self.text.push_str(text);
        }
    }

    /// Where a range of the expanded text came from.
    pub(crate) fn span(&self, range: Range<usize>) -> Span {
        let Some((first, start)) = self.origin(range.start) else { return Span::default() };
        let segment = &self.segments[first];
        let last = if range.end > range.start { self.origin(range.end - 1) } else { None };
        let end = match last {
            None => start,
            Some((last, end)) if self.segments[last].file == segment.file && end >= start => end + 1,
            Some((last, _)) => self.last_of_file(first, last, start),
        };
        Span { file: segment.file, start: to_u32(start), end: to_u32(end.max(start)) }
    }

    /// Where a range that ends in an imported file ends in the file it began in.
    fn last_of_file(&self, first: usize, last: usize, start: usize) -> usize {
        let file = self.segments[first].file;
        let ends = (first..=last).rev().map(|index| (index, &self.segments[index]));
        let mut ends = ends.filter(|(_, segment)| segment.file == file && !segment.is_added);
        ends.find_map(|(index, segment)| {
            let end = segment.source + (self.segment_end(index) - segment.at);
            (end >= start).then_some(end)
        })
        .unwrap_or(start)
    }

    fn origin(&self, offset: usize) -> Option<(usize, usize)> {
        let index = self.segments.partition_point(|segment| segment.at <= offset).checked_sub(1)?;
        let segment = &self.segments[index];
        Some((index, segment.source + if segment.is_added { 0 } else { offset - segment.at }))
    }

    fn segment_end(&self, index: usize) -> usize {
        self.segments.get(index + 1).map_or(self.text.len(), |next| next.at)
    }
}

/// What loading gave: a text per root file and the merged frontmatter.
pub(crate) struct Loaded {
    pub(crate) sources: Sources,
    pub(crate) roots: Vec<Expanded>,
    pub(crate) frontmatter: Map<String, Value>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

pub(crate) fn load(files: Vec<SourceFile>, loader: &dyn Loader) -> Loaded {
    let loaded = Loaded {
        sources: Sources::default(),
        roots: Vec::new(),
        frontmatter: Map::new(),
        diagnostics: Vec::new(),
    };
    let mut work = Work { loaded, loader, stack: Vec::new() };
    for file in files {
        let mut out = Expanded::default();
        work.root(file, &mut out);
        work.loaded.roots.push(out);
    }
    work.loaded
}

struct Work<'a> {
    loaded: Loaded,
    loader: &'a dyn Loader,
    stack: Vec<String>,
}

impl Work<'_> {
    fn root(&mut self, file: SourceFile, out: &mut Expanded) {
        let name = file.name.clone();
        let text = file.text.clone();
        let compiled = file.is_compiled();
        let id = self.loaded.sources.add(file);
        let body = self.frontmatter(id, &text);
        self.stack.push(name);
        if compiled || !has_imports(&text) {
            out.push(id, body, &text[body..]);
        } else {
            self.lines(id, &text, body, "", out);
        }
        self.stack.pop();
    }

    /// Takes shebang and frontmatter off and says where the rest begins.
    fn frontmatter(&mut self, id: FileId, text: &str) -> usize {
        let (body, yaml) = frontmatter_of(text);
        if let Some(yaml) = yaml {
            self.merge(Span { file: id, start: to_u32(yaml.start), end: to_u32(yaml.end) }, &text[yaml]);
        }
        body
    }

    fn merge(&mut self, span: Span, yaml: &str) {
        match meta::parse_yaml(yaml) {
            Ok(entries) => {
                for (key, value) in entries {
                    if self.loaded.frontmatter.contains_key(&key) {
                        let text =
                            format!("frontmatter key `{key}` is given by two files; keep it in one of them");
                        self.loaded.diagnostics.push(Diagnostic::new(Code::Frontmatter, span, text));
                    } else {
                        self.loaded.frontmatter.insert(key, value);
                    }
                }
            }
            Err(reason) => {
                let text = format!("the frontmatter is not a YAML mapping: {reason}");
                self.loaded.diagnostics.push(Diagnostic::new(Code::Frontmatter, span, text));
            }
        }
    }

    fn lines(&mut self, id: FileId, text: &str, from: usize, indent: &str, out: &mut Expanded) {
        let lines = Lines::new(text);
        for line in lines.line_of(from)..lines.count() {
            let range = lines.range(line, text);
            let range = range.start.max(from)..range.end;
            let slice = &text[range.clone()];
            match import_of(slice) {
                Some((inner, path)) => {
                    let span = Span { file: id, start: to_u32(range.start), end: to_u32(range.end) };
                    self.import(span, &format!("{indent}{inner}"), path, out);
                    if !out.text.is_empty() && !out.text.ends_with('\n') {
                        out.push_added(id, range.start, "\n");
                    }
                }
                None => {
                    if !slice.trim().is_empty() {
                        out.push_added(id, range.start, indent);
                    }
                    out.push(id, range.start, slice);
                }
            }
        }
    }

    fn import(&mut self, at: Span, indent: &str, path: &str, out: &mut Expanded) {
        let importer = self.stack.last().cloned().unwrap_or_default();
        let file = match self.loader.load(&importer, path) {
            Ok(file) => file,
            Err(reason) => return self.fail(Code::Import, at, format!("cannot import `{path}`: {reason}")),
        };
        if let Some(first) = self.stack.iter().position(|name| *name == file.name) {
            let chain = format!("{} → {}", self.stack[first..].join(" → "), file.name);
            return self.fail(Code::ImportCycle, at, format!("`{path}` imports itself: {chain}"));
        }
        if self.stack.len() > MAX_IMPORT_DEPTH {
            return self.fail(Code::Import, at, format!("imports are nested deeper than {MAX_IMPORT_DEPTH}"));
        }
        if file.text.len() > MAX_IMPORT_BYTES || out.text.len() + file.text.len() > MAX_EXPANDED_BYTES {
            return self.fail(
                Code::Import,
                at,
                format!("`{path}` is too large to import (limit 1 MiB a file)"),
            );
        }
        self.stack.push(file.name.clone());
        let text = file.text.clone();
        let id = self.loaded.sources.add(file);
        let body = self.frontmatter(id, &text);
        self.lines(id, &text, body, indent, out);
        self.stack.pop();
    }

    fn fail(&mut self, code: Code, at: Span, message: String) {
        self.loaded.diagnostics.push(Diagnostic::new(code, at, message));
    }
}

/// Where the text after shebang and frontmatter begins, and where the frontmatter's YAML stands.
fn frontmatter_of(text: &str) -> (usize, Option<Range<usize>>) {
    let lines = Lines::new(text);
    let bom = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let has_shebang = text[bom..].starts_with("#!");
    let first = usize::from(has_shebang);
    let body = if has_shebang { lines.start(1, text) } else { bom };
    let head = text.get(body..lines.start(first + 1, text)).unwrap_or_default();
    if head.trim_end() != "---" {
        return (body, None);
    }
    let close = (first + 1..lines.count()).find(|&line| text[lines.range(line, text)].trim_end() == "---");
    match close {
        Some(close) => {
            (lines.start(close + 1, text), Some(lines.start(first + 1, text)..lines.start(close, text)))
        }
        None => (body, None),
    }
}

pub(crate) fn has_imports(text: &str) -> bool {
    memchr::memmem::find(text.as_bytes(), b"!import").is_some()
}

/// The indentation and the path of an import line; `# …` after the path is a comment.
fn import_of(line: &str) -> Option<(&str, &str)> {
    let trimmed = line.trim_start_matches([' ', '\t']);
    let indent = &line[..line.len() - trimmed.len()];
    let rest = trimmed.strip_prefix("!import")?;
    let path = rest.strip_prefix([' ', '\t'])?;
    let path = path.split_once('#').map_or(path, |(path, _)| path).trim();
    (!path.is_empty()).then_some((indent, path))
}
