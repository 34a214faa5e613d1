//! Runs a file of placeholder cases: `cargo run -p playbook-lang --example placeholders -- FILE.json`.
#![expect(clippy::print_stdout, reason = "it is a program for a terminal")]

use std::process::ExitCode;

use playbook_lang::placeholder::Limits;
use playbook_lang::placeholder::conformance::{self, Verdict};

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: placeholders FILE.json")?;
    let outcomes = conformance::run(&std::fs::read_to_string(path)?, &Limits::default())?;
    for outcome in outcomes.iter().filter(|outcome| outcome.verdict != Verdict::Passed) {
        println!("{outcome}");
    }
    let failed = outcomes.iter().filter(|outcome| outcome.verdict == Verdict::Failed).count();
    println!("{} passed, {failed} failed", outcomes.len() - failed);
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
