//! Our engine against recorded runs of the reference.
//!
//! `cases/*.json` were recorded from the reference, `cases/generated` from the executable specification that agrees
//! with it, for what the former do not reach.
#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

mod support;

use gepa::{Engine, Mt19937, Step, step};
use support::case::{self, Case};
use support::compare;
use support::tape::Tape;

/// Recorded before the list a merge samples from was put in order (CPython's set order shows in it), so that only
/// its draws can be replayed, not its seed.
const UNORDERED: &str = "009-merge.json";

fn cases() -> Vec<(String, Case)> {
    let read = |path: &std::path::PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        (name, Case::read(path).unwrap())
    };
    let cases: Vec<_> = case::all().iter().map(read).collect();
    assert!(cases.len() >= 22, "the cases are gone");
    cases
}

#[test]
fn every_recorded_run_replays_draw_by_draw() {
    for (name, case) in cases() {
        assert_eq!(compare::with_tape(&case), Ok(()), "{name}");
    }
}

#[test]
fn the_recorded_seed_gives_the_recorded_run() {
    for (name, case) in cases().into_iter().filter(|(name, _)| name != UNORDERED) {
        assert_eq!(compare::with_seed(&case), Ok(()), "{name}");
    }
}

#[test]
fn a_run_restored_after_every_step_is_the_recorded_run() {
    for (name, case) in cases() {
        let mut engine = case.engine(Tape::new(case.tape.clone())).unwrap();
        let mut toy = case.toy();
        let mut events = Vec::new();
        while step(&mut engine, &mut toy).unwrap() == Step::Answered {
            events.extend(engine.take_events());
            engine = restored(&engine);
            // Between a question and its answer as well.
            engine.poll().unwrap();
            engine = restored(&engine);
        }
        events.extend(engine.take_events());
        assert_eq!(engine.random().difference, None, "{name}");
        assert_eq!(compare::same_run(&case, &engine, &toy, &events), Ok(()), "{name}");
    }
}

#[test]
fn a_run_killed_at_any_step_and_taken_up_again_ends_the_same() {
    for (name, case) in cases().into_iter().filter(|(_, case)| case.config.budget <= 120) {
        let whole = finished(case.engine(Mt19937::new(case.config.seed)).unwrap(), &case);
        let mut engine = case.engine(Mt19937::new(case.config.seed)).unwrap();
        let mut toy = case.toy();
        loop {
            assert_eq!(finished(restored(&engine), &case), whole, "{name}");
            if step(&mut engine, &mut toy).unwrap() == Step::Done {
                break;
            }
        }
    }
}

fn finished(mut engine: Engine, case: &Case) -> Engine {
    let mut toy = case.toy();
    while step(&mut engine, &mut toy).unwrap() == Step::Answered {}
    engine
}

/// Through text, as a store would.
fn restored<R>(engine: &Engine<R>) -> Engine<R>
where
    R: serde::Serialize + serde::de::DeserializeOwned + PartialEq + std::fmt::Debug,
{
    let text = serde_json::to_string(engine).unwrap();
    let back: Engine<R> = serde_json::from_str(&text).unwrap();
    assert_eq!(&back, engine);
    back
}
