use reflexio_store::{Retry, Store};
use reflexio_types::{JobId, JobKind, Lane, NewJob};

use crate::sample::{acme, at, other};
use crate::workers::{claim, claim_one, embed, enqueue, enqueue_all, ids, learn, sorted_ids};

pub async fn jobs_of_one_lane_run_one_at_a_time_in_the_order_of_arrival(store: &dyn Store) {
    let all = enqueue_all(store, &acme(), vec![learn("u1"), learn("u1"), learn("u1")]).await;
    for id in all {
        let claimed = claim_one(store, 1).await;
        assert_eq!(claimed.job.id, id);
        assert_eq!(claim(store, 1, 10).await, []);
        store.complete(&claimed.lease, at(2)).await.unwrap();
    }
    let apart = enqueue_all(store, &acme(), vec![learn("u1"), learn("u2"), embed("u1")]).await;
    let elsewhere = enqueue(store, &other(), learn("u1"), 1).await;
    assert_eq!(sorted_ids(&claim(store, 3, 10).await), [apart, vec![elsewhere]].concat());
}

pub async fn a_lane_waits_for_its_first_job_while_that_waits(store: &dyn Store) {
    let all = enqueue_all(store, &acme(), vec![learn("u1"), learn("u1")]).await;
    let lease = claim_one(store, 1).await.lease;
    store.fail(&lease, "later", Retry::At(at(50)), at(1)).await.unwrap();
    assert_eq!(claim(store, 49, 10).await, []);
    let lease = claim_one(store, 50).await.lease;
    assert_eq!(lease.job, all[0]);
    store.release(&lease, "stalled", at(90), at(51)).await.unwrap();
    assert_eq!(claim(store, 89, 10).await, []);
    assert_eq!(claim_one(store, 90).await.job.id, all[0]);
}

pub async fn free_jobs_wait_for_nobody(store: &dyn Store) {
    let free = || NewJob { lane: Lane::Free, ..learn("u1") };
    let all = enqueue_all(store, &acme(), vec![free(), learn("u1"), free(), free()]).await;
    assert_eq!(ids(&claim(store, 1, 10).await), all);
}

pub async fn a_named_lane_holds_jobs_of_several_users_and_kinds(store: &dyn Store) {
    let named = |job: NewJob| NewJob { lane: Lane::Named("nightly".to_owned()), ..job };
    let jobs = vec![named(embed("u2")), named(learn("u1")), named(NewJob::new(JobKind::Embed, 1.into()))];
    let all = enqueue_all(store, &acme(), jobs.clone()).await;
    let theirs = enqueue(store, &other(), jobs[0].clone(), 1).await;
    let both = claim(store, 1, 10).await;
    assert_eq!(sorted_ids(&both), [all[0], theirs], "a lane ends at its org");
    for claimed in both {
        store.complete(&claimed.lease, at(1)).await.unwrap();
    }
    assert_eq!(in_order(store).await, all[1..]);
}

pub async fn a_retried_job_goes_before_those_that_arrived_after_it(store: &dyn Store) {
    let all = enqueue_all(store, &acme(), vec![learn("u1"), learn("u1"), learn("u1")]).await;
    let lease = claim_one(store, 1).await.lease;
    store.fail(&lease, "no", Retry::Never, at(1)).await.unwrap();
    let second = claim_one(store, 2).await.lease;
    store.retry_job(&acme(), all[0], at(2)).await.unwrap();
    assert_eq!(claim(store, 3, 10).await, [], "one runs");
    store.fail(&second, "again", Retry::At(at(3)), at(3)).await.unwrap();
    assert_eq!(in_order(store).await, all);
    let more = enqueue_all(store, &acme(), vec![learn("u2"), learn("u2")]).await;
    store.cancel_job(&acme(), more[0], at(4)).await.unwrap();
    store.retry_job(&acme(), more[0], at(4)).await.unwrap();
    assert_eq!(in_order(store).await, more);
}

pub async fn a_lane_goes_on_after_its_first_job_was_cancelled_or_died(store: &dyn Store) {
    let all = enqueue_all(store, &acme(), vec![learn("u1"), learn("u1"), learn("u1"), learn("u1")]).await;
    store.cancel_job(&acme(), all[1], at(1)).await.unwrap();
    store.cancel_job(&acme(), all[0], at(1)).await.unwrap();
    let lease = claim_one(store, 1).await.lease;
    assert_eq!(lease.job, all[2]);
    store.fail(&lease, "no", Retry::Never, at(2)).await.unwrap();
    assert_eq!(in_order(store).await, [all[3]]);
}

/// Runs what can be run, one job after the other.
async fn in_order(store: &dyn Store) -> Vec<JobId> {
    let mut order = Vec::new();
    while let Some(claimed) = claim(store, 5, 1).await.pop() {
        store.complete(&claimed.lease, at(5)).await.unwrap();
        order.push(claimed.job.id);
    }
    order
}
