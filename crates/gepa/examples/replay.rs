//! `cargo run -p gepa --example replay -- [--seed] FILE.json…`: replays recorded runs and prints `ok` or the first
//! difference of each. Draws come from the recording; with `--seed` also from our own generator.
#![expect(clippy::print_stdout, reason = "a program that prints its findings")]

#[path = "../tests/support/mod.rs"]
mod support;

use std::path::Path;
use std::process::ExitCode;

use support::case::Case;
use support::compare;

#[derive(Clone, Copy, PartialEq)]
enum Draws {
    Recorded,
    RecordedAndOwn,
}

fn main() -> ExitCode {
    let (flags, files): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|word| word == "--seed");
    let draws = if flags.is_empty() { Draws::Recorded } else { Draws::RecordedAndOwn };
    let mut different = false;
    for file in files {
        match replay(Path::new(&file), draws) {
            Ok(()) => println!("ok   {file}"),
            Err(difference) => {
                different = true;
                println!("FAIL {file}: {difference}");
            }
        }
    }
    if different { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn replay(file: &Path, draws: Draws) -> Result<(), String> {
    let case = Case::read(file)?;
    compare::with_tape(&case)?;
    match draws {
        Draws::Recorded => Ok(()),
        Draws::RecordedAndOwn => {
            compare::with_seed(&case).map_err(|difference| format!("by seed: {difference}"))
        }
    }
}
