use reflexio_store::{JobCounts, NewRequest, Store};
use reflexio_types::{JobState, NewJob};

use crate::sample::{acme, at, learn, new_request, other, publish, request};

pub async fn a_publish_queues_its_job_once(store: &dyn Store) {
    assert_eq!(store.job_counts().await.unwrap(), JobCounts::default());
    publish(store, &acme(), asking("r1", "u1", learn("u1"))).await;
    let job = store.learning_job(&acme(), &"u1".into()).await.unwrap().unwrap();
    assert_eq!(
        (job.kind.as_str(), job.dedup_key.as_str(), job.state),
        ("learn", "learn:u1", JobState::Queued)
    );
    assert_eq!((job.payload.clone(), job.created_at), (serde_json::json!({ "user": "u1" }), at(1)));

    publish(store, &acme(), asking("r2", "u1", learn("u1"))).await;
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

fn asking(id: &str, user: &str, job: NewJob) -> NewRequest {
    NewRequest { job: Some(job), ..new_request(request(id, user, "s1", 1), &["hello"]) }
}
