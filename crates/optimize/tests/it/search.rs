use std::sync::atomic::Ordering;

use reflexio_optimize::{Book, Decision, Policy, Run};
use reflexio_types::CandidateFate;

use crate::toy::{Toy, finish, new_run, policy, task};

async fn searched(windows: usize, policy: Policy) -> (Run, Book, Toy) {
    let (task, world) = (task(windows), Toy::default());
    let (mut run, mut book) = (new_run(&task, policy), Book::default());
    finish(&mut run, &task, &mut book, &world).await.unwrap();
    (run, book, world)
}

#[tokio::test]
async fn a_better_wording_is_found_within_the_default_budget() {
    for seed in 0..10 {
        let (run, book, _) = searched(3, policy(seed)).await;
        let Decision::Commit { content, mean, won, .. } = run.decide(&book) else {
            panic!("seed {seed}: {:?}", run.decide(&book));
        };
        assert!(
            content.contains("apologise") && mean >= 0.75 && won == 2,
            "seed {seed}: {content} {mean} {won}"
        );
        let (spent, budget) = run.metric_calls();
        assert!(spent <= budget, "seed {seed}: {spent}");
    }
}

#[tokio::test]
async fn nothing_is_replayed_or_judged_twice() {
    let (run, book, world) = searched(6, Policy { max_metric_calls: 60, ..policy(3) }).await;
    let asked = world.asked.lock().unwrap();
    assert!(asked.values().all(|times| *times == 1), "{asked:?}");
    assert_eq!(world.judged.load(Ordering::Relaxed), book.trials().count());
    assert_eq!(run.counts().assistant_calls as usize, asked.len());
    assert_eq!(run.counts().judge_calls as usize, 2 * world.judged.load(Ordering::Relaxed));
    assert_eq!(run.counts().reflection_calls as usize, world.improved.load(Ordering::Relaxed));
}

#[tokio::test]
async fn the_wording_that_is_there_costs_no_comparison() {
    let (run, book, _) = searched(3, policy(0)).await;
    let incumbent = run.wording(0).unwrap();
    assert!(book.trials().all(|trial| trial.wording != incumbent));
    let candidates = run.candidates(&book);
    assert_eq!((candidates[0].fate, candidates[0].mean), (CandidateFate::Incumbent, Some(0.5)));
    assert_eq!(candidates.iter().filter(|candidate| candidate.fate == CandidateFate::Winner).count(), 1);
    assert!(
        candidates
            .iter()
            .skip(1)
            .all(|candidate| candidate.parents.iter().all(|parent| *parent < candidate.number))
    );
}

#[tokio::test]
async fn a_win_that_is_too_small_or_too_rare_is_not_committed() {
    let (run, book, _) = searched(
        3,
        Policy { min_commit_score: 1.0, early_stop_score: 1.0, max_metric_calls: 8, ..policy(0) },
    )
    .await;
    let decision = run.decide(&book);
    assert!(
        matches!(&decision, Decision::Keep { reason } if reason.contains("min_commit_score")),
        "{decision:?}"
    );
    let (run, book, _) =
        searched(3, Policy { min_commit_score: 0.5, min_commit_likert: 6, ..policy(0) }).await;
    assert!(matches!(run.decide(&book), Decision::Keep { reason } if reason.contains("min_commit_windows")));
}

#[tokio::test]
async fn one_window_is_trained_on_and_validated_with() {
    let (run, book, world) = searched(1, Policy { min_commit_windows: 1, ..policy(0) }).await;
    assert!(matches!(run.decide(&book), Decision::Commit { .. }), "{:?}", run.decide(&book));
    assert_eq!(world.judged.load(Ordering::Relaxed), book.trials().count());
}
