//! Remote embedders against a real HTTP server that behaves as it is told.

#![expect(clippy::expect_used, clippy::unwrap_used, reason = "a helper of a test fails the test")]

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use reflexio_embed::remote::{ApiKey, Provider, Remote, Settings};
use reflexio_embed::{Embedder, Error, Priority};
use serde_json::{Value, json};

const KEY: &str = "sk-very-secret-key";

/// What the server does with the next request.
enum Reply {
    /// Vectors of this many dimensions, one per text, in the form of the protocol that was asked for.
    Vectors(usize),
    Status(u16, &'static [(&'static str, &'static str)], &'static str),
    Never,
}

#[derive(Default)]
struct Server {
    replies: Mutex<VecDeque<Reply>>,
    seen: Mutex<Vec<(String, HeaderMap, Value)>>,
}

impl Server {
    fn seen(&self) -> Vec<(String, HeaderMap, Value)> {
        self.seen.lock().expect("seen").clone()
    }
}

async fn serve(replies: Vec<Reply>) -> (Arc<Server>, String) {
    let server = Arc::new(Server { replies: Mutex::new(replies.into()), ..Server::default() });
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let base = format!("http://{}", listener.local_addr().expect("an address"));
    let router = Router::new().fallback(answer).with_state(Arc::clone(&server));
    tokio::spawn(async move { axum::serve(listener, router).await });
    (server, base)
}

async fn answer(
    State(server): State<Arc<Server>>,
    uri: Uri,
    headers: HeaderMap,
    body: String,
) -> (StatusCode, HeaderMap, String) {
    let body: Value = serde_json::from_str(&body).expect("JSON");
    server.seen.lock().expect("seen").push((uri.path().to_owned(), headers, body.clone()));
    let reply = server.replies.lock().expect("replies").pop_front().unwrap_or(Reply::Vectors(3));
    match reply {
        Reply::Vectors(length) => (StatusCode::OK, HeaderMap::new(), vectors(&body, length).to_string()),
        Reply::Status(status, headers, text) => {
            let headers = headers.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
            (StatusCode::from_u16(status).expect("a status"), headers.collect(), text.to_owned())
        }
        Reply::Never => std::future::pending().await,
    }
}

/// The vector of the n-th text points to the n-th axis; OpenAI's come in reverse, with their index.
fn vectors(body: &Value, length: usize) -> Value {
    let axis = |n: usize| (0..length).map(|d| if d == n % length { 2.0 } else { 0.0 }).collect::<Vec<f32>>();
    if let Some(requests) = body["requests"].as_array() {
        let all: Vec<Value> = (0..requests.len()).map(|n| json!({"values": axis(n)})).collect();
        return json!({"embeddings": all});
    }
    let count = body["input"].as_array().expect("input").len();
    if body.get("truncate").is_some() {
        return json!({"embeddings": (0..count).map(axis).collect::<Vec<_>>()});
    }
    let all: Vec<Value> = (0..count).rev().map(|n| json!({"index": n, "embedding": axis(n)})).collect();
    json!({"object": "list", "data": all})
}

fn settings(provider: Provider, base: &str) -> Settings {
    Settings {
        first_pause: Duration::from_millis(2),
        query_deadline: Duration::from_millis(600),
        timeout: Duration::from_millis(150),
        ..Settings::new(provider, "some-model", Some(ApiKey::new(KEY))).with_base(base)
    }
}

fn texts(count: usize) -> Vec<String> {
    (0..count).map(|n| format!("text {n}")).collect()
}

/// Asks an OpenAI-compatible embedder of three dimensions for one vector.
async fn ask(replies: Vec<Reply>) -> (reflexio_embed::Result<Vec<Vec<f32>>>, usize) {
    let (server, base) = serve(replies).await;
    let remote = Remote::new(settings(Provider::OpenAi, &base), 3).expect("settings");
    let result = remote.embed(&texts(1), Priority::Query).await;
    (result, server.seen().len())
}

#[tokio::test]
async fn every_protocol_gives_unit_vectors_in_the_order_of_the_texts() {
    for (provider, path, header) in [
        (Provider::OpenAi, "/embeddings", "authorization"),
        (Provider::Gemini, "/v1beta/models/some-model:batchEmbedContents", "x-goog-api-key"),
        (Provider::Ollama, "/api/embed", "authorization"),
    ] {
        let (server, base) = serve(Vec::new()).await;
        let settings = Settings { batch: 2, ..settings(provider, &base) };
        let remote = Remote::probe(settings).await.expect("reachable");
        assert_eq!(
            (remote.dimension(), remote.id()),
            (3, format!("{}/some-model", provider.name()).as_str())
        );
        let vectors = remote.embed(&texts(3), Priority::Backfill).await.expect("vectors");
        assert_eq!(vectors, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]);
        let seen = server.seen();
        assert_eq!(seen.len(), 3, "the probe and two batches");
        for (seen_path, headers, _) in seen {
            assert_eq!(seen_path, path);
            assert!(headers[header].to_str().expect("text").contains(KEY));
        }
    }
}

#[tokio::test]
async fn shorter_vectors_are_asked_for_in_each_protocols_way() {
    for provider in [Provider::OpenAi, Provider::Gemini, Provider::Ollama] {
        let (server, base) = serve(Vec::new()).await;
        let settings = Settings { shorten_to: Some(3), ..settings(provider, &base) };
        let remote = Remote::new(settings, 3).expect("settings");
        remote.embed(&texts(1), Priority::Query).await.expect("vectors");
        assert!(remote.id().ends_with("/3"), "another length is another embedder");
        let (_, _, body) = server.seen().remove(0);
        let asked = [&body["dimensions"], &body["requests"][0]["outputDimensionality"]];
        assert!(asked.contains(&&json!(3)), "{body}");
    }
}

#[tokio::test]
async fn a_server_that_is_down_is_unavailable() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let base = format!("http://{}", listener.local_addr().expect("an address"));
    drop(listener);
    let remote = Remote::new(settings(Provider::Ollama, &base), 3).expect("settings");
    let error = remote.embed(&texts(1), Priority::Query).await.expect_err("nobody there");
    assert!(matches!(&error, Error::Unavailable { reason, .. } if reason.contains("reached")), "{error}");
    assert!(error.is_temporary());
}

#[tokio::test]
async fn a_slow_server_is_given_up_at_the_deadline() {
    let started = Instant::now();
    let (result, requests) = ask((0..20).map(|_| Reply::Never).collect()).await;
    assert!(
        matches!(&result, Err(Error::Unavailable { reason, .. }) if reason.contains("in time")),
        "{result:?}"
    );
    assert!(requests >= 2, "it was tried again: {requests}");
    assert!(started.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn a_slow_answer_is_asked_for_again() {
    let (result, requests) = ask(vec![Reply::Never]).await;
    assert_eq!((result.expect("a vector").len(), requests), (1, 2));
}

#[tokio::test]
async fn a_429_is_repeated_after_the_time_it_names() {
    let started = Instant::now();
    let busy = || Reply::Status(429, &[("retry-after", "0.2")], r#"{"error":{"message":"slow down"}}"#);
    let (result, requests) = ask(vec![busy()]).await;
    assert_eq!((result.expect("a vector").len(), requests), (1, 2));
    assert!(started.elapsed() >= Duration::from_millis(200));
}

#[tokio::test]
async fn a_pause_beyond_the_deadline_is_handed_to_the_caller_at_once() {
    let busy = Reply::Status(429, &[("retry-after", "90")], "");
    let (result, requests) = ask(vec![busy]).await;
    let error = result.expect_err("too long");
    assert!(
        matches!(error, Error::Unavailable { retry_after: Some(wait), .. } if wait.as_secs() == 90),
        "{error}"
    );
    assert_eq!(requests, 1);
}

#[tokio::test]
async fn a_failing_server_is_asked_again_until_it_works() {
    let broken = || Reply::Status(503, &[], "starting");
    let (result, requests) = ask(vec![broken(), broken(), broken()]).await;
    assert_eq!((result.expect("a vector").len(), requests), (1, 4));
}

#[tokio::test]
async fn a_refusal_is_final_and_does_not_repeat_the_key() {
    let wrong = Reply::Status(401, &[], r#"{"error":{"message":"Incorrect key: sk-very-secret-key."}}"#);
    let (result, requests) = ask(vec![wrong]).await;
    let error = result.expect_err("refused");
    assert!(matches!(error, Error::Refused { status: 401, .. }), "{error}");
    assert!(!format!("{error} {error:?}").contains(KEY), "{error}");
    assert_eq!(requests, 1);
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let away = Reply::Status(307, &[("location", "http://127.0.0.1:1/elsewhere")], "");
    let (result, requests) = ask(vec![away]).await;
    assert!(matches!(result, Err(Error::Refused { status: 307, .. })), "{result:?}");
    assert_eq!(requests, 1);
}

#[tokio::test]
async fn another_dimension_is_a_typed_error() {
    let (result, _) = ask(vec![Reply::Vectors(4)]).await;
    assert!(matches!(result, Err(Error::DimensionChanged { expected: 3, got: 4, .. })), "{result:?}");
}

#[tokio::test]
async fn garbage_is_an_invalid_answer() {
    for garbage in [
        "<html>hello</html>",
        "{}",
        "",
        r#"{"data":[]}"#,
        r#"{"data":[{"index":0,"embedding":"AAAA"}]}"#,
        r#"{"data":[{"index":0,"embedding":[0,0,0]}]}"#,
        r#"{"data":[{"index":0,"embedding":[1e39,0,0]}]}"#,
    ] {
        let (result, requests) = ask(vec![Reply::Status(200, &[], garbage)]).await;
        assert!(matches!(result, Err(Error::InvalidAnswer { .. })), "{garbage}: {result:?}");
        assert_eq!(requests, 1);
    }
}

#[tokio::test]
async fn long_texts_are_cut_at_a_character_and_empty_ones_sent_as_a_blank() {
    let (server, base) = serve(Vec::new()).await;
    let settings = Settings { longest_text: 4, ..settings(Provider::OpenAi, &base) };
    let remote = Remote::new(settings, 3).expect("settings");
    let texts = ["abcdefgh", "ééé", "漢字", ""].map(str::to_owned);
    remote.embed(&texts, Priority::Query).await.expect("vectors");
    assert_eq!(server.seen()[0].2["input"], json!(["abcd", "éé", "漢", " "]));
}

#[tokio::test]
async fn nothing_is_sent_for_no_texts() {
    let (server, base) = serve(Vec::new()).await;
    let remote = Remote::new(settings(Provider::OpenAi, &base), 3).expect("settings");
    assert!(remote.embed(&[], Priority::Query).await.expect("nothing").is_empty());
    assert!(server.seen().is_empty());
}

#[test]
fn wrong_settings_are_refused_before_a_request() {
    let settings = |base: &str| Settings::new(Provider::OpenAi, "m", None).with_base(base);
    assert!(matches!(Remote::new(settings("not a url"), 3), Err(Error::Misconfigured(_))));
    assert!(matches!(Remote::new(settings("http://localhost"), 0), Err(Error::Misconfigured(_))));
}

#[test]
fn a_key_is_never_printed() {
    let settings = Settings::new(Provider::Gemini, "m", Some(ApiKey::new(KEY)));
    assert!(!format!("{settings:?}").contains(KEY));
}
