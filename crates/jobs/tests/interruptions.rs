//! What happens to jobs that do not end by themselves: cancelled, lost, stopped, killed.

mod support;

use std::time::Duration;

use futures::FutureExt;
use reflexio_jobs::{Failure, Settings, Stopped};
use reflexio_types::{AttemptOutcome, Clock, JobState};

use support::{Bench, Gauge, LONG, NEVER, learn, learning, org, over, quick, steal};

/// A handler that never ends, and tells whether it is there.
fn endless(gauge: &Gauge) -> reflexio_jobs::Handlers {
    let gauge = gauge.clone();
    learning(move |_| {
        let alive = gauge.enter();
        async move {
            std::future::pending::<()>().await;
            drop(alive);
            Ok(())
        }
        .boxed()
    })
}

async fn gone(gauge: &Gauge) {
    let started = std::time::Instant::now();
    while gauge.now() > 0 {
        assert!(started.elapsed() < LONG, "the handler is still there");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

#[tokio::test]
async fn a_cancelled_job_hears_of_it_and_ends() {
    let bench = Bench::new();
    let runner = bench.start(
        learning(|running| {
            async move {
                assert!(!running.is_cancelled());
                running.cancelled().await;
                assert!(running.is_cancelled());
                Err(Failure::Stopped)
            }
            .boxed()
        }),
        Settings { cancel_grace: NEVER, ..quick("w1") },
    );
    let id = bench.enqueue(learn("u1")).await;
    bench.until(id, |job| job.state == JobState::Running).await;
    bench.store.cancel_job(&org(), id, bench.clock.now()).await.unwrap();
    let job = over(runner.handle().wait(&org(), id, LONG).await.unwrap());
    assert_eq!((job.state, job.history[0].outcome), (JobState::Cancelled, AttemptOutcome::Cancelled));
}

#[tokio::test]
async fn a_cancelled_job_that_does_not_listen_is_dropped() {
    let (bench, gauge) = (Bench::new(), Gauge::default());
    let _runner = bench.start(endless(&gauge), quick("w1"));
    let id = bench.enqueue(learn("u1")).await;
    bench.until(id, |job| job.state == JobState::Running).await;
    bench.store.cancel_job(&org(), id, bench.clock.now()).await.unwrap();
    bench.until(id, |job| job.state == JobState::Cancelled).await;
    gone(&gauge).await;
}

#[tokio::test]
async fn heartbeats_keep_a_long_job() {
    let (bench, gauge) = (Bench::new(), Gauge::default());
    let _runner = bench.start(endless(&gauge), quick("w1"));
    let id = bench.enqueue(learn("u1")).await;
    bench.until(id, |job| job.state == JobState::Running).await;
    for _ in 0..5 {
        bench.clock.forward(50);
        let now = bench.clock.now();
        bench.until(id, |job| job.lease_until.is_some_and(|until| until.0 >= now.0 + 60)).await;
    }
    let job = bench.job(id).await;
    assert_eq!((job.state, job.attempts, job.history.len()), (JobState::Running, 1, 0));
}

#[tokio::test]
async fn a_runner_that_lost_a_job_drops_it_and_changes_nothing() {
    let (bench, gauge) = (Bench::new(), Gauge::default());
    let _runner = bench.start(endless(&gauge), quick("w1"));
    let id = bench.enqueue(learn("u1")).await;
    bench.until(id, |job| job.state == JobState::Running).await;
    let stolen = steal(bench.store.as_ref(), &bench.clock).await;
    assert_eq!(stolen[0].job.id, id);
    gone(&gauge).await;
    let job = bench.job(id).await;
    assert_eq!((job.state, job.worker.as_deref(), job.attempts), (JobState::Running, Some("thief"), 2));
    bench.store.complete(&stolen[0].lease, bench.clock.now()).await.unwrap();
}

/// The runner hears nothing of the loss until it wants to say that it is done.
#[tokio::test]
async fn a_late_success_of_a_lost_job_does_not_count() {
    let bench = Bench::new();
    let gate = std::sync::Arc::new(tokio::sync::Notify::new());
    let opened = std::sync::Arc::clone(&gate);
    let _runner = bench.start(
        learning(move |_| {
            let opened = std::sync::Arc::clone(&opened);
            async move {
                opened.notified().await;
                Ok(())
            }
            .boxed()
        }),
        Settings { heartbeat: NEVER, slots: 1, ..quick("w1") },
    );
    let id = bench.enqueue(learn("u1")).await;
    bench.until(id, |job| job.state == JobState::Running).await;
    let stolen = steal(bench.store.as_ref(), &bench.clock).await;
    gate.notify_one();
    let other = bench.enqueue(learn("u2")).await;
    bench.until(other, |job| job.state == JobState::Running).await;
    let job = bench.job(id).await;
    assert_eq!((job.state, job.worker.as_deref()), (JobState::Running, Some("thief")));
    assert!(bench.store.complete(&stolen[0].lease, bench.clock.now()).await.is_ok());
}

#[tokio::test]
async fn the_jobs_of_a_killed_runner_are_taken_over() {
    let (bench, gauge) = (Bench::new(), Gauge::default());
    let killed = bench.start(endless(&gauge), quick("killed"));
    let id = bench.enqueue(learn("u1")).await;
    bench.until(id, |job| job.state == JobState::Running).await;
    drop(killed);
    gone(&gauge).await;
    let next = bench.start(learning(|_| async { Ok(()) }.boxed()), quick("next"));
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert_eq!(bench.job(id).await.worker.as_deref(), Some("killed"), "its lease is good for a while");
    bench.clock.forward(60);
    let job = over(next.handle().wait(&org(), id, LONG).await.unwrap());
    assert_eq!((job.state, job.attempts, job.worker.as_deref()), (JobState::Done, 2, Some("next")));
    let outcomes: Vec<_> = job.history.iter().map(|entry| entry.outcome).collect();
    assert_eq!(outcomes, [AttemptOutcome::Expired, AttemptOutcome::Done]);
}

#[tokio::test]
async fn a_stopped_runner_lets_jobs_end_and_gives_back_the_rest() {
    let (bench, gauge) = (Bench::new(), Gauge::default());
    let kept = gauge.clone();
    let runner = bench.start(
        learning(move |running| {
            let kept = kept.clone();
            async move {
                let _alive = kept.enter();
                running.stopping().await;
                match running.job.user_id.as_ref().map(|user| user.as_str()) {
                    Some("ends") => Ok(()),
                    Some("obeys") => Err(Failure::Stopped),
                    _ => std::future::pending().await,
                }
            }
            .boxed()
        }),
        quick("w1"),
    );
    let ends = bench.enqueue(learn("ends")).await;
    let obeys = bench.enqueue(learn("obeys")).await;
    let stays = bench.enqueue(learn("stays")).await;
    for id in [ends, obeys, stays] {
        bench.until(id, |job| job.state == JobState::Running).await;
    }
    let stopped = runner.stop(Duration::from_millis(300)).await;
    assert_eq!(stopped, Stopped { ended: 2, released: 1 });
    assert_eq!(gauge.now(), 0);
    assert_eq!(bench.job(ends).await.state, JobState::Done);
    for id in [obeys, stays] {
        let job = bench.job(id).await;
        assert_eq!((job.state, job.attempts), (JobState::Queued, 0));
        assert_eq!(job.history[0].outcome, AttemptOutcome::Released);
    }
    let more = bench.enqueue(learn("more")).await;
    assert_eq!(bench.job(more).await.state, JobState::Queued);
}

#[tokio::test]
async fn a_stopped_runner_claims_nothing_more() {
    let bench = Bench::new();
    let runner = bench.start(learning(|_| async { Ok(()) }.boxed()), quick("w1"));
    assert_eq!(runner.stop(LONG).await, Stopped::default());
    let id = bench.enqueue(learn("u1")).await;
    tokio::time::sleep(Duration::from_millis(30)).await;
    assert_eq!(bench.job(id).await.state, JobState::Queued);
}
