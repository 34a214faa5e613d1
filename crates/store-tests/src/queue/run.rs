use std::collections::HashSet;
use std::time::Duration;

use proptest::sample::Index;
use reflexio_store::{Claim, Claimed, Enqueued, Error, Held, Lease, Retry, Store};
use reflexio_types::{JobId, JobKind, JobState, NewJob, OrgId};
use serde_json::json;

use super::model::{Expected, Model, org, worker};
use super::steps::Step;
use crate::sample::{ALL, at};
use crate::workers::LEASE;

/// Does a step in the store and in the model; both must agree about its outcome.
pub(super) async fn run(store: &dyn Store, model: &mut Model, step: &Step) {
    match step {
        Step::Enqueue { org: number, user, kind, lane, key, delay, most } => {
            let job = NewJob {
                lane: lane.clone(),
                dedup_key: key.map(|key| format!("key {key}")),
                run_after: (*delay > 0).then(|| at(model.now + delay)),
                max_attempts: *most,
                ..NewJob::of_user(*kind, format!("u{user}").into(), json!({}))
            };
            enqueue(store, model, &org(*number), job).await;
        }
        Step::Claim { worker, limit, kinds, pause } => {
            let paused = pause.iter().map(|(number, kind)| (org(*number), *kind)).collect();
            claim(store, model, *worker, *limit, kinds, &paused).await;
        }
        Step::ClaimAll => claim(store, model, 0, ALL, &JobKind::ALL, &HashSet::new()).await,
        Step::Heartbeat { worker } => heartbeat(store, model, *worker).await,
        Step::Complete(index) => {
            let Some(lease) = pick(model, index) else { return };
            complete(store, model, &lease).await;
        }
        Step::CompleteAll => {
            for (_, lease) in model.leases.clone() {
                complete(store, model, &lease).await;
            }
        }
        Step::Fail { lease, retry } => {
            let Some(lease) = pick(model, lease) else { return };
            fail(store, model, &lease, *retry).await;
        }
        Step::Release { lease, delay } => {
            let Some(lease) = pick(model, lease) else { return };
            let (now, later) = (model.now(), at(model.now + delay));
            let expected = model.held(&lease).map(|job| {
                job.attempts -= u32::from(!job.cancel_asked);
                job.end(JobState::Queued, later);
                job.state
            });
            agree(store.release(&lease, "stalled", later, now).await, expected.as_ref(), &lease);
        }
        Step::Cancel(index) => cancel(store, model, index).await,
        Step::Retry(index) => retry(store, model, index).await,
        Step::Crash { worker } => model.leases.retain(|(of, _)| of != worker),
        Step::ClearUser { org: number, user } => clear_user(store, model, &org(*number), *user).await,
        Step::Pass(seconds) => model.now += seconds,
    }
}

async fn enqueue(store: &dyn Store, model: &mut Model, org: &OrgId, new: NewJob) {
    let covering = new.dedup_key.as_ref().and_then(|key| {
        model.of_org(org).find(|job| job.state == JobState::Queued && job.key.as_ref() == Some(key))
    });
    let covering = covering.map(|job| job.id);
    let now = model.now();
    let queued = store.enqueue(org, vec![new.clone()], now).await.unwrap()[0];
    match covering {
        Some(id) => assert_eq!(queued, Enqueued::Covered(id)),
        None => {
            assert!(matches!(queued, Enqueued::New(_)), "{queued:?}");
            model.jobs.push(Expected {
                id: queued.id(),
                org: org.clone(),
                lane: new.lane_name(),
                user: new.user_id.unwrap(),
                kind: new.kind,
                key: new.dedup_key,
                state: JobState::Queued,
                attempts: 0,
                most: new.max_attempts,
                run_after: new.run_after.unwrap_or(now),
                lease_until: None,
                cancel_asked: false,
                fence: 0,
            });
        }
    }
}

async fn claim(
    store: &dyn Store,
    model: &mut Model,
    by: usize,
    limit: usize,
    kinds: &[JobKind],
    paused: &HashSet<(OrgId, JobKind)>,
) {
    model.expire();
    let mut eligible = model.eligible(kinds, paused);
    let lease = Duration::from_secs(LEASE.unsigned_abs());
    let claim = Claim { kinds, worker: &worker(by), now: model.now(), lease, limit, paused };
    let claimed = store.claim(claim).await.unwrap();
    assert_eq!(claimed.len(), limit.min(eligible.len()), "of {eligible:?}");
    for Claimed { lease, job } in claimed {
        let place = eligible.iter().position(|id| *id == job.id);
        assert!(place.is_some(), "only what is eligible is claimed, and once: {job:?}");
        eligible.remove(place.unwrap());
        let until = at(model.now + LEASE);
        let expected = model.jobs.iter_mut().find(|expected| expected.id == job.id).unwrap();
        assert!(lease.fence > expected.fence, "the fence grows");
        assert_eq!(lease.org, expected.org);
        expected.fence = lease.fence;
        expected.state = JobState::Running;
        expected.attempts += 1;
        expected.lease_until = Some(until);
        model.leases.push((by, lease));
    }
}

async fn heartbeat(store: &dyn Store, model: &mut Model, by: usize) {
    let leases: Vec<Lease> =
        model.leases.iter().filter(|(of, _)| *of == by).map(|(_, lease)| lease.clone()).collect();
    let until = at(model.now + LEASE);
    let held = store.heartbeat(&leases, until).await.unwrap();
    let expected: Vec<Held> = leases
        .iter()
        .map(|lease| match model.held(lease) {
            None => Held::Lost,
            Some(job) => {
                job.lease_until = Some(until);
                if job.cancel_asked { Held::CancelAsked } else { Held::Yes }
            }
        })
        .collect();
    assert_eq!(held, expected);
}

async fn complete(store: &dyn Store, model: &mut Model, lease: &Lease) {
    let now = model.now();
    let expected = model.held(lease).map(|job| {
        job.state = JobState::Done;
        job.lease_until = None;
    });
    agree(store.complete(lease, now).await, expected.as_ref(), lease);
}

async fn fail(store: &dyn Store, model: &mut Model, lease: &Lease, delay: Option<i64>) {
    let (now, later) = (model.now(), at(model.now + delay.unwrap_or(0)));
    let expected = model.held(lease).map(|job| {
        let again = delay.is_some() && job.attempts < job.most;
        job.end(if again { JobState::Queued } else { JobState::Dead }, later);
        job.state
    });
    let retry = if delay.is_some() { Retry::At(later) } else { Retry::Never };
    agree(store.fail(lease, "no luck", retry, now).await, expected.as_ref(), lease);
}

async fn cancel(store: &dyn Store, model: &mut Model, index: &Index) {
    let Some((now, id)) = pick_job(model, index) else { return };
    let job = model.jobs.iter_mut().find(|job| job.id == id).unwrap();
    match job.state {
        JobState::Queued => job.state = JobState::Cancelled,
        JobState::Running => job.cancel_asked = true,
        JobState::Done | JobState::Dead | JobState::Cancelled => {}
    }
    let found = store.cancel_job(&job.org, id, now).await.unwrap().unwrap();
    assert_eq!(found.state, job.state);
}

async fn retry(store: &dyn Store, model: &mut Model, index: &Index) {
    let Some((now, id)) = pick_job(model, index) else { return };
    let job = model.jobs.iter_mut().find(|job| job.id == id).unwrap();
    if matches!(job.state, JobState::Dead | JobState::Cancelled) {
        (job.state, job.attempts, job.cancel_asked) = (JobState::Queued, 0, false);
        job.run_after = now;
    }
    let found = store.retry_job(&job.org, id, now).await.unwrap().unwrap();
    assert_eq!(found.state, job.state);
}

async fn clear_user(store: &dyn Store, model: &mut Model, org: &OrgId, user: u8) {
    let user = format!("u{user}").into();
    let before = model.jobs.len();
    model.jobs.retain(|job| job.org != *org || job.user != user);
    let erased = store.clear_user(org, &user).await.unwrap();
    assert_eq!(erased.jobs, (before - model.jobs.len()) as u64);
}

/// The model knows whether the lease was good.
#[track_caller]
fn agree<T: PartialEq + std::fmt::Debug>(found: Result<T, Error>, expected: Option<&T>, lease: &Lease) {
    let found = match found {
        Err(Error::LostLease(id)) if id == lease.job => None,
        other => Some(other.unwrap()),
    };
    assert_eq!(found.as_ref(), expected, "{lease:?}");
}

fn pick(model: &Model, index: &Index) -> Option<Lease> {
    (!model.leases.is_empty()).then(|| index.get(&model.leases).1.clone())
}

fn pick_job(model: &Model, index: &Index) -> Option<(reflexio_types::Timestamp, JobId)> {
    (!model.jobs.is_empty()).then(|| (model.now(), index.get(&model.jobs).id))
}
