//! Any bytes give a tree that can be checked, explained, repaired, shown and laid out, with places in the source.
#![no_main]

use libfuzzer_sys::fuzz_target;
use playbook_lang::render::fancy::{Style, fancy};
use playbook_lang::{Program, SourceFile};

#[path = "../../crates/playbook-lang/tests/support/sound.rs"]
mod sound;

fuzz_target!(|bytes: &[u8]| {
    let file = SourceFile::from_bytes("fuzz.md", bytes);
    let text = file.text.clone();
    let program = Program::parse(vec![file]);
    sound::check(&program, &text);
    let _ = fancy(&program, Style::Plain, 80);
});
