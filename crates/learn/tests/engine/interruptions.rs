use std::time::Duration;

use reflexio_learn::engine::{Error, Learner};
use reflexio_llm::endpoint::Reply;
use reflexio_types::{JobState, Turn};

use crate::support::{Bench, answer, conversation, endpoint, fact, good, learner, org, said};

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_lost_its_job_stores_nothing() {
    let bench = Bench::new();
    bench.publish(&conversation()).await;
    let endpoint = endpoint([Reply::Json(good()), Reply::Json(good())]).await;
    let learner = learner(&endpoint);
    let slow = bench.claim().await;
    let quick = bench.claim().await;
    bench.learn_with(&quick, &learner).await.unwrap();
    // The slow one has its answer, too, but what it learned is learned.
    let lost = bench.learn_with(&slow, &learner).await;
    assert!(lost.is_err() || lost.is_ok_and(|learnt| learnt.windows == 0));
    assert_eq!(bench.contents().await.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_comes_after_the_lease_is_not_stored() {
    let bench = Bench::new();
    bench.publish(&conversation()).await;
    let endpoint = endpoint([]).await;
    endpoint.respond(|_| Reply::KeptAlive(400));
    let learner = learner(&endpoint);
    let slow = bench.claim().await;
    let taken = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        bench.claim().await
    };
    let (late, quick) = tokio::join!(bench.learn_with(&slow, &learner), taken);
    assert!(late.is_err());
    endpoint.respond(|_| Reply::Json(good()));
    bench.learn_with(&quick, &learner).await.unwrap();
    assert_eq!(bench.contents().await.len(), 2);
    let again = bench.learn_with(&slow, &learner).await;
    assert!(matches!(again, Err(Error::Store(_))), "{again:?}");
}

/// Many turns, so that a job has many windows.
fn long_conversation() -> Vec<Turn> {
    (0..40)
        .map(|n| said(if n % 2 == 0 { "User" } else { "Agent" }, &format!("This is statement number {n}.")))
        .collect()
}

/// Names what it was shown, so that a window that is learned twice or never is seen.
fn echo(seen: &reflexio_llm::endpoint::Seen) -> Reply {
    let prompt = seen.prompt();
    let fresh = prompt.lines().filter(|line| line.starts_with("[T") && !line.contains("(seen before)"));
    let facts: Vec<_> = fresh
        .filter_map(|line| {
            let (label, text) = line.strip_prefix('[')?.split_once(']')?;
            Some(fact(&format!("Heard {}", text.rsplit_once(' ')?.1), &[label]))
        })
        .collect();
    Reply::Json(answer(&facts, &[]))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_that_is_interrupted_anywhere_learns_the_same_in_the_end() {
    let undisturbed = Bench::new();
    undisturbed.publish(&long_conversation()).await;
    let endpoint = endpoint([]).await;
    endpoint.respond(echo);
    let learner: Learner = learner(&endpoint);
    let learnt = undisturbed.learn(&learner).await.unwrap();
    assert_eq!((learnt.windows, learnt.profiles), (5, 40));
    for pause in [1, 3, 7, 12, 20, 30, 45] {
        let bench = Bench::new();
        bench.publish(&long_conversation()).await;
        let mut interruptions = 0;
        while bench.job_state().await != JobState::Done {
            let lease = bench.claim().await;
            let patience = Duration::from_millis(pause + interruptions * 2);
            // Dropping the future is what a kill does to it.
            let _ = tokio::time::timeout(patience, bench.learn_with(&lease, &learner)).await;
            interruptions += 1;
            bench.retry_if_dead().await;
        }
        assert_eq!(
            bench.contents().await,
            undisturbed.contents().await,
            "after {interruptions} of {pause} ms"
        );
        let cursors = bench.store.cursors(&org(), &"ann".into()).await.unwrap();
        assert_eq!(cursors, undisturbed.store.cursors(&org(), &"ann".into()).await.unwrap());
    }
}
