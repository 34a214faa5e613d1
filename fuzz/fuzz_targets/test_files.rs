//! Any text is a file of tests or has mistakes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use playbook_run::testing::Suite;

fuzz_target!(|text: &str| {
    let _ = Suite::parse(text);
});
