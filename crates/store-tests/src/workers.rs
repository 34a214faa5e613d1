//! Short words for what workers do.

use std::collections::HashSet;
use std::time::Duration;

use reflexio_store::{Claim, Claimed, JobFilter, Page, Store};
use reflexio_types::{Job, JobId, JobKind, NewJob, OrgId};
use serde_json::json;

use crate::sample::{ALL, acme, at};

/// In seconds.
pub(crate) const LEASE: i64 = 60;

pub(crate) fn learn(user: &str) -> NewJob {
    NewJob::of_user(JobKind::Learn, user.into(), json!({ "user": user }))
}

pub(crate) fn embed(user: &str) -> NewJob {
    NewJob::of_user(JobKind::Embed, user.into(), json!({}))
}

pub(crate) async fn enqueue(store: &dyn Store, org: &OrgId, job: NewJob, second: i64) -> JobId {
    store.enqueue(org, vec![job], at(second)).await.unwrap()[0].id()
}

/// The ids in the order of arrival.
pub(crate) async fn enqueue_all(store: &dyn Store, org: &OrgId, jobs: Vec<NewJob>) -> Vec<JobId> {
    store.enqueue(org, jobs, at(0)).await.unwrap().into_iter().map(|queued| queued.id()).collect()
}

pub(crate) async fn claim(store: &dyn Store, second: i64, limit: usize) -> Vec<Claimed> {
    claim_as(store, "w1", second, limit).await
}

pub(crate) async fn claim_as(store: &dyn Store, worker: &str, second: i64, limit: usize) -> Vec<Claimed> {
    claim_kinds(store, &JobKind::ALL, worker, second, limit).await
}

pub(crate) async fn claim_kinds(
    store: &dyn Store,
    kinds: &[JobKind],
    worker: &str,
    second: i64,
    limit: usize,
) -> Vec<Claimed> {
    let lease = Duration::from_secs(LEASE.unsigned_abs());
    let claim = Claim { kinds, worker, now: at(second), lease, limit, paused: &HashSet::new() };
    store.claim(claim).await.unwrap()
}

/// The one job that can be claimed.
pub(crate) async fn claim_one(store: &dyn Store, second: i64) -> Claimed {
    let mut claimed = claim(store, second, ALL).await;
    assert_eq!(claimed.len(), 1, "{claimed:?}");
    claimed.remove(0)
}

pub(crate) fn ids(claimed: &[Claimed]) -> Vec<JobId> {
    claimed.iter().map(|claimed| claimed.job.id).collect()
}

/// As [`ids`], whoever had the first turn.
pub(crate) fn sorted_ids(claimed: &[Claimed]) -> Vec<JobId> {
    let mut ids = ids(claimed);
    ids.sort_unstable();
    ids
}

pub(crate) async fn job(store: &dyn Store, id: JobId) -> Job {
    store.job(&acme(), id).await.unwrap().unwrap()
}

pub(crate) async fn listed(store: &dyn Store, org: &OrgId, filter: &JobFilter) -> Vec<JobId> {
    let (jobs, more) = store.jobs(org, filter, Page::first(ALL)).await.unwrap();
    assert!(!more);
    jobs.iter().map(|job| job.id).collect()
}
