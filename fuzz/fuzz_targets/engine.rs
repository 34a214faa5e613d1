//! Any program that compiles can be run with any model: no panic, budgets end it, and its journal, cut anywhere, leads
//! to the same state.
//!
//! The input is the text of a program, and after a zero byte how the run goes: where it is cut, then a byte for each
//! event (`crates/playbook-engine/tests/support/play.rs`).
#![no_main]
#![allow(clippy::wildcard_enum_match_arm)]

use libfuzzer_sys::fuzz_target;

#[path = "../../crates/playbook-engine/tests/support/play.rs"]
mod play;

fuzz_target!(|bytes: &[u8]| {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    let text = String::from_utf8_lossy(&bytes[..end]);
    let Some(code) = play::compiled(&text) else { return };
    let (cut, seeds) = bytes.get(end + 1..).and_then(<[u8]>::split_first).unwrap_or((&0, &[]));
    let played = play::play(&code, &seeds[..seeds.len().min(32)]);
    play::check_resume(&code, &played, usize::from(*cut));
});
