//! Any expression ends in a value or an error, within its limits.
#![no_main]

use libfuzzer_sys::fuzz_target;
use playbook_lang::Value;
use playbook_lang::placeholder::{Host, Limits, evaluate};

struct World;

impl Host for World {
    fn variable(&mut self, name: &str) -> Option<Value> {
        (name.len() == 1).then(|| Value::from(name))
    }
}

fuzz_target!(|source: &str| {
    let _ = evaluate(source, &mut World, &Limits::default());
});
