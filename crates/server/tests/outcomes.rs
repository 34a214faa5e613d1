//! How sessions ended, by the word of whoever runs the agent.

use reflexio_server::Options;
use reflexio_store_sqlite::SqliteStore;
use reflexio_test_support::TestServer;
use serde_json::{Value, json};

async fn publish(server: &TestServer, user: &str, session: &str) {
    let body = json!({"user_id": user, "session_id": session, "source": "chat",
        "interaction_data_list": [{"role": "User", "content": "hi"}, {"role": "Agent", "content": "hello"}]});
    server.post("/api/publish_interaction", body).await.ok();
}

async fn mark(server: &TestServer, body: Value) -> Value {
    server.post("/api/session_outcome", body).await.ok()
}

fn success(server: &TestServer, session: &str) -> Value {
    json!({"session_id": session, "outcome": "success", "occurred_at": server.app.now().0})
}

#[tokio::test(flavor = "multi_thread")]
async fn an_outcome_is_set_once_and_a_retry_changes_nothing() {
    let server = TestServer::start().await;
    publish(&server, "ann", "s1").await;
    let mut body = success(&server, "s1");
    body["label"] = json!(" refund ");
    body["value"] = json!(12.5);
    body["metadata"] = json!({"b": 1, "a": {"x": [true]}});
    let first = mark(&server, body.clone()).await;
    assert_eq!((&first["success"], &first["recorded"]), (&json!(true), &json!(true)), "{first}");
    assert_eq!((&first["user_id"], &first["source"]), (&json!("ann"), &json!("chat")));
    for digest in ["outcome_contract_digest", "finalized_trajectory_digest"] {
        let text = first[digest].as_str().unwrap_or_default();
        assert!(text.len() == 64 && text.chars().all(|c| "0123456789abcdef".contains(c)), "{digest}: {text}");
    }
    server.clock.set(server.app.now().0 + 60);
    let again = mark(&server, body.clone()).await;
    assert_eq!((&again["success"], &again["recorded"]), (&json!(true), &json!(false)), "{again}");
    assert_eq!(again["outcome_id"], first["outcome_id"]);
    let mut other = body.clone();
    other["outcome"] = json!("failure");
    let refused = mark(&server, other).await;
    assert_eq!(
        (&refused["success"], &refused["reason"]),
        (&json!(false), &json!("conflicting_finalization"))
    );
    assert_eq!(refused["outcome_id"], first["outcome_id"]);
    let rows = server.post("/api/get_session_outcomes", json!({})).await.ok();
    assert_eq!(rows["session_outcomes"].as_array().map(Vec::len), Some(1));
    let row = &rows["session_outcomes"][0];
    assert_eq!(
        (&row["label"], &row["value"], &row["outcome"]),
        (&json!("refund"), &json!(12.5), &json!("success"))
    );
    assert_eq!(row["metadata"], body["metadata"]);
    // The session goes on: what was said was said about another trajectory.
    publish(&server, "ann", "s1").await;
    assert_eq!(mark(&server, body).await["reason"], "conflicting_finalization");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_refusal_names_its_reason_and_stores_nothing() {
    let server = TestServer::start().await;
    publish(&server, "ann", "s1").await;
    let now = server.app.now().0;
    let check = async |change: Value, reason: &str| {
        let mut body = success(&server, "s1");
        for (key, value) in change.as_object().into_iter().flatten() {
            body[key] = value.clone();
        }
        let answer = mark(&server, body).await;
        assert_eq!((&answer["success"], &answer["recorded"]), (&json!(false), &json!(false)), "{answer}");
        assert_eq!(answer["reason"], reason, "{answer}");
        assert!(answer.get("outcome_id").is_none(), "{answer}");
    };
    check(json!({"session_id": "nowhere"}), "unknown_session").await;
    check(json!({"occurred_at": now - 3_600}), "occurred_before_session").await;
    check(json!({"occurred_at": now + 3_600}), "occurred_in_future").await;
    check(json!({"user_id": "bob"}), "subject_not_writable").await;
    let late = now + 91 * 86_400;
    server.clock.set(late);
    check(json!({"occurred_at": late}), "after_outcome_window").await;
    let rows = server.post("/api/get_session_outcomes", json!({})).await.ok();
    assert_eq!(rows["session_outcomes"], json!([]));
    for (body, field) in [
        (json!({"session_id": " ", "outcome": "success", "occurred_at": 1}), "session_id"),
        (json!({"session_id": "s", "outcome": "great", "occurred_at": 1}), "outcome"),
        (json!({"session_id": "s", "outcome": "success", "occurred_at": -1}), "occurred_at"),
        (json!({"session_id": "s", "outcome": "success", "occurred_at": 1, "label": " "}), "label"),
        (
            json!({"session_id": "s", "outcome": "success", "occurred_at": 1, "metadata": {"a": "x".repeat(20_000)}}),
            "metadata",
        ),
    ] {
        let answer = server.post("/api/session_outcome", body).await;
        assert_eq!((answer.status, &answer.body["detail"][0]["loc"]), (422, &json!(["body", field])));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_name_of_two_users_is_told_apart_by_the_user() {
    let server = TestServer::start().await;
    publish(&server, "ann", "shared").await;
    server.clock.set(server.app.now().0 + 5);
    publish(&server, "bob", "shared").await;
    assert_eq!(mark(&server, success(&server, "shared")).await["user_id"], "ann", "who came first");
    let mut body = success(&server, "shared");
    body["user_id"] = json!("bob");
    assert_eq!(mark(&server, body).await["user_id"], "bob");
    let of_bob = server.post("/api/get_session_outcomes", json!({"user_id": "bob"})).await.ok();
    assert_eq!(of_bob["session_outcomes"].as_array().map(Vec::len), Some(1));
    let cleared = server.post("/api/clear_user_data", json!({"user_id": "bob"})).await.ok();
    assert_eq!(cleared["deleted_counts"]["session_outcomes"], 1);
    let left = server.post("/api/get_session_outcomes", json!({"session_ids": ["shared"]})).await.ok();
    assert_eq!(left["session_outcomes"].as_array().map(Vec::len), Some(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_is_answered_in_the_words_of_the_contract() {
    let folder = tempfile::TempDir::new().unwrap();
    let options = reflexio_store_sqlite::Options { most_pages: Some(160), ..Default::default() };
    let store = SqliteStore::open(&folder.path().join("small.db"), &options).unwrap();
    let server =
        TestServer::start_with(|app| app.store = std::sync::Arc::new(store), Options::default()).await;
    publish(&server, "ann", "s1").await;
    let filler = json!({"user_id": "u", "session_id": "f", "interaction_data_list": [{"content": "x".repeat(50_000)}]});
    while server.post("/api/publish_interaction", filler.clone()).await.status == 200 {}
    let filler =
        json!({"user_id": "u", "session_id": "f", "interaction_data_list": [{"content": "x".repeat(3_000)}]});
    while server.post("/api/publish_interaction", filler.clone()).await.status == 200 {}
    let mut body = success(&server, "s1");
    body["metadata"] = json!({"note": "y".repeat(16_000)});
    let answer = mark(&server, body).await;
    assert_eq!((&answer["success"], &answer["reason"]), (&json!(false), &json!("storage_error")), "{answer}");
}
