use reflexio_store::{JobEnd, Lease, Lesson, Retry, SavedAnswer, Store};
use reflexio_types::{
    CostTotals, JobId, JobKind, JobState, ModelCall, NewJob, Operation, OperationState, OrgId, UserId,
};
use serde_json::json;

use crate::costs::{call, total};
use crate::sample::{acme, at, other, request, say};
use crate::workers::{claim_one, enqueue, learn};

fn answer(digest: &str, user: Option<&str>) -> SavedAnswer {
    let user_id = user.map(UserId::new);
    SavedAnswer { digest: digest.to_owned(), user_id, body: format!("said to {digest}"), at: at(2) }
}

async fn saved(store: &dyn Store, org: &OrgId, job: JobId, digest: &str) -> bool {
    store.answer(org, job, digest).await.unwrap().is_some()
}

async fn save(store: &dyn Store, job: JobId, answer: SavedAnswer) -> bool {
    store.save_answer(&acme(), job, answer, Vec::new()).await.unwrap()
}

/// A job of ann that runs.
async fn running(store: &dyn Store) -> Lease {
    say(store, &acme(), request("r1", "ann", "s1", 1), &["hello"]).await;
    enqueue(store, &acme(), learn("ann"), 1).await;
    claim_one(store, 2).await.lease
}

pub async fn an_answer_is_kept_with_the_calls_it_took(store: &dyn Store) {
    let lease = running(store).await;
    assert_eq!(store.answer(&acme(), lease.job, "q1").await.unwrap(), None);
    let calls = vec![call(2, "extraction", 7), call(2, "extraction", 8)];
    let expected: CostTotals = calls.iter().sum();
    assert!(store.save_answer(&acme(), lease.job, answer("q1", Some("ann")), calls).await.unwrap());
    let found = store.answer(&acme(), lease.job, "q1").await.unwrap();
    assert_eq!(found.as_deref(), Some("said to q1"));
    assert_eq!(total(store, &acme()).await, expected);
    let newer = SavedAnswer { body: "something else".to_owned(), ..answer("q1", Some("ann")) };
    assert!(save(store, lease.job, newer).await);
    assert_eq!(store.answer(&acme(), lease.job, "q1").await.unwrap().as_deref(), Some("something else"));
    assert!(!saved(store, &acme(), lease.job, "q2").await);
    assert!(!saved(store, &acme(), JobId(lease.job.0 + 1), "q1").await);
}

pub async fn answers_outlive_an_attempt_and_go_with_their_job(store: &dyn Store) {
    let lease = running(store).await;
    assert!(save(store, lease.job, answer("q1", Some("ann"))).await);
    store.fail(&lease, "broke", Retry::At(at(3)), at(3)).await.unwrap();
    assert!(saved(store, &acme(), lease.job, "q1").await, "the next attempt needs it");
    let lease = claim_one(store, 4).await.lease;
    store.release(&lease, "stopping", at(5), at(5)).await.unwrap();
    let lease = claim_one(store, 6).await.lease;
    assert!(saved(store, &acme(), lease.job, "q1").await);
    store.learn(&lease, Lesson { end: JobEnd::GoesOn, ..Lesson::default() }, at(7)).await.unwrap();
    assert!(saved(store, &acme(), lease.job, "q1").await);
    store.learn(&lease, Lesson::default(), at(8)).await.unwrap();
    assert!(!saved(store, &acme(), lease.job, "q1").await, "gone in the transaction that ends the job");
    assert!(!save(store, lease.job, answer("q1", Some("ann"))).await, "the job is over");
}

pub async fn answers_go_however_their_job_ends(store: &dyn Store) {
    let lease = running(store).await;
    assert!(save(store, lease.job, answer("q1", Some("ann"))).await);
    store.fail(&lease, "hopeless", Retry::Never, at(3)).await.unwrap();
    assert!(!saved(store, &acme(), lease.job, "q1").await, "dead");
    let id = enqueue(store, &acme(), learn("ann"), 4).await;
    let lease = claim_one(store, 4).await.lease;
    assert!(save(store, id, answer("q1", Some("ann"))).await);
    store.release(&lease, "later", at(5), at(5)).await.unwrap();
    store.cancel_job(&acme(), id, at(6)).await.unwrap();
    assert!(!saved(store, &acme(), id, "q1").await, "cancelled while it was queued");
    let id = enqueue(store, &acme(), learn("ann"), 7).await;
    let lease = claim_one(store, 7).await.lease;
    assert!(save(store, id, answer("q1", Some("ann"))).await);
    store.complete(&lease, at(8)).await.unwrap();
    assert!(!saved(store, &acme(), id, "q1").await, "done");
    assert_eq!(store.check_integrity().await.unwrap().problems, Vec::<String>::new());
}

pub async fn a_job_that_is_done_with_a_user_needs_no_answers_about_it(store: &dyn Store) {
    for user in ["ann", "bob"] {
        say(store, &acme(), request(user, user, "s1", 1), &["hello"]).await;
    }
    let rerun = NewJob { user_id: None, ..NewJob::of_user(JobKind::Rerun, "ann".into(), json!({})) };
    enqueue(store, &acme(), rerun, 1).await;
    let lease = claim_one(store, 2).await.lease;
    for (digest, user) in [("q1", "ann"), ("q2", "bob")] {
        assert!(save(store, lease.job, answer(digest, Some(user))).await);
    }
    let operation = Some(operation());
    let user_id = Some("ann".into());
    let lesson = Lesson { user_id, operation, end: JobEnd::GoesOn, ..Lesson::default() };
    store.learn(&lease, lesson, at(3)).await.unwrap();
    assert!(!saved(store, &acme(), lease.job, "q1").await);
    assert!(saved(store, &acme(), lease.job, "q2").await);
}

pub async fn an_erased_user_takes_its_answers_along(store: &dyn Store) {
    for user in ["ann", "bob"] {
        say(store, &acme(), request(user, user, "s1", 1), &["hello"]).await;
    }
    let rerun = NewJob { user_id: None, ..NewJob::of_user(JobKind::Rerun, "ann".into(), json!({})) };
    enqueue(store, &acme(), rerun, 1).await;
    let lease = claim_one(store, 2).await.lease;
    for (digest, user) in [("q1", Some("ann")), ("q2", Some("bob")), ("q3", None)] {
        assert!(save(store, lease.job, answer(digest, user)).await);
    }
    store.clear_user(&acme(), &"ann".into()).await.unwrap();
    assert!(!saved(store, &acme(), lease.job, "q1").await);
    assert!(saved(store, &acme(), lease.job, "q2").await);
    assert!(!saved(store, &acme(), lease.job, "q3").await, "it may hold words of ann");
    let calls: Vec<ModelCall> = vec![call(3, "extraction", 1)];
    let late = store.save_answer(&acme(), lease.job, answer("q1", Some("ann")), calls).await.unwrap();
    assert!(!late, "an answer that came after her end");
    assert_eq!(total(store, &acme()).await.calls, 1, "it was paid for all the same");
}

pub async fn answers_belong_to_their_org(store: &dyn Store) {
    let lease = running(store).await;
    assert!(save(store, lease.job, answer("q1", None)).await);
    assert!(!saved(store, &other(), lease.job, "q1").await);
    let theirs = store.save_answer(&other(), lease.job, answer("q2", None), Vec::new()).await.unwrap();
    assert!(!theirs, "it is not their job");
    store.clear_user(&other(), &"ann".into()).await.unwrap();
    assert!(saved(store, &acme(), lease.job, "q1").await);
    assert_eq!(store.job(&acme(), lease.job).await.unwrap().unwrap().state, JobState::Running);
}

fn operation() -> Operation {
    Operation {
        id: "o1".to_owned(),
        service_name: "profile_generation".to_owned(),
        state: OperationState::InProgress,
        started_at: at(1),
        completed_at: None,
        total_users: 2,
        processed_user_ids: vec!["ann".to_owned()],
        failed_user_ids: Vec::new(),
        current_user_id: None,
        request_params: serde_json::Map::new(),
        stats: serde_json::Map::new(),
        error_message: None,
    }
}
