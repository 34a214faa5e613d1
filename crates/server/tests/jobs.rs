//! What people see of background work, and what they can do to it.

#![expect(clippy::unwrap_used, reason = "a helper of a test fails the test")]

use std::collections::HashSet;
use std::time::Duration;

use reflexio_store::{Claim, Jobs};
use reflexio_store_sqlite::SqliteStore;
use reflexio_test_support::TestServer;
use reflexio_types::{Clock, JobKind};
use serde_json::{Value, json};

async fn publish(server: &TestServer, user: &str) {
    // Named, because about one in twenty sessions gets a second job, which judges it.
    let body = json!({"user_id": user, "session_id": "s", "interaction_data_list": [{"content": "hello"}]});
    server.post("/api/publish_interaction", body).await.ok();
}

/// A worker in another process.
async fn work_off(server: &TestServer) {
    let store = SqliteStore::open(&server.database(), &Default::default()).unwrap();
    let (now, lease, paused) = (server.clock.now(), Duration::from_secs(60), HashSet::new());
    let claim = Claim { kinds: &JobKind::ALL, worker: "w1", now, lease, limit: 9, paused: &paused };
    for claimed in store.claim(claim).await.unwrap() {
        store.complete(&claimed.lease, now).await.unwrap();
    }
}

fn ids(answer: &Value) -> Vec<i64> {
    answer["jobs"].as_array().unwrap().iter().map(|job| job["job_id"].as_i64().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_publish_is_seen_as_a_job() {
    let server = TestServer::start().await;
    publish(&server, "u1").await;
    publish(&server, "u1").await;
    let answer = server.get("/api/jobs").await.ok();
    assert_eq!((ids(&answer), &answer["has_more"]), (vec![1], &json!(false)));
    assert_eq!(answer["counts"], json!({"queued": 1, "running": 0, "dead": 0}));
    let job = server.get("/api/jobs/1").await.ok()["job"].clone();
    assert_eq!(job, answer["jobs"][0]);
    assert_eq!(
        (&job["kind"], &job["state"], &job["lane"]),
        (&json!("learn"), &json!("queued"), &json!("learn:u1"))
    );
    assert_eq!((&job["attempts"], &job["history"]), (&json!(0), &json!([])));
    // The configuration goes with the job as it was when the conversation came in.
    let payload = &job["payload"];
    assert_eq!((&payload["user_id"], &payload["policy"]["window_size"]), (&json!("u1"), &json!(10)));
}

#[tokio::test(flavor = "multi_thread")]
async fn jobs_are_filtered_and_paged() {
    let server = TestServer::start().await;
    for user in ["u1", "u2", "u3"] {
        publish(&server, user).await;
    }
    server.post("/api/jobs/2/cancel", json!({})).await.ok();
    let list = |query: &'static str| {
        let server = &server;
        async move { server.get(&format!("/api/jobs?{query}")).await.ok() }
    };
    assert_eq!(ids(&list("").await), [3, 2, 1]);
    assert_eq!(ids(&list("state=cancelled").await), [2]);
    assert_eq!(ids(&list("user_id=u3&kind=learn&state=queued").await), [3]);
    assert_eq!(ids(&list("kind=brew").await), Vec::<i64>::new());
    let page = list("limit=1&offset=1").await;
    assert_eq!((ids(&page), &page["has_more"]), (vec![2], &json!(true)));
    for wrong in ["state=tired", "limit=0", "offset=-1"] {
        assert_eq!(server.get(&format!("/api/jobs?{wrong}")).await.status, 422, "{wrong}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_is_cancelled_and_retried_with_its_history_told() {
    let server = TestServer::start().await;
    publish(&server, "u1").await;
    let refused = server.post("/api/jobs/9/retry", json!({})).await;
    assert_eq!((refused.status, &refused.body["detail"]), (404, &json!("job `9` does not exist")));
    assert_eq!(server.get("/api/jobs/nine").await.status, 404);
    let cancelled = server.post("/api/jobs/1/cancel", json!({})).await.ok();
    assert_eq!((&cancelled["job"]["state"], &cancelled["msg"]), (&json!("cancelled"), &json!("Cancelled")));
    server.post("/api/jobs/1/cancel", json!({})).await.ok();
    let retried = server.post("/api/jobs/1/retry", json!({})).await.ok();
    assert_eq!(retried["job"]["state"], "queued");
    let outcomes: Vec<&Value> =
        retried["job"]["history"].as_array().unwrap().iter().map(|entry| &entry["outcome"]).collect();
    assert_eq!(outcomes, ["cancelled", "retried"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_that_is_over_is_neither_cancelled_nor_retried() {
    let server = TestServer::start().await;
    publish(&server, "u1").await;
    work_off(&server).await;
    let refused = server.post("/api/jobs/1/cancel", json!({})).await;
    assert_eq!(
        (refused.status, &refused.body["detail"]),
        (409, &json!("job `1` is done: only queued or running jobs can be cancelled"))
    );
    assert_eq!(server.post("/api/jobs/1/retry", json!({})).await.status, 409);
}
