//! What the engine costs: `cargo run --release -p playbook-engine --example engine_speed`.
//!
//! Native steps a second, the cost of an entry of the journal, the time to resume, and model calls beside those of an
//! engine that asks the model once to compile each agent and once at every yield.
#![expect(clippy::print_stdout, reason = "it is a program for a terminal")]

#[path = "../tests/support/mod.rs"]
mod support;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use playbook_engine::{Budget, Drive, Entry, Playbooks, Run, Script, Settings, Start};

/// The same allocator as the server's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const LOOP: &str = "# Speed\n## Main\n### Triggers\n- At the beginning\n### Steps\n- $i = 0\n- $even = 0\n- While $i < 200000\n  - $i = $i + 1\n  - If $i % 2 == 0\n    - $even = $even + 1\n- Return $even\n";

const CALLS: &str = "# Speed\n## Main\n### Triggers\n- At the beginning\n### Steps\n- $i = 0\n- While $i < 100000\n  - $i = Next($i)\n- Return $i\n\n## Next($n)\n### Steps\n- Return $n + 1\n";

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

/// What an engine would need that asks a model to compile each agent, to carry every playbook out from its first step
/// to a yield (for the user, for a call), and to go on after each; and to find the playbook a message triggers.
fn calls_by_yield(code: &Playbooks, journal: &[Entry]) -> u64 {
    let mut calls = 0;
    let mut stack: Vec<u64> = Vec::new();
    let python: Vec<u64> = journal
        .iter()
        .filter_map(|entry| if let Entry::Python { frame, .. } = entry { Some(*frame) } else { None })
        .collect();
    let mut names: BTreeMap<u64, bool> = BTreeMap::new();
    for entry in journal {
        if let Entry::Entered { frame, call } = entry {
            let is_asked = code.program().playbook(&call.name).is_some() && !python.contains(frame);
            let from_playbook = stack.last().is_some_and(|below| names.get(below) == Some(&true));
            calls += u64::from(is_asked) + u64::from(from_playbook);
            names.insert(*frame, is_asked);
            stack.push(*frame);
        } else if let Entry::Returned { frame, .. } | Entry::Failed { frame, .. } = entry {
            stack.retain(|known| known != frame);
        } else if let Entry::Waiting { frame: Some(_), .. } = entry {
            calls += 1;
        } else if let Entry::Fired { because, .. } = entry
            && because.starts_with('m')
            && stack.is_empty()
        {
            // Looking through the triggers, and going on when the playbook is back.
            calls += 2;
        }
    }
    calls
}

fn model_calls() {
    println!("\nmodel calls: ours, one at every yield, and that with compilation");
    let (mut ours, mut yields, mut compiled) = (0, 0, 0);
    for example in support::examples::examples().into_iter().filter(|example| example.name != "native") {
        let drive = support::drive(&example.code, example.start.clone(), &mut example.script.clone());
        let asked = drive.run.state().spent().model_calls;
        let by_yield = calls_by_yield(&example.code, &drive.journal);
        // Whatever stands under a first heading is compiled, an agent that only lists tools too.
        let with_compilation = by_yield + example.code.program().agents.len() as u64;
        #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
        let fewer = with_compilation as f64 / asked.max(1) as f64;
        println!("{:14} {asked:3} {by_yield:3} {with_compilation:3}  {fewer:.1}x", example.name);
        (ours, yields, compiled) = (ours + asked, yields + by_yield, compiled + with_compilation);
    }
    println!("{:14} {ours:3} {yields:3} {compiled:3}", "together");
}

fn main() {
    model_calls();
    // For profilers, and where only the counts are of interest.
    if std::env::args().nth(1).as_deref() == Some("calls") {
        return;
    }
    measured("loop", &support::compile(LOOP));
    measured("calls", &support::compile(CALLS));
    journal(&support::compile(&LOOP.replace("200000", "9000")));
}
