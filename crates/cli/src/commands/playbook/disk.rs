//! Playbook files on disk: read whole, found for imports, replaced whole.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use playbook_lang::{Loader, SourceFile};

use crate::failure::Failure;

pub(super) const STDIN: &str = "<stdin>";

/// Reads the file that an argument names; `-` is standard input.
pub(super) fn read(path: &Path) -> Result<SourceFile, Failure> {
    if path == Path::new("-") {
        let mut bytes = Vec::new();
        io::stdin()
            .lock()
            .read_to_end(&mut bytes)
            .map_err(|error| Failure::usage(format!("cannot read standard input: {error}")))?;
        return text(bytes).map(|text| SourceFile::new(STDIN, text)).map_err(|reason| {
            Failure::usage(format!("standard input {reason}")).hint("playbooks are UTF-8 text")
        });
    }
    load(path).map_err(|reason| {
        Failure::usage(format!("{} {reason}", path.display()))
            .hint("name Markdown files, or a folder of them")
    })
}

/// How the files of tests are named: `order_status.test.md` beside `order_status.md`.
pub(super) const TESTS: &str = ".test.md";

pub(super) fn is_test_file(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(TESTS))
}

/// Whether the name of a file says that it may hold playbooks.
pub(super) fn is_playbook_file(path: &Path) -> bool {
    !is_test_file(path)
        && matches!(path.extension().and_then(|kind| kind.to_str()), Some("md" | "pb" | "playbooks"))
}

/// One file has one name, however it is reached: else an import of itself would go unnoticed.
fn load(path: &Path) -> Result<SourceFile, String> {
    let real = path.canonicalize().map_err(|error| format!("cannot be read: {error}"))?;
    let bytes = fs::read(&real).map_err(|error| format!("cannot be read: {error}"))?;
    Ok(SourceFile::new(shown(&real), text(bytes)?))
}

fn text(bytes: Vec<u8>) -> Result<String, String> {
    String::from_utf8(bytes)
        .map_err(|error| format!("is not UTF-8 (byte {})", error.utf8_error().valid_up_to() + 1))
}

/// Files below the current folder go by their short name.
fn shown(path: &Path) -> String {
    let here = std::env::current_dir().and_then(|folder| folder.canonicalize());
    let short = here.as_ref().ok().and_then(|here| path.strip_prefix(here).ok()).unwrap_or(path);
    short.to_string_lossy().into_owned()
}

/// What `!import` brings: files beside the one that imports them, or as they were changed in the meantime.
#[derive(Default)]
pub(super) struct Disk {
    /// Texts that stand for what is on disk, by the name of the file.
    pub(super) changed: BTreeMap<String, String>,
}

impl Loader for Disk {
    fn load(&self, importer: &str, path: &str) -> Result<SourceFile, String> {
        let path = Path::new(path.strip_prefix("file://").unwrap_or(path));
        let beside = if importer == STDIN { None } else { Path::new(importer).parent() };
        let mut file = load(&beside.unwrap_or_else(|| Path::new("")).join(path))?;
        if let Some(text) = self.changed.get(&file.name) {
            file.text.clone_from(text);
        }
        Ok(file)
    }
}

/// Puts a text in the place of a file; at every moment one of the two is there, whole.
pub(super) fn replace(name: &str, text: &str) -> anyhow::Result<()> {
    write(Path::new(name), text).with_context(|| format!("cannot write {name}"))
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    let path: PathBuf = path.canonicalize()?;
    let folder = path.parent().unwrap_or_else(|| Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().set_permissions(fs::metadata(&path)?.permissions())?;
    file.as_file().sync_all()?;
    file.persist(&path)?;
    Ok(())
}
