//! The scanner gives pieces that are all of the text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use playbook_lang::placeholder::scan;

fuzz_target!(|text: &str| {
    let _ = scan(text).len();
});
