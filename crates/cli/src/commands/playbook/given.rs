//! What the arguments of a command name: one program of several files, and folders of programs.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;
use playbook_lang::{FileId, Program, SourceFile, looks_like_playbooks};
use walkdir::{DirEntry, WalkDir};

use super::disk::{self, Disk};
use crate::failure::Failure;

/// The files to work on.
#[derive(Debug, Args)]
pub(super) struct Paths {
    /// Files, read together as one program; folders, whose files are programs of their own; - for standard input.
    #[arg(value_name = "FILE", required = true)]
    paths: Vec<PathBuf>,
}

/// The files of one program, without what they import.
pub(super) struct Group(pub(super) Vec<SourceFile>);

impl Group {
    pub(super) fn parse(&self, disk: &Disk) -> Program {
        Program::parse_with(self.0.clone(), disk)
    }
}

impl Paths {
    /// The programs that are named, those of folders after the one of the files.
    pub(super) fn groups(&self) -> Result<Vec<Group>, Failure> {
        let (folders, mut files): (Vec<_>, Vec<_>) = self.paths.iter().partition(|path| path.is_dir());
        // `*.md` names the tests too, and they are no part of a program.
        if files.iter().any(|path| !disk::is_test_file(path)) {
            files.retain(|path| !disk::is_test_file(path));
        }
        let mut groups = Vec::new();
        if !files.is_empty() {
            groups.push(Group(files.into_iter().map(|path| disk::read(path)).collect::<Result<_, _>>()?));
        }
        for folder in folders {
            groups.extend(programs_in(folder)?);
        }
        Ok(groups)
    }

    /// Every file by itself, each once.
    pub(super) fn files(&self) -> Result<Vec<SourceFile>, Failure> {
        let mut files: Vec<SourceFile> = Vec::new();
        for path in &self.paths {
            let more = if path.is_dir() { files_in(path)? } else { vec![disk::read(path)?] };
            for file in more {
                if !files.iter().any(|known| known.name == file.name) {
                    files.push(file);
                }
            }
        }
        Ok(files)
    }

    pub(super) fn is_stdin(&self) -> bool {
        self.paths.iter().any(|path| path == Path::new("-"))
    }
}

/// The files of a folder that are programs: what another one imports is a part of that one.
pub(super) fn programs_in(folder: &Path) -> Result<Vec<Group>, Failure> {
    let files = files_in(folder)?;
    let disk = Disk::default();
    let mut imported = BTreeSet::new();
    for file in files.iter().filter(|file| file.text.contains("!import")) {
        let program = Program::parse_with(vec![file.clone()], &disk);
        imported.extend(
            program.sources().iter().filter(|(id, _)| *id != FileId(0)).map(|(_, file)| file.name.clone()),
        );
    }
    let groups = files.into_iter().filter(|file| !imported.contains(&file.name));
    Ok(groups.map(|file| Group(vec![file])).collect())
}

fn files_in(folder: &Path) -> Result<Vec<SourceFile>, Failure> {
    let mut files = Vec::new();
    let walk = WalkDir::new(folder).sort_by_file_name().into_iter().filter_entry(is_open);
    for entry in walk {
        let entry = entry.map_err(|error| Failure::usage(format!("cannot read a folder: {error}")))?;
        if !entry.file_type().is_file() || !disk::is_playbook_file(entry.path()) {
            continue;
        }
        let file = disk::read(entry.path())?;
        // Folders hold other Markdown too: a README is not a program.
        let is_markdown = entry.path().extension().is_some_and(|kind| kind == "md");
        if !is_markdown || looks_like_playbooks(&file.text) {
            files.push(file);
        }
    }
    if files.is_empty() {
        return Err(Failure::usage(format!("{} holds no playbooks", folder.display()))
            .hint("in folders, files ending in .pb count, and .md files with triggers, steps or notes"));
    }
    Ok(files)
}

/// Hidden folders belong to tools.
fn is_open(entry: &DirEntry) -> bool {
    entry.depth() == 0 || !entry.file_name().to_string_lossy().starts_with('.')
}
