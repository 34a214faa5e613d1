//! Any bytes give a tree: parsed, checked, explained and laid out.
#![no_main]

use libfuzzer_sys::fuzz_target;
use playbook_lang::{Program, SourceFile, explain, format};

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let program = Program::parse(vec![SourceFile::new("fuzz.md", text.as_ref())]);
    let _ = (program.diagnostics().len(), explain(&program).len());
    let _ = format(&text);
});
