use reflexio_optimize::{Book, Decision, Fault, Policy};

use crate::toy::{Toy, finish, new_run, policy, task};

fn failing(fails: impl Fn(&str) -> bool + Send + 'static) -> Toy {
    let world = Toy::default();
    *world.fails_when_asked.lock().unwrap() =
        Some(Box::new(move |payload| payload.messages.last().is_some_and(|last| fails(&last.content))));
    world
}

#[tokio::test]
async fn a_window_that_fails_is_left_out_and_the_run_goes_on() {
    let (task, world) = (task(6), failing(|said| said.contains("number 4")));
    let policy = Policy { max_metric_calls: 40, ..policy(2) };
    let (mut run, mut book) = (new_run(&task, policy), Book::default());
    finish(&mut run, &task, &mut book, &world).await.unwrap();
    let report = run.report(&book);
    assert!(matches!(report.decision, Decision::Commit { .. }), "{:?}", report.decision);
    assert!(!report.excluded.is_empty());
    assert!(report.excluded.iter().all(|excluded| excluded.window == 4 && excluded.reason == "out of order"));
    assert!(book.trials().all(|trial| trial.window != 4));
}

#[tokio::test]
async fn a_hiccup_is_tried_again_and_costs_nothing() {
    let world = Toy::default();
    let first = std::cell::Cell::new(true);
    *world.fails_when_asked.lock().unwrap() = Some(Box::new(move |_| first.replace(false)));
    let (task, mut book) = (task(3), Book::default());
    let mut run = new_run(&task, policy(0));
    finish(&mut run, &task, &mut book, &world).await.unwrap();
    assert_eq!(run.report(&book).excluded, []);
}

#[tokio::test]
async fn an_assistant_that_is_down_stops_the_run_and_the_stored_one_goes_on_later() {
    let (task, world) = (task(4), failing(|_| true));
    let (mut run, mut book) = (new_run(&task, policy(0)), Book::default());
    let mut stored = run.clone();
    let fault = loop {
        match run.step(&task, &mut book, &world).await {
            Ok(_) => stored = run.clone(),
            Err(fault) => break fault,
        }
    };
    assert!(matches!(&fault, Fault::AssistantDown(why) if why == "out of order"), "{fault}");
    *world.fails_when_asked.lock().unwrap() = None;
    let mut run = stored;
    finish(&mut run, &task, &mut book, &world).await.unwrap();
    assert!(matches!(run.decide(&book), Decision::Commit { .. }));
}

#[tokio::test]
async fn a_judge_who_never_answers_sensibly_leads_to_no_commit() {
    let (task, world) = (task(4), Toy { judge_fails: true, ..Toy::default() });
    let (mut run, mut book) = (new_run(&task, policy(0)), Book::default());
    finish(&mut run, &task, &mut book, &world).await.unwrap();
    assert!(run.report(&book).excluded.iter().all(|excluded| excluded.reason == "prose"));
    assert!(matches!(run.decide(&book), Decision::Keep { .. }));
    assert_eq!(book.trials().count(), 0);
}
