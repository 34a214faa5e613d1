//! Tries the language: `cargo run -p playbook-lang --example check -- [--tree|--explain|--fmt|--fix|--json|--sarif] FILE…`.
#![expect(clippy::print_stdout, reason = "it is a program for a terminal")]

use std::path::Path;
use std::process::ExitCode;

use playbook_lang::{FileId, Fixes, Loader, Program, SourceFile, explain_text, fixed, format, render};

struct Disk;

impl Loader for Disk {
    fn load(&self, importer: &str, path: &str) -> Result<SourceFile, String> {
        let path = Path::new(importer).parent().unwrap_or_else(|| Path::new("")).join(path);
        let text = std::fs::read(&path).map_err(|error| error.to_string())?;
        Ok(SourceFile::from_bytes(path.to_string_lossy(), &text))
    }
}

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let (flags, paths): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|arg| arg.starts_with("--"));
    let mut files = Vec::new();
    for path in &paths {
        files.push(SourceFile::from_bytes(path, &std::fs::read(path)?));
    }
    let program = Program::parse_with(files.clone(), &Disk);
    match flags.first().map(String::as_str) {
        Some("--tree") => println!("{}", render::tree(&program)),
        Some("--explain") => println!("{}", explain_text(&program)),
        Some("--fmt") => files.iter().for_each(|file| print!("{}", format(&file.text))),
        Some("--fix") => print!("{}", fixed(&program, FileId(0), Fixes::Safe).0),
        Some("--json") => println!("{:#}", render::json(&program)),
        Some("--sarif") => {
            println!("{:#}", render::sarif(&program, "playbook-lang", env!("CARGO_PKG_VERSION")))
        }
        _ => print!("{}", render::text(&program)),
    }
    Ok(if program.has_errors() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
