use std::cell::Cell;
use std::fmt::Debug;

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, TestRunner};
use reflexio_store::Store;
use reflexio_types::OrgId;
use tokio::runtime::{Builder, Runtime};

/// Checks a claim on many inputs. They share one store, each in an org of its own, and leave it sound.
pub(crate) fn holds<G, S: Store, V: Debug>(
    make: impl AsyncFnOnce() -> (G, S),
    cases: u32,
    inputs: &impl Strategy<Value = V>,
    claim: &impl AsyncFn(&dyn Store, &OrgId, V),
) {
    let runtime = runtime();
    let (_guard, store) = runtime.block_on(make());
    let next = Cell::new(0);
    for_each(cases, inputs, |input| {
        next.set(next.get() + 1);
        let org = OrgId::new(format!("org{}", next.get()));
        runtime.block_on(claim(&store, &org, input));
    });
    let report = runtime.block_on(store.check_integrity()).unwrap();
    assert_eq!(report.problems, Vec::<String>::new());
}

/// Tries many inputs and reports the smallest one that fails.
pub(crate) fn for_each<V: Debug>(cases: u32, inputs: &impl Strategy<Value = V>, claim: impl Fn(V)) {
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let outcome = runner.run(inputs, |input| {
        claim(input);
        Ok(())
    });
    assert!(outcome.is_ok(), "{}", outcome.unwrap_err());
}

pub(crate) fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}
