use reflexio_store::{Enqueued, JobCounts, JobFilter, NewRequest, Page, Retry, Store};
use reflexio_types::{AttemptOutcome, Job, JobKind, JobState, Lane, NewJob};
use serde_json::json;

use crate::sample::{ALL, acme, at, everything, learn, new_request, other, publish, request};
use crate::workers::{claim, claim_one, embed, enqueue, enqueue_all, ids, job, listed};

pub async fn a_publish_queues_its_job_once(store: &dyn Store) {
    assert_eq!(store.job_counts().await.unwrap(), JobCounts::default());
    let first = store.publish(&acme(), asking("r1", "u1", learn("u1"))).await.unwrap();
    let job = store.learning_job(&acme(), &"u1".into()).await.unwrap().unwrap();
    assert_eq!(first.job, Some(Enqueued::New(job.id)));
    assert_eq!(
        (job.kind.as_str(), job.dedup_key.as_deref(), job.state),
        ("learn", Some("learn:u1"), JobState::Queued)
    );
    assert_eq!((job.payload.clone(), job.created_at), (json!({ "user": "u1" }), at(1)));

    let second = store.publish(&acme(), asking("r2", "u1", learn("u1"))).await.unwrap();
    assert_eq!(second.job, Some(Enqueued::Covered(job.id)));
    assert_eq!(store.learning_job(&acme(), &"u1".into()).await.unwrap(), Some(job));
    assert_eq!(store.job_counts().await.unwrap(), JobCounts { queued: 1, ..JobCounts::default() });
}

pub async fn jobs_belong_to_their_user_and_org(store: &dyn Store) {
    publish(store, &acme(), asking("r1", "u1", learn("u1"))).await;
    publish(store, &acme(), asking("r2", "u2", learn("u2"))).await;
    publish(store, &other(), asking("r1", "u1", learn("u1"))).await;
    publish(store, &acme(), NewRequest { job: None, ..asking("r3", "u3", learn("u3")) }).await;
    let mine = store.learning_job(&acme(), &"u1".into()).await.unwrap().unwrap();
    let theirs = store.learning_job(&other(), &"u1".into()).await.unwrap().unwrap();
    assert_ne!(mine.id, theirs.id);
    assert_eq!(store.learning_job(&acme(), &"u3".into()).await.unwrap(), None);
    assert_eq!(store.learning_job(&other(), &"u2".into()).await.unwrap(), None);
    assert_eq!(store.job_counts().await.unwrap().queued, 3);
}

pub async fn a_job_is_read_back_whole(store: &dyn Store) {
    let new = NewJob {
        user_id: Some("u1".into()),
        kind: JobKind::Embed,
        dedup_key: None,
        rearms: false,
        lane: Lane::Free,
        payload: json!({ "texts": ["a", "ü"] }),
        run_after: Some(at(9)),
        max_attempts: 2,
    };
    let id = enqueue(store, &acme(), new.clone(), 3).await;
    let expected = Job {
        id,
        user_id: Some("u1".into()),
        kind: "embed".to_owned(),
        lane: None,
        dedup_key: None,
        payload: new.payload,
        state: JobState::Queued,
        attempts: 0,
        max_attempts: 2,
        run_after: at(9),
        lease_until: None,
        worker: None,
        cancel_asked: false,
        progress: None,
        last_error: None,
        created_at: at(3),
        started_at: None,
        finished_at: None,
        history: Vec::new(),
    };
    assert_eq!(job(store, id).await, expected);
    let of_nobody = enqueue(store, &acme(), NewJob::new(JobKind::Learn, json!(null)), 4).await;
    let read = job(store, of_nobody).await;
    assert_eq!((read.user_id, read.lane.as_deref(), read.run_after), (None, Some("learn"), at(4)));
}

pub async fn a_key_covers_only_while_its_job_is_queued(store: &dyn Store) {
    let first = enqueue(store, &acme(), learn("u1"), 1).await;
    assert_eq!(enqueue(store, &acme(), learn("u1"), 2).await, first);
    assert_ne!(enqueue(store, &other(), learn("u1"), 2).await, first);
    let running = claim(store, 3, 10).await;
    let second = enqueue(store, &acme(), learn("u1"), 3).await;
    assert_ne!(second, first);
    assert_eq!(store.learning_job(&acme(), &"u1".into()).await.unwrap().unwrap().id, first, "it runs");
    for claimed in &running {
        store.complete(&claimed.lease, at(4)).await.unwrap();
    }
    assert_eq!(enqueue(store, &acme(), learn("u1"), 5).await, second);
    let without_key = NewJob { dedup_key: None, ..learn("u1") };
    assert_ne!(enqueue(store, &acme(), without_key, 5).await, second);
}

pub async fn a_job_that_rearms_puts_the_queued_one_off_and_changes_its_work(store: &dyn Store) {
    let timer = |work: &str, second| NewJob {
        dedup_key: Some("timer".to_owned()),
        rearms: true,
        lane: Lane::Named("timer".to_owned()),
        run_after: Some(at(second)),
        ..NewJob::of_user(JobKind::Evaluate, "u1".into(), json!({ "work": work }))
    };
    let id = enqueue(store, &acme(), timer("first", 10), 0).await;
    assert_eq!(enqueue(store, &acme(), timer("second", 20), 5).await, id);
    assert!(claim(store, 15, ALL).await.is_empty(), "it was put off");
    let running = claim_one(store, 20).await;
    assert_eq!((running.job.id, &running.job.payload), (id, &json!({ "work": "second" })));
    // One that runs is not put off: the next one waits behind it, and is put off there.
    let next = enqueue(store, &acme(), timer("third", 30), 21).await;
    assert_ne!(next, id);
    assert_eq!(enqueue(store, &acme(), timer("fourth", 40), 22).await, next);
    store.complete(&running.lease, at(35)).await.unwrap();
    assert!(claim(store, 35, ALL).await.is_empty());
    assert_eq!(claim_one(store, 40).await.job.payload, json!({ "work": "fourth" }));
    // Brought forward, it is due at once; that of another org is another one.
    let theirs = enqueue(store, &other(), timer("theirs", 90), 41).await;
    let mine = enqueue(store, &acme(), timer("mine", 90), 41).await;
    assert_ne!(theirs, mine);
    enqueue(store, &other(), timer("theirs", 42), 42).await;
    assert_eq!(ids(&claim(store, 42, ALL).await), [theirs]);
    assert_eq!(store.check_integrity().await.unwrap().problems, Vec::<String>::new());
}

pub async fn a_job_that_failed_comes_back_beside_the_one_that_took_its_key(store: &dyn Store) {
    let first = enqueue(store, &acme(), learn("u1"), 1).await;
    let running = claim_one(store, 1).await;
    let second = enqueue(store, &acme(), learn("u1"), 2).await;
    store.fail(&running.lease, "no luck", Retry::At(at(9)), at(2)).await.unwrap();
    assert_eq!(store.org_job_counts(&acme()).await.unwrap().queued, 2);
    assert!([first, second].contains(&enqueue(store, &acme(), learn("u1"), 3).await));
    let again = claim_one(store, 9).await;
    assert_eq!(again.job.id, first);
    store.complete(&again.lease, at(9)).await.unwrap();
    assert_eq!(claim_one(store, 9).await.job.id, second);
}

pub async fn jobs_are_listed_latest_first_by_each_filter_and_in_pages(store: &dyn Store) {
    let jobs = ["u1", "u2", "u1"].map(|user| NewJob { dedup_key: None, ..learn(user) });
    let all = enqueue_all(store, &acme(), [jobs.to_vec(), vec![embed("u1")]].concat()).await;
    let running = claim(store, 1, 10).await;
    assert_eq!(running.len(), 3, "the third waits for the first");
    let check = |filter: JobFilter, expected: &[usize]| {
        let expected: Vec<_> = expected.iter().map(|index| all[*index]).collect();
        async move { assert_eq!(listed(store, &acme(), &filter).await, expected, "{filter:?}") }
    };
    let (kind, user_id) = (Some("embed".to_owned()), Some("u1".into()));
    check(JobFilter::default(), &[3, 2, 1, 0]).await;
    check(JobFilter { state: Some(JobState::Queued), ..JobFilter::default() }, &[2]).await;
    check(JobFilter { state: Some(JobState::Running), ..JobFilter::default() }, &[3, 1, 0]).await;
    check(JobFilter { kind: kind.clone(), ..JobFilter::default() }, &[3]).await;
    check(JobFilter { kind: Some("brew".to_owned()), ..JobFilter::default() }, &[]).await;
    check(JobFilter { user_id: user_id.clone(), ..JobFilter::default() }, &[3, 2, 0]).await;
    check(JobFilter { state: Some(JobState::Running), kind, user_id }, &[3]).await;
    let page = |limit, offset| store_page(store, limit, offset);
    assert_eq!(page(3, 0).await, (vec![all[3], all[2], all[1]], true));
    assert_eq!(page(3, 1).await, (vec![all[2], all[1], all[0]], false));
    assert_eq!(page(3, 4).await, (Vec::new(), false));
}

async fn store_page(store: &dyn Store, limit: usize, offset: usize) -> (Vec<reflexio_types::JobId>, bool) {
    let (jobs, more) = store.jobs(&acme(), &JobFilter::default(), Page { limit, offset }).await.unwrap();
    (jobs.iter().map(|job| job.id).collect(), more)
}

pub async fn jobs_are_counted_per_org(store: &dyn Store) {
    enqueue_all(store, &acme(), vec![learn("u1"), learn("u2"), learn("u3")]).await;
    enqueue_all(store, &other(), vec![learn("u1")]).await;
    let running = claim(store, 1, 4).await;
    let mine: Vec<_> = running.iter().filter(|claimed| claimed.lease.org == acme()).collect();
    store.fail(&mine[0].lease, "no", Retry::Never, at(2)).await.unwrap();
    store.complete(&mine[1].lease, at(2)).await.unwrap();
    enqueue(store, &acme(), learn("u4"), 3).await;
    let counts = JobCounts { queued: 1, running: 1, dead: 1 };
    assert_eq!(store.org_job_counts(&acme()).await.unwrap(), counts);
    assert_eq!(store.org_job_counts(&other()).await.unwrap(), JobCounts { running: 1, ..Default::default() });
    assert_eq!(store.job_counts().await.unwrap(), JobCounts { running: 2, ..counts });
}

pub async fn a_queued_job_is_cancelled_at_once(store: &dyn Store) {
    let id = enqueue(store, &acme(), learn("u1"), 1).await;
    let cancelled = store.cancel_job(&acme(), id, at(2)).await.unwrap().unwrap();
    assert_eq!((cancelled.state, cancelled.finished_at), (JobState::Cancelled, Some(at(2))));
    assert_eq!(cancelled.history[0].outcome, AttemptOutcome::Cancelled);
    assert_eq!(claim(store, 3, 10).await, []);
    assert_eq!(store.cancel_job(&acme(), id, at(9)).await.unwrap(), Some(cancelled), "once is enough");
    assert_ne!(enqueue(store, &acme(), learn("u1"), 3).await, id, "it covers nothing any more");
}

pub async fn a_running_job_is_asked_to_stop_and_ends_cancelled_unless_done(store: &dyn Store) {
    let all = enqueue_all(store, &acme(), ["a", "b", "c", "d"].map(learn).to_vec()).await;
    let running = claim(store, 1, 10).await;
    assert_eq!(ids(&running), all);
    for id in &all {
        let asked = store.cancel_job(&acme(), *id, at(2)).await.unwrap().unwrap();
        assert_eq!((asked.state, asked.cancel_asked), (JobState::Running, true));
    }
    store.fail(&running[0].lease, "stopped", Retry::At(at(3)), at(3)).await.unwrap();
    store.release(&running[1].lease, "stopped", at(3), at(3)).await.unwrap();
    store.complete(&running[2].lease, at(3)).await.unwrap();
    assert_eq!(claim(store, 1000, 10).await, [], "the fourth was silent");
    let mut states = Vec::new();
    for id in all {
        states.push(job(store, id).await.state);
    }
    use JobState::{Cancelled, Done};
    assert_eq!(states, [Cancelled, Cancelled, Done, Cancelled]);
}

pub async fn only_dead_and_cancelled_jobs_are_queued_again(store: &dyn Store) {
    let all = enqueue_all(store, &acme(), ["a", "b", "c", "d"].map(learn).to_vec()).await;
    let running = claim(store, 1, 3).await;
    store.complete(&running[0].lease, at(2)).await.unwrap();
    store.fail(&running[1].lease, "no", Retry::Never, at(2)).await.unwrap();
    let retry = |index: usize| {
        let id = all[index];
        async move { store.retry_job(&acme(), id, at(5)).await.unwrap().unwrap() }
    };
    assert_eq!(retry(0).await.state, JobState::Done);
    assert_eq!(retry(2).await.state, JobState::Running);
    let again = retry(1).await;
    assert_eq!((again.state, again.attempts, again.finished_at), (JobState::Queued, 0, None));
    assert_eq!(again.history.last().unwrap().outcome, AttemptOutcome::Retried);
    store.cancel_job(&acme(), all[3], at(5)).await.unwrap();
    assert_eq!(retry(3).await.state, JobState::Queued);
    let claimed = claim(store, 6, 10).await;
    assert_eq!(crate::workers::sorted_ids(&claimed), [all[1], all[3]]);
    assert!(claimed.iter().all(|claimed| claimed.job.attempts == 1 && !claimed.job.cancel_asked));
}

pub async fn finished_jobs_are_deleted_by_state_and_age(store: &dyn Store) {
    let all = enqueue_all(store, &acme(), ["a", "b", "c", "d"].map(learn).to_vec()).await;
    let running = claim(store, 1, 4).await;
    store.complete(&running[0].lease, at(2)).await.unwrap();
    store.complete(&running[1].lease, at(3)).await.unwrap();
    store.fail(&running[2].lease, "no", Retry::Never, at(2)).await.unwrap();
    let delete = |state, second, limit| async move {
        store.delete_finished_jobs(state, at(second), limit).await.unwrap()
    };
    assert_eq!(delete(JobState::Done, 2, 10).await, 0);
    assert_eq!(delete(JobState::Done, 3, 10).await, 1);
    assert_eq!(delete(JobState::Running, 99, 10).await, 0);
    assert_eq!(listed(store, &acme(), &JobFilter::default()).await, [all[3], all[2], all[1]]);
    assert_eq!(delete(JobState::Dead, 99, 0).await, 0);
    assert_eq!(delete(JobState::Dead, 99, 10).await, 1);
}

pub async fn an_erased_user_takes_its_jobs_along_and_their_lanes_go_on(store: &dyn Store) {
    let shared = |user: &str| NewJob { lane: Lane::Named("nightly".to_owned()), ..embed(user) };
    enqueue_all(store, &acme(), vec![shared("u1"), shared("u1")]).await;
    let kept = enqueue(store, &acme(), shared("u2"), 1).await;
    let running = claim_one(store, 1).await;
    assert_eq!(store.clear_user(&acme(), &"u1".into()).await.unwrap().jobs, 2);
    assert!(store.complete(&running.lease, at(2)).await.is_err());
    assert_eq!(listed(store, &acme(), &JobFilter::default()).await, [kept]);
    assert_eq!(claim_one(store, 2).await.job.id, kept);
}

pub async fn jobs_of_another_org_are_neither_seen_nor_touched(store: &dyn Store) {
    let id = enqueue(store, &other(), learn("u1"), 1).await;
    let dead = enqueue(store, &other(), learn("u2"), 1).await;
    store.cancel_job(&other(), dead, at(1)).await.unwrap();
    let before = everything(store, &other()).await;
    assert_eq!(store.job(&acme(), id).await.unwrap(), None);
    assert_eq!(store.cancel_job(&acme(), id, at(2)).await.unwrap(), None);
    assert_eq!(store.retry_job(&acme(), dead, at(2)).await.unwrap(), None);
    assert_eq!(listed(store, &acme(), &JobFilter::default()).await, []);
    assert_eq!(store.org_job_counts(&acme()).await.unwrap(), JobCounts::default());
    assert_eq!(everything(store, &other()).await, before);
}

fn asking(id: &str, user: &str, job: NewJob) -> NewRequest {
    NewRequest { job: Some(job), ..new_request(request(id, user, "s1", 1), &["hello"]) }
}
