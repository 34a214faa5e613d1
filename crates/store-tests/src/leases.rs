use reflexio_store::{Error, Held, JobEnd, Lease, Lesson, Retry, SavedAnswer, Store};
use reflexio_types::{Attempt, AttemptOutcome, Job, JobKind, JobProgress, JobState, NewJob};

use crate::sample::{acme, at, other};
use crate::workers::{
    LEASE, claim, claim_as, claim_kinds, claim_one, embed, enqueue, enqueue_all, ids, job, learn,
};

pub async fn a_claim_starts_a_job_for_one_worker(store: &dyn Store) {
    let id = enqueue(store, &acme(), learn("u1"), 1).await;
    let claimed = claim_one(store, 5).await;
    let expected = Job {
        state: JobState::Running,
        attempts: 1,
        lease_until: Some(at(5 + LEASE)),
        worker: Some("w1".to_owned()),
        started_at: Some(at(5)),
        ..claimed.job.clone()
    };
    assert_eq!(claimed.job, expected);
    assert_eq!((claimed.lease.org.clone(), claimed.lease.job), (acme(), id));
    assert_eq!(job(store, id).await, claimed.job);
    assert_eq!(claim_as(store, "w2", 5, 10).await, []);
    store.complete(&claimed.lease, at(7)).await.unwrap();
    let done = job(store, id).await;
    assert_eq!((done.state, done.lease_until, done.finished_at), (JobState::Done, None, Some(at(7))));
    let entry = Attempt { at: at(7), number: 1, outcome: AttemptOutcome::Done, reason: None };
    assert_eq!(done.history, [entry]);
    assert_eq!(claim(store, 1000, 10).await, []);
}

pub async fn only_the_kinds_asked_for_are_claimed(store: &dyn Store) {
    let all = enqueue_all(store, &acme(), vec![learn("u1"), embed("u1")]).await;
    assert_eq!(claim_kinds(store, &[], "w1", 1, 10).await, []);
    assert_eq!(ids(&claim_kinds(store, &[JobKind::Embed], "w1", 1, 10).await), [all[1]]);
    assert_eq!(ids(&claim_kinds(store, &[JobKind::Learn], "w1", 1, 10).await), [all[0]]);
}

pub async fn a_job_is_not_claimed_before_its_time(store: &dyn Store) {
    let id = enqueue(store, &acme(), NewJob { run_after: Some(at(9)), ..learn("u1") }, 1).await;
    assert_eq!(claim(store, 8, 10).await, []);
    assert_eq!(claim_one(store, 9).await.job.id, id);
}

pub async fn a_heartbeat_keeps_a_job(store: &dyn Store) {
    enqueue_all(store, &acme(), vec![learn("u1"), learn("u2")]).await;
    let claimed = claim(store, 0, 10).await;
    let (kept, silent) = (&claimed[0].lease, &claimed[1].lease);
    assert_eq!(store.heartbeat(std::slice::from_ref(kept), at(2 * LEASE)).await.unwrap(), [Held::Yes]);
    let taken = claim_as(store, "w2", LEASE, 10).await;
    assert_eq!(ids(&taken), [silent.job]);
    let both = store.heartbeat(&[silent.clone(), kept.clone()], at(2 * LEASE)).await.unwrap();
    assert_eq!(both, [Held::Lost, Held::Yes]);
    assert_eq!(store.heartbeat(std::slice::from_ref(kept), at(1)).await.unwrap(), [Held::Yes]);
    assert_eq!(job(store, kept.job).await.lease_until, Some(at(2 * LEASE)), "never shorter");
    store.cancel_job(&acme(), kept.job, at(1)).await.unwrap();
    assert_eq!(store.heartbeat(std::slice::from_ref(kept), at(2)).await.unwrap(), [Held::CancelAsked]);
}

pub async fn a_silent_worker_loses_its_job_and_the_history_says_so(store: &dyn Store) {
    let id = enqueue(store, &acme(), NewJob { max_attempts: 2, ..learn("u1") }, 0).await;
    claim_as(store, "w1", 0, 10).await;
    assert_eq!(claim_as(store, "w2", LEASE - 1, 10).await, []);
    let taken = claim_as(store, "w2", LEASE, 10).await;
    assert_eq!((ids(&taken), taken[0].job.attempts), (vec![id], 2));
    let entry = taken[0].job.history[0].clone();
    assert_eq!((entry.outcome, entry.number, entry.at), (AttemptOutcome::Expired, 1, at(LEASE)));
    assert!(entry.reason.unwrap().contains("`w1`"));
    assert_eq!(claim_as(store, "w3", 2 * LEASE, 10).await, []);
    let dead = job(store, id).await;
    assert_eq!((dead.state, dead.history.len(), dead.finished_at), (JobState::Dead, 2, Some(at(2 * LEASE))));
}

pub async fn attempts_that_get_somewhere_do_not_use_a_job_up(store: &dyn Store) {
    let id = enqueue(store, &acme(), NewJob { max_attempts: 2, ..learn("u1") }, 0).await;
    let answer = |digest: &str| SavedAnswer {
        digest: digest.to_owned(),
        user_id: None,
        body: "said".to_owned(),
        at: at(0),
    };
    for life in 1..=6 {
        let claimed = claim_one(store, life).await;
        assert_eq!(claimed.job.attempts, if life == 1 { 1 } else { 2 });
        if life % 2 == 0 {
            let part = Lesson { end: JobEnd::GoesOn, ..Lesson::default() };
            store.learn(&claimed.lease, part, at(life)).await.unwrap();
        } else {
            let question = format!("q{life}");
            assert!(store.save_answer(&acme(), id, answer(&question), Vec::new()).await.unwrap());
        }
        assert_eq!(job(store, id).await.attempts, 1);
        store.abandon_attempts(at(life)).await.unwrap();
    }
    claim_one(store, 7).await;
    assert!(store.save_answer(&acme(), id, answer("q5"), Vec::new()).await.unwrap());
    assert_eq!(job(store, id).await.attempts, 2, "an answer that was there already is nothing new");
    store.abandon_attempts(at(7)).await.unwrap();
    assert_eq!(job(store, id).await.state, JobState::Dead);
}

pub async fn jobs_whose_workers_are_gone_are_taken_over_before_their_leases_run_out(store: &dyn Store) {
    let id = enqueue(store, &acme(), learn("u1"), 0).await;
    enqueue(store, &other(), NewJob { max_attempts: 1, ..learn("u1") }, 0).await;
    let old = claim(store, 1, 10).await;
    assert_eq!(store.abandon_attempts(at(2)).await.unwrap(), 2);
    assert_eq!(store.abandon_attempts(at(2)).await.unwrap(), 0, "nothing is under way any more");
    let told = job(store, id).await.history;
    assert_eq!((told[0].at, told[0].outcome), (at(2), AttemptOutcome::Expired));
    let again = claim_one(store, 2).await;
    assert_eq!((again.job.id, again.job.attempts), (id, 2), "the other one had no attempt left");
    for lease in old.iter().map(|claimed| &claimed.lease) {
        assert!(matches!(store.complete(lease, at(3)).await, Err(Error::LostLease(_))), "{lease:?}");
    }
    store.complete(&again.lease, at(3)).await.unwrap();
}

pub async fn an_old_lease_changes_nothing(store: &dyn Store) {
    let id = enqueue(store, &acme(), learn("u1"), 0).await;
    let old = claim_one(store, 0).await.lease;
    let new = claim_one(store, LEASE).await.lease;
    assert!(new.fence > old.fence);
    let before = job(store, id).await;
    assert_lost(store, &old).await;
    assert_eq!(job(store, id).await, before);
    store.complete(&new, at(LEASE + 1)).await.unwrap();
    let before = job(store, id).await;
    assert_lost(store, &new).await;
    assert_eq!(job(store, id).await, before, "over is over");
}

pub async fn a_lease_that_ran_out_is_good_until_somebody_claims(store: &dyn Store) {
    let id = enqueue(store, &acme(), learn("u1"), 0).await;
    let late = claim_one(store, 0).await.lease;
    store.complete(&late, at(10 * LEASE)).await.unwrap();
    assert_eq!(job(store, id).await.state, JobState::Done);
}

pub async fn a_lease_is_good_in_its_org_only(store: &dyn Store) {
    let id = enqueue(store, &acme(), learn("u1"), 0).await;
    let lease = claim_one(store, 0).await.lease;
    let before = job(store, id).await;
    assert_lost(store, &Lease { org: other(), ..lease }).await;
    assert_eq!(job(store, id).await, before);
}

async fn assert_lost(store: &dyn Store, lease: &Lease) {
    let progress = JobProgress { done: 1, ..JobProgress::default() };
    let outcomes = [
        store.complete(lease, at(9)).await,
        store.fail(lease, "no", Retry::Never, at(9)).await.map(|_| ()),
        store.release(lease, "no", at(9), at(9)).await.map(|_| ()),
        store.set_progress(lease, progress).await,
    ];
    for outcome in outcomes {
        assert!(matches!(&outcome, Err(Error::LostLease(id)) if *id == lease.job), "{outcome:?}");
    }
    let held = store.heartbeat(std::slice::from_ref(lease), at(10 * LEASE)).await.unwrap();
    assert_eq!(held, [Held::Lost]);
}

pub async fn a_failed_job_waits_for_its_retry_and_dies_after_its_last_attempt(store: &dyn Store) {
    let id = enqueue(store, &acme(), NewJob { max_attempts: 2, ..learn("u1") }, 0).await;
    let lease = claim_one(store, 0).await.lease;
    let state = store.fail(&lease, "provider down", Retry::At(at(30)), at(1)).await.unwrap();
    assert_eq!(state, JobState::Queued);
    let waiting = job(store, id).await;
    assert_eq!((waiting.run_after, waiting.last_error.as_deref()), (at(30), Some("provider down")));
    assert_eq!(claim(store, 29, 10).await, []);
    let lease = claim_one(store, 30).await.lease;
    assert_eq!(store.fail(&lease, "down again", Retry::At(at(60)), at(31)).await.unwrap(), JobState::Dead);
    let dead = job(store, id).await;
    assert_eq!((dead.attempts, dead.last_error.as_deref()), (2, Some("down again")));
    let told: Vec<_> = dead.history.iter().map(|entry| (entry.number, entry.reason.as_deref())).collect();
    assert_eq!(told, [(1, Some("provider down")), (2, Some("down again"))]);
    assert_eq!(claim(store, 1000, 10).await, []);
}

pub async fn a_permanent_failure_is_not_retried(store: &dyn Store) {
    enqueue(store, &acme(), learn("u1"), 0).await;
    let lease = claim_one(store, 0).await.lease;
    assert_eq!(store.fail(&lease, "no such user", Retry::Never, at(1)).await.unwrap(), JobState::Dead);
    assert_eq!(claim(store, 1000, 10).await, []);
}

pub async fn a_released_job_keeps_its_attempts(store: &dyn Store) {
    let id = enqueue(store, &acme(), NewJob { max_attempts: 1, ..learn("u1") }, 0).await;
    for round in 0..3 {
        let lease = claim_one(store, round * 10).await.lease;
        let state = store.release(&lease, "stalled", at(round * 10 + 10), at(round * 10)).await.unwrap();
        assert_eq!(state, JobState::Queued);
        assert_eq!(claim(store, round * 10 + 9, 10).await, []);
    }
    let released = job(store, id).await;
    assert_eq!((released.attempts, released.last_error), (0, None));
    assert_eq!(released.history[2].outcome, AttemptOutcome::Released);
    assert_eq!(released.history[2].reason.as_deref(), Some("stalled"));
}

pub async fn progress_is_told(store: &dyn Store) {
    let id = enqueue(store, &acme(), learn("u1"), 0).await;
    let lease = claim_one(store, 0).await.lease;
    let progress = JobProgress { done: 3, total: Some(9), message: Some("reading".to_owned()) };
    store.set_progress(&lease, progress.clone()).await.unwrap();
    assert_eq!(job(store, id).await.progress, Some(progress));
}

pub async fn many_jobs_are_completed_at_once_and_lost_ones_are_named(store: &dyn Store) {
    enqueue_all(store, &acme(), vec![learn("u1"), learn("u2"), learn("u3")]).await;
    let mut leases: Vec<Lease> = claim(store, 0, 10).await.into_iter().map(|claimed| claimed.lease).collect();
    leases[1].fence += 1;
    assert_eq!(store.complete_many(&leases, at(1)).await.unwrap(), [leases[1].job]);
    assert_eq!(job(store, leases[0].job).await.state, JobState::Done);
    assert_eq!(job(store, leases[1].job).await.state, JobState::Running);
    assert_eq!(job(store, leases[2].job).await.state, JobState::Done);
}

pub async fn the_history_keeps_the_latest_twenty(store: &dyn Store) {
    let id = enqueue(store, &acme(), NewJob { max_attempts: 99, ..learn("u1") }, 0).await;
    let long = "x".repeat(10_000);
    for round in 1..=25 {
        let lease = claim_one(store, round).await.lease;
        store.fail(&lease, &long, Retry::At(at(round)), at(round)).await.unwrap();
    }
    let history = job(store, id).await.history;
    assert_eq!((history.len(), history[0].number, history[19].number), (Job::LONGEST_HISTORY, 6, 25));
    assert!(history[0].reason.as_ref().unwrap().len() < 5000);
}
