use proptest::prelude::*;
use reflexio_optimize::{Book, Policy, Run};

use crate::toy::{Toy, finish, new_run, policy, task};

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().build().unwrap()
}

/// A run that is killed at these steps, each time in the middle of one and after what was asked was saved.
async fn interrupted(windows: usize, policy: Policy, kills: &[usize]) -> (Run, Book, Toy) {
    let (task, world) = (task(windows), Toy::default());
    let (mut run, mut book) = (new_run(&task, policy), Book::default());
    for step in 0.. {
        let stored = (serde_json::to_string(&run).unwrap(), book.clone());
        if kills.contains(&step) {
            // The step is half done: what it said is saved, what it meant is lost.
            let _ = run.step(&task, &mut book, &world).await.unwrap();
            run = serde_json::from_str(&stored.0).unwrap();
            book = stored.1;
        }
        if run.step(&task, &mut book, &world).await.unwrap().done {
            break;
        }
    }
    (run, book, world)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn a_run_that_is_killed_anywhere_ends_like_one_that_is_not(
        seed in 0_u64..1_000,
        windows in 3_usize..8,
        kills in proptest::collection::vec(0_usize..60, 30),
    ) {
        runtime().block_on(async {
            let policy = Policy { max_metric_calls: 30, ..policy(seed) };
            let (task, world) = (task(windows), Toy::default());
            let (mut run, mut book) = (new_run(&task, policy.clone()), Book::default());
            finish(&mut run, &task, &mut book, &world).await.unwrap();
            let (resumed, remembered, other) = interrupted(windows, policy, &kills).await;
            prop_assert_eq!(&run, &resumed);
            prop_assert_eq!(&book, &remembered);
            prop_assert_eq!(run.report(&book), resumed.report(&remembered));
            // The assistant was paid for the same answers, once each.
            prop_assert_eq!(&*world.asked.lock().unwrap(), &*other.asked.lock().unwrap());
            Ok(())
        })?;
    }
}

#[test]
fn a_stored_run_holds_no_word_of_a_user() {
    runtime().block_on(async {
        let (task, world) = (task(4), Toy::default());
        let (mut run, mut book) = (new_run(&task, policy(1)), Book::default());
        loop {
            let stepped = run.step(&task, &mut book, &world).await.unwrap();
            let stored = serde_json::to_string(&run).unwrap();
            assert!(!stored.contains("parcel\"") && !stored.contains("Question"), "{stored}");
            if stepped.done {
                break;
            }
        }
    });
}
