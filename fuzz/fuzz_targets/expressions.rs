//! Any expression is refused with a place in it, or ends in a value or an error within its limits.
#![no_main]

use libfuzzer_sys::fuzz_target;
use playbook_lang::placeholder::{EvalError, evaluate, evaluate_value};

mod world;

fuzz_target!(|source: &str| {
    let (shown, value) = (
        evaluate(source, &mut world::World, &world::limits()),
        evaluate_value(source, &mut world::World, &world::limits()),
    );
    if let Ok(shown) = &shown {
        assert!(shown.len() <= world::limits().result);
    }
    for error in [shown.err(), value.err()].into_iter().flatten() {
        if let EvalError::Syntax { offset, .. } | EvalError::Refused { offset, .. } = error {
            assert!(offset <= source.len(), "{error}");
        }
    }
});
