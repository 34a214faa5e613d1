//! A server whose remote embedder fails in every way that such servers do. Searches answer whatever happens: by
//! words, with `degraded`, and never with an error.

#![expect(clippy::unwrap_used, reason = "a helper of a test fails the test")]

use std::time::{Duration, Instant};

use reflexio_test_support::{Manner, RemoteEmbedder, TestServer};
use serde_json::{Value, json};

/// A search that waits for a server that never answers would not be back by then, even on a slow machine.
const SOON: Duration = Duration::from_secs(20);

async fn say(server: &TestServer, turns: &[&str]) {
    let turns: Vec<Value> = turns.iter().map(|text| json!({"role": "User", "content": text})).collect();
    let body = json!({"user_id": "u", "session_id": "s", "interaction_data_list": turns});
    server.post("/api/publish_interaction", body).await.ok();
}

async fn find(server: &TestServer, query: &str, mode: &str) -> Value {
    let body = json!({"user_id": "u", "query": query, "search_mode": mode, "threshold": 0.3});
    server.post("/api/search_interactions", body).await.ok()
}

fn contents(found: &Value) -> Vec<&str> {
    found["interactions"].as_array().unwrap().iter().map(|row| row["content"].as_str().unwrap()).collect()
}

/// Finds by words, and says that this is all.
async fn is_degraded(server: &TestServer) {
    for mode in ["hybrid", "vector"] {
        let found = find(server, "invoice", mode).await;
        assert_eq!(contents(&found), ["the invoice was paid"], "{mode}");
        assert_eq!(found["degraded"], true, "{mode}: {found}");
    }
    let found = find(server, "invoice", "fts").await;
    assert_eq!((contents(&found).len(), &found["degraded"]), (1, &Value::Null), "nobody asked for meaning");
}

/// The index in memory follows the table by a moment.
async fn is_whole(server: &TestServer) {
    let started = Instant::now();
    let mut found = find(server, "invoice", "vector").await;
    while contents(&found).is_empty() && started.elapsed() < SOON {
        found = find(server, "invoice", "vector").await;
    }
    assert!(!contents(&found).is_empty(), "{found}");
    assert_eq!(contents(&found)[0], "the invoice was paid", "{found}");
    assert_eq!(found["degraded"], Value::Null, "{found}");
}

async fn trouble(server: &TestServer, word: &str) -> Value {
    let names = |status: &Value| status["trouble"].as_str().is_some_and(|text| text.contains(word));
    server.embeddings_until(&format!("`{word}` is the trouble"), names).await
}

fn interactions(status: &Value) -> &Value {
    status["kinds"].as_array().unwrap().iter().find(|kind| kind["kind"] == "interaction").unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_embedder_that_is_down_at_the_start_is_used_when_it_comes_up() {
    let remote = RemoteEmbedder::down(Manner::Vectors(64)).await;
    let server = TestServer::start_with_embedder(remote.connect()).await;
    say(&server, &["the invoice was paid", "my dog is sick"]).await;
    let status = trouble(&server, "cannot be reached").await;
    assert_eq!((&status["index"], &status["model"]), (&json!("off"), &Value::Null));
    assert_eq!(interactions(&status)["waiting"], 2);
    is_degraded(&server).await;
    remote.come_up().await;
    server.embedded().await;
    is_whole(&server).await;
    let status = server.embeddings_until("the trouble is over", |status| status["trouble"].is_null()).await;
    assert_eq!((&status["model"], &status["dimension"]), (&json!("openai/words"), &json!(64)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_does_not_wait_for_an_embedder_that_hangs() {
    let remote = RemoteEmbedder::start(Manner::Vectors(64)).await;
    let server = TestServer::start_with_embedder(remote.connect()).await;
    say(&server, &["the invoice was paid", "my dog is sick"]).await;
    server.embedded().await;
    remote.behave(Manner::Never);
    let started = Instant::now();
    let found = find(&server, "invoice", "hybrid").await;
    assert!(started.elapsed() < SOON, "{:?}", started.elapsed());
    assert_eq!((contents(&found), &found["degraded"]), (vec!["the invoice was paid"], &json!(true)));
    remote.behave(Manner::Vectors(64));
    is_whole(&server).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_embedder_that_fails_while_it_runs_is_asked_again() {
    for (manner, word) in [
        (Manner::Status(401), "status 401"),
        (Manner::Status(503), "status 503"),
        (Manner::Status(400), "status 400"),
        (Manner::Answer("<html>"), "something else than vectors"),
        (Manner::Answer("{}"), "something else than vectors"),
        (Manner::Answer(r#"{"data":[]}"#), "0 vectors for"),
    ] {
        let remote = RemoteEmbedder::start(Manner::Vectors(64)).await;
        let server = TestServer::start_with_embedder(remote.connect()).await;
        server.embedded().await;
        remote.behave(manner.clone());
        say(&server, &["the invoice was paid"]).await;
        let status = trouble(&server, word).await;
        assert!(!status.to_string().contains("sk-secret"), "{status}");
        assert_eq!(interactions(&status)["refused"], 0, "the text is not to blame for {manner:?}");
        is_degraded(&server).await;
        remote.behave(Manner::Vectors(64));
        server.embedded().await;
        is_whole(&server).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_that_is_refused_does_not_keep_the_others_waiting() {
    let remote = RemoteEmbedder::start(Manner::Refusing { word: "durian", dimension: 64 }).await;
    let server = TestServer::start_with_embedder(remote.connect()).await;
    say(&server, &["the invoice was paid", "a durian smells", "my dog is sick"]).await;
    server.embedded().await;
    let status = server.get("/api/embeddings").await.ok();
    assert_eq!(
        (&interactions(&status)["refused"], &interactions(&status)["waiting"]),
        (&json!(1), &json!(0))
    );
    assert_eq!(status["indexed_rows"], 2);
    is_whole(&server).await;
    let found = find(&server, "smells", "hybrid").await;
    assert_eq!(contents(&found)[0], "a durian smells", "by its words");

    remote.behave(Manner::Vectors(64));
    let answer = server.post("/api/embeddings/rebuild", json!({})).await.ok();
    assert_eq!(answer["rows"], 3);
    let whole = |status: &Value| status["indexed_rows"] == 3 && interactions(status)["refused"] == 0;
    server.embeddings_until("it has a vector too", whole).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_but_bad_texts_does_not_stop_the_work() {
    let remote = RemoteEmbedder::start(Manner::Refusing { word: "durian", dimension: 64 }).await;
    let server = TestServer::start_with_embedder(remote.connect()).await;
    server.embedded().await;
    say(&server, &["one durian", "two durian", "three durian"]).await;
    let refused = |status: &Value| interactions(status)["refused"] == 3;
    server.embeddings_until("all of them are refused", refused).await;
    say(&server, &["the invoice was paid"]).await;
    server.embedded().await;
    is_whole(&server).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_embedder_that_changes_its_dimension_gets_all_rows_again() {
    let remote = RemoteEmbedder::start(Manner::Vectors(64)).await;
    let server = TestServer::start_with_embedder(remote.connect()).await;
    say(&server, &["the invoice was paid", "my dog is sick"]).await;
    server.embedded().await;
    is_whole(&server).await;
    for (dimension, words) in [(128, "a new turn"), (64, "another turn")] {
        remote.behave(Manner::Vectors(dimension));
        say(&server, &[words]).await;
        let moved = |status: &Value| status["dimension"] == dimension && status["index"] == "ready";
        while !moved(&server.get("/api/embeddings").await.ok()) {
            // Whatever it finds on the way, it is no error.
            find(&server, &format!("invoice {dimension}"), "hybrid").await;
        }
        server.embedded().await;
        is_whole(&server).await;
        assert_eq!(contents(&find(&server, words, "vector").await)[0], words);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_notices_another_dimension_when_nothing_is_written() {
    let remote = RemoteEmbedder::start(Manner::Vectors(64)).await;
    let server = TestServer::start_with_embedder(remote.connect()).await;
    say(&server, &["the invoice was paid", "my dog is sick"]).await;
    server.embedded().await;
    remote.behave(Manner::Vectors(128));
    let found = find(&server, "invoice", "hybrid").await;
    assert_eq!((contents(&found)[0], &found["degraded"]), ("the invoice was paid", &json!(true)));
    server.embeddings_until("it is used as it is now", |status| status["dimension"] == 128).await;
    server.embedded().await;
    is_whole(&server).await;
    assert!(remote.requests() > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dimension_that_cannot_be_searched_is_named() {
    let remote = RemoteEmbedder::start(Manner::Vectors(30)).await;
    let server = TestServer::start_with_embedder(remote.connect()).await;
    say(&server, &["the invoice was paid"]).await;
    trouble(&server, "dimension `30`").await;
    is_degraded(&server).await;
}
