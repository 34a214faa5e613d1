//! What a runner does with jobs that end by themselves.

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::FutureExt;
use reflexio_jobs::{Failure, Handlers, Settings, Waited};
use reflexio_types::{
    AttemptOutcome, Clock, JobId, JobKind, JobProgress, JobState, NewJob, OrgId, Timestamp,
};

use support::{Bench, Gauge, LONG, NEVER, doing, learn, learning, org, over, quick};

#[tokio::test]
async fn a_job_that_is_announced_runs_at_once() {
    let bench = Bench::new();
    let runner = bench.start(
        learning(|running| {
            async move {
                let progress = JobProgress { done: 1, total: Some(1), message: None };
                running.set_progress(progress).await?;
                Ok(())
            }
            .boxed()
        }),
        Settings { poll: NEVER, ..quick("w1") },
    );
    let handle = runner.handle();
    let id = bench.enqueue(learn("u1")).await;
    handle.wake();
    let job = over(handle.wait(&org(), id, LONG).await.unwrap());
    assert_eq!((job.state, job.attempts, job.worker.as_deref()), (JobState::Done, 1, Some("w1")));
    assert_eq!(job.progress.unwrap().done, 1);
}

#[tokio::test]
async fn a_job_that_nobody_announced_is_found() {
    let bench = Bench::new();
    let _runner = bench.start(learning(|_| async { Ok(()) }.boxed()), quick("w1"));
    let id =
        bench.enqueue(NewJob { run_after: Some(Timestamp(bench.clock.now().0 + 9)), ..learn("u1") }).await;
    bench.clock.forward(9);
    bench.until(id, |job| job.state == JobState::Done).await;
}

#[tokio::test]
async fn a_failed_job_is_tried_again_after_its_backoff_until_it_is_given_up() {
    let bench = Bench::new();
    let _runner =
        bench.start(learning(|_| async { Err(Failure::retryable("provider down")) }.boxed()), quick("w1"));
    let id = bench.enqueue(NewJob { max_attempts: 3, ..learn("u1") }).await;
    for (attempt, longest) in [(1, 10), (2, 20)] {
        let job = bench.until(id, |job| job.history.len() == attempt).await;
        let wait = job.run_after.0 - bench.clock.now().0;
        assert!(wait > longest / 2 && wait <= longest, "{wait}");
        bench.clock.forward(wait);
    }
    let dead = bench.until(id, |job| job.state == JobState::Dead).await;
    assert_eq!((dead.attempts, dead.last_error.as_deref()), (3, Some("provider down")));
}

#[tokio::test]
async fn a_handler_may_say_when_to_try_again_and_when_not_to() {
    let bench = Bench::new();
    let _runner = bench.start(
        learning(|running| {
            let later = Timestamp(running.job.created_at.0 + 77);
            let user = running.job.user_id.as_ref().map(|user| user.as_str().to_owned());
            async move {
                Err(match user.as_deref() {
                    Some("later") => {
                        Failure::Retryable { reason: "quota".to_owned(), not_before: Some(later) }
                    }
                    Some("stalled") => Failure::Stalled { reason: "no key".to_owned(), until: later },
                    _ => Failure::permanent("no such user"),
                })
            }
            .boxed()
        }),
        quick("w1"),
    );
    let later = bench.enqueue(learn("later")).await;
    let stalled = bench.enqueue(learn("stalled")).await;
    let never = bench.enqueue(learn("never")).await;
    let at = Timestamp(bench.clock.now().0 + 77);
    let job = bench.until(later, |job| !job.history.is_empty()).await;
    assert_eq!((job.state, job.attempts, job.run_after), (JobState::Queued, 1, at));
    let job = bench.until(stalled, |job| !job.history.is_empty()).await;
    assert_eq!((job.state, job.attempts, job.run_after), (JobState::Queued, 0, at));
    assert_eq!(job.history[0].outcome, AttemptOutcome::Released);
    let job = bench.until(never, |job| !job.history.is_empty()).await;
    assert_eq!((job.state, job.attempts), (JobState::Dead, 1));
}

#[tokio::test]
async fn a_panic_is_a_failed_attempt_and_the_runner_goes_on() {
    let bench = Bench::new();
    let _runner = bench.start(
        learning(|running| {
            let user = running.job.user_id.clone();
            async move {
                assert_ne!(user, Some("u1".into()), "cannot stand this user");
                Ok(())
            }
            .boxed()
        }),
        Settings { slots: 1, ..quick("w1") },
    );
    let bad = bench.enqueue(learn("u1")).await;
    let good = bench.enqueue(learn("u2")).await;
    bench.until(good, |job| job.state == JobState::Done).await;
    let job = bench.until(bad, |job| !job.history.is_empty()).await;
    assert_eq!(job.state, JobState::Queued);
    assert!(job.last_error.unwrap().contains("cannot stand this user"));
}

#[tokio::test]
async fn no_more_jobs_run_at_once_than_there_are_slots() {
    let bench = Bench::new();
    let (all, embedding) = (Gauge::default(), Gauge::default());
    let busy = |gauges: Vec<Gauge>| {
        doing(move |_| {
            let alive: Vec<_> = gauges.iter().map(Gauge::enter).collect();
            async move {
                tokio::time::sleep(Duration::from_millis(3)).await;
                drop(alive);
                Ok(())
            }
            .boxed()
        })
    };
    let handlers = Handlers::new().with(JobKind::Learn, busy(vec![all.clone()]), 9).with(
        JobKind::Embed,
        busy(vec![all.clone(), embedding.clone()]),
        2,
    );
    let mut ids = Vec::new();
    for n in 0..12 {
        let user = format!("u{n}");
        ids.push(bench.enqueue(learn(&user)).await);
        ids.push(bench.enqueue(NewJob { kind: JobKind::Embed, ..learn(&user) }).await);
    }
    let _runner = bench.start(handlers, Settings { slots: 4, ..quick("w1") });
    for id in ids {
        bench.until(id, |job| job.state == JobState::Done).await;
    }
    assert_eq!((all.most(), embedding.most()), (4, 2));
}

#[tokio::test]
async fn jobs_of_one_lane_run_in_the_order_of_arrival_also_after_failures() {
    let bench = Bench::new();
    let order: Arc<std::sync::Mutex<Vec<JobId>>> = Arc::default();
    let (seen, failures) = (Arc::clone(&order), AtomicUsize::new(0));
    let _runner = bench.start(
        learning(move |running| {
            let fails = failures.fetch_add(1, Ordering::SeqCst) == 0;
            seen.lock().unwrap().push(running.job.id);
            async move { if fails { Err(Failure::retryable("once")) } else { Ok(()) } }.boxed()
        }),
        quick("w1"),
    );
    let first = bench.enqueue(learn("u1")).await;
    let second = bench.enqueue(learn("u1")).await;
    bench.until(first, |job| !job.history.is_empty()).await;
    bench.clock.forward(10);
    bench.until(second, |job| job.state == JobState::Done).await;
    assert_eq!(*order.lock().unwrap(), [first, first, second]);
}

#[tokio::test]
async fn a_handler_may_finish_the_job_together_with_its_result() {
    let bench = Bench::new();
    let store = Arc::clone(&bench.store);
    let runner = bench.start(
        learning(move |running| {
            let (store, lease) = (Arc::clone(&store), running.lease.clone());
            let now = running.job.created_at;
            async move { Ok(store.complete(&lease, now).await?) }.boxed()
        }),
        quick("w1"),
    );
    let id = bench.enqueue(learn("u1")).await;
    let job = over(runner.handle().wait(&org(), id, LONG).await.unwrap());
    assert_eq!((job.state, job.history.len()), (JobState::Done, 1));
}

#[tokio::test]
async fn paused_work_waits_until_it_is_resumed() {
    let bench = Bench::new();
    let runner = bench.start(learning(|_| async { Ok(()) }.boxed()), quick("w1"));
    let handle = runner.handle();
    handle.pause(org(), JobKind::Learn);
    let id = bench.enqueue(learn("u1")).await;
    let other = OrgId::new("other");
    let theirs = bench.store.enqueue(&other, vec![learn("u1")], bench.clock.now()).await.unwrap()[0].id();
    over(handle.wait(&other, theirs, LONG).await.unwrap());
    assert_eq!(bench.job(id).await.state, JobState::Queued);
    handle.resume(org(), JobKind::Learn);
    over(handle.wait(&org(), id, LONG).await.unwrap());
}

#[tokio::test]
async fn waiting_ends_in_time_and_tells_what_is_not_there() {
    let bench = Bench::new();
    let runner = bench.start(Handlers::new(), quick("w1"));
    let handle = runner.handle();
    let id = bench.enqueue(learn("u1")).await;
    let waited = handle.wait(&org(), id, Duration::from_millis(20)).await.unwrap();
    assert!(matches!(waited, Waited::StillGoing(job) if job.id == id));
    assert_eq!(handle.wait(&org(), JobId(99), LONG).await.unwrap(), Waited::Gone);
    assert_eq!(handle.wait(&OrgId::new("other"), id, LONG).await.unwrap(), Waited::Gone);
}
