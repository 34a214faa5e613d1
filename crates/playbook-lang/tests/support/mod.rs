//! The programs of these tests, and what every program must satisfy.
#![allow(dead_code, clippy::allow_attributes, reason = "each test binary uses its part")]

pub(crate) mod sound;

use playbook_lang::{Library, Program, SourceFile};

pub(crate) fn programs() -> Vec<SourceFile> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs");
    let mut files: Vec<SourceFile> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            SourceFile::from_bytes(entry.file_name().to_string_lossy(), &std::fs::read(entry.path()).unwrap())
        })
        .collect();
    files.sort_by(|left, right| left.name.cmp(&right.name));
    files
}

pub(crate) fn parse(text: &str) -> Program {
    Program::parse_with(vec![SourceFile::new("test.md", text)], &Library(programs()))
}

/// A program with everything that is said about it checked.
#[track_caller]
pub(crate) fn survives(text: &str) -> Program {
    let program = parse(text);
    sound::check(&program, text);
    program
}
