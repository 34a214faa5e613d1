//! What the engine costs: `cargo run --release -p playbook-engine --example speed`.
//!
//! Native steps a second, the cost of an entry of the journal, the time to resume, and model calls beside those of an
//! engine that asks the model once to compile each agent and once at every yield.
#![expect(clippy::print_stdout, reason = "it is a program for a terminal")]

use std::sync::Arc;
use std::time::Instant;

use playbook_engine::{Budget, Drive, Playbooks, Run, Script, Settings, Start};
use playbook_lang::{Program, SourceFile};

/// The same allocator as the server's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const LOOP: &str = "# Speed\n## Main\n### Triggers\n- At the beginning\n### Steps\n- $i = 0\n- $even = 0\n- While $i < 200000\n  - $i = $i + 1\n  - If $i % 2 == 0\n    - $even = $even + 1\n- Return $even\n";

const CALLS: &str = "# Speed\n## Main\n### Triggers\n- At the beginning\n### Steps\n- $i = 0\n- While $i < 100000\n  - $i = Next($i)\n- Return $i\n\n## Next($n)\n### Steps\n- Return $n + 1\n";

fn compiled(text: &str) -> Arc<Playbooks> {
    let program = Program::parse(vec![SourceFile::new("speed.md", text)]);
    match Playbooks::compile(program, Vec::new()) {
        Ok(code) => code,
        Err(error) => {
            println!("{error}");
            std::process::abort();
        }
    }
}

fn measured(name: &str, code: &Arc<Playbooks>) {
    let budget = Budget { loop_turns: u64::MAX, steps: u64::MAX, ..Budget::default() };
    let start =
        || Start { settings: Settings { budget: budget.clone(), ..Settings::default() }, ..Start::default() };
    let mut best = f64::MAX;
    let mut counted = (0, 0);
    for _ in 0..5 {
        let begun = Instant::now();
        let Ok(mut drive) = Drive::start(Run::new(Arc::clone(code)), 0, start()) else { return };
        let _ = drive.until_quiet(&mut Script::default());
        best = best.min(begun.elapsed().as_secs_f64());
        counted = (drive.run.state().spent().steps, drive.journal.len());
    }
    let steps = counted.0;
    #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
    let rate = steps as f64 / best;
    println!("{name}: {steps} steps and {} entries in {best:.3} s, {rate:.0} steps/s", counted.1);
}

fn journal(code: &Arc<Playbooks>) {
    let Ok(drive) = Drive::start(Run::new(Arc::clone(code)), 0, Start::default()) else { return };
    let entries = &drive.journal;
    let begun = Instant::now();
    let mut stored = Vec::new();
    for entry in entries {
        if serde_json::to_writer(&mut stored, entry).is_ok() {
            stored.push(b'\n');
        }
    }
    let per_entry = begun.elapsed() / u32::try_from(entries.len()).unwrap_or(1);
    println!("journal: {per_entry:?} and {} bytes an entry, as JSON", stored.len() / entries.len().max(1));
    let begun = Instant::now();
    let resumed = Run::resume(Arc::clone(code), entries);
    println!(
        "resume: {:?} for {} entries ({})",
        begun.elapsed(),
        entries.len(),
        if resumed.is_ok() { "same" } else { "differs" }
    );
}

fn main() {
    measured("loop", &compiled(LOOP));
    measured("calls", &compiled(CALLS));
    journal(&compiled(&LOOP.replace("200000", "9000")));
}
