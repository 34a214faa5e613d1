//! Every kind of interaction goes in, comes back as it was, and bad input changes nothing.
#![expect(clippy::unwrap_used, reason = "a test fails where an answer is not as expected")]

use reflexio_test_support::{Answer, TestServer};
use serde_json::{Value, json};

const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

fn conversation(user_id: &str) -> Value {
    json!({
        "user_id": user_id,
        "session_id": "s1",
        "source": "support_chat",
        "agent_version": "v2.1.0",
        "interaction_data_list": [
            {"role": "User", "content": "How do I reset my password?"},
            {"role": "Agent", "content": "Go to Settings > Security.", "shadow_content": "Shall I send a link?",
             "expert_content": "Settings > Security > Reset, then confirm the mail.",
             "tools_used": [{"tool_name": "search", "tool_data": {"q": "reset"}, "status": "ok"}],
             "citations": [{"kind": "profile", "real_id": "p1"}],
             "retrieved_learnings": [{"kind": "user_playbook", "learning_id": "7"}]},
            {"user_action": "click", "user_action_description": "clicked 'Reset'",
             "interacted_image_url": "https://shop.example/reset.png"},
            {"role": "User", "content": "see the picture", "image_encoding": PNG}
        ]
    })
}

async fn interactions(server: &TestServer, user_id: &str) -> Vec<Value> {
    let body = server.post("/api/get_interactions", json!({"user_id": user_id})).await.ok();
    body["interactions"].as_array().unwrap().clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_kind_of_interaction_comes_back_as_it_was_published() {
    let server = TestServer::start().await;
    let published = server.post("/api/publish_interaction", conversation("u")).await.ok();
    assert_eq!(published["success"], true);
    assert_eq!(published["warnings"], json!([]));
    let rows = interactions(&server, "u").await;
    assert_eq!(rows.len(), 4);
    assert_eq!(rows[0]["content"], "How do I reset my password?");
    assert_eq!(rows[1]["shadow_content"], "Shall I send a link?");
    assert_eq!(rows[1]["expert_content"], "Settings > Security > Reset, then confirm the mail.");
    assert_eq!(rows[1]["tools_used"][0]["tool_data"]["q"], "reset");
    assert_eq!(rows[1]["retrieved_learnings"][0]["learning_id"], "7");
    assert_eq!(rows[2]["user_action"], "click");
    assert_eq!(rows[2]["interacted_image_url"], "https://shop.example/reset.png");
    assert_eq!(rows[3]["image_media_type"], "image/png");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_picture_is_stored_once_and_served_as_it_was() {
    let server = TestServer::start().await;
    for user in ["u1", "u2"] {
        server.post("/api/publish_interaction", conversation(user)).await.ok();
    }
    let first = interactions(&server, "u1").await[3]["image_id"].clone();
    assert_eq!(first, interactions(&server, "u2").await[3]["image_id"]);
    let path = format!("/api/images/{}", first.as_str().unwrap());
    let response = server.request(reqwest::Method::GET, &path).send().await.unwrap();
    assert_eq!(response.headers()["content-type"], "image/png");
    assert!(response.bytes().await.unwrap().starts_with(b"\x89PNG"));
    assert_eq!(server.get("/api/images/nope").await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_without_a_session_is_its_own_session() {
    let server = TestServer::start().await;
    let body = json!({"user_id": "u", "interaction_data_list": [{"content": "hi"}]});
    let published = server.post("/api/publish_interaction", body).await.ok();
    assert_eq!(published["session_id"], published["request_id"]);
    let sessions = server.post("/api/get_requests", json!({"user_id": "u"})).await.ok();
    assert_eq!(sessions["sessions"][0]["session_id"], published["request_id"]);
    assert_eq!(sessions["sessions"][0]["requests"][0]["request"]["agent_version"], "agent-v0");
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_keys_and_empty_turns_are_reported_not_stored() {
    let server = TestServer::start().await;
    let body = json!({"user_id": "u", "bogus": 1, "interaction_data_list": [
        {"content": "hi", "foo": 1}, {"role": "Agent", "content": "  "}]});
    let published = server.post("/api/publish_interaction", body).await.ok();
    let warnings: Vec<&str> =
        published["warnings"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!(
        warnings,
        [
            "ignored unknown field `bogus`",
            "ignored unknown field `interaction_data_list.0.foo`",
            "skipped 1 empty interaction(s) without any content, at index(es) 1",
        ]
    );
    assert_eq!(interactions(&server, "u").await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_id_is_stored_once() {
    let server = TestServer::start().await;
    let body = json!({"request_id": "fixed", "user_id": "u", "interaction_data_list": [{"content": "one"}]});
    server.post("/api/publish_interaction", body.clone()).await.ok();
    let again = server.post("/api/publish_interaction", body).await.ok();
    assert_eq!(again["success"], false);
    assert_eq!(again["duplicate"], true);
    assert!(again["message"].as_str().unwrap().contains("request_id 'fixed' already exists"));
    assert_eq!(interactions(&server, "u").await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn old_and_far_times_are_kept() {
    let server = TestServer::start().await;
    let body = json!({"user_id": "u", "interaction_data_list": [
        {"content": "first", "created_at": 0}, {"content": "last", "created_at": 4_102_444_800i64}]});
    server.post("/api/publish_interaction", body).await.ok();
    let times: Vec<i64> =
        interactions(&server, "u").await.iter().filter_map(|row| row["created_at"].as_i64()).collect();
    assert_eq!(times, [4_102_444_800, 0]);
    let early = json!({"user_id": "u", "end_time": "1970-01-02T00:00:00"});
    let found = server.post("/api/get_interactions", early).await.ok();
    assert_eq!(found["interactions"].as_array().unwrap().len(), 1);
}

/// The status, the type and the place of the first error of a rejected publish.
fn verdict(answer: &Answer) -> (u16, String, String) {
    let first = &answer.body["detail"][0];
    let loc = first["loc"].as_array().map_or_else(String::new, |parts| {
        parts
            .iter()
            .map(|part| part.as_str().map_or_else(|| part.to_string(), str::to_owned))
            .collect::<Vec<_>>()
            .join(".")
    });
    (answer.status, first["type"].as_str().unwrap_or_default().to_owned(), loc)
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_input_names_the_field_and_stores_nothing() {
    let server = TestServer::start().await;
    let turn = |fields: Value| json!({"user_id": "u", "interaction_data_list": [fields]});
    let long = "x".repeat(1_000_001);
    let many: Vec<Value> = (0..1001).map(|_| json!({"content": "x"})).collect();
    let cases: Vec<(Value, &str, &str)> = vec![
        (json!({"interaction_data_list": [{"content": "x"}]}), "missing", "body.user_id"),
        (json!({"user_id": "u"}), "missing", "body.interaction_data_list"),
        (
            json!({"user_id": "  ", "interaction_data_list": [{"content": "x"}]}),
            "value_error",
            "body.user_id",
        ),
        (json!({"user_id": 5, "interaction_data_list": [{"content": "x"}]}), "string_type", "body.user_id"),
        (json!({"user_id": "u", "interaction_data_list": []}), "too_short", "body.interaction_data_list"),
        (json!({"user_id": "u", "interaction_data_list": many}), "too_long", "body.interaction_data_list"),
        (turn(json!({"Content": "x"})), "value_error", "body.interaction_data_list"),
        (
            turn(json!({"content": "x", "user_action": "jump"})),
            "enum",
            "body.interaction_data_list.0.user_action",
        ),
        (
            turn(json!({"user_action": "click"})),
            "value_error",
            "body.interaction_data_list.0.user_action_description",
        ),
        (turn(json!({"content": long})), "string_too_long", "body.interaction_data_list.0.content"),
        (turn(json!({"content": "a\u{0}b"})), "value_error", "body.interaction_data_list.0.content"),
        (
            turn(json!({"content": "x", "created_at": -1})),
            "greater_than_equal",
            "body.interaction_data_list.0.created_at",
        ),
        (
            turn(json!({"content": "x", "created_at": 1_794_744_000_000i64})),
            "less_than_equal",
            "body.interaction_data_list.0.created_at",
        ),
        (
            turn(json!({"content": "x", "interacted_image_url": "ftp://x/y.png"})),
            "value_error",
            "body.interaction_data_list.0.interacted_image_url",
        ),
        (
            turn(json!({"interacted_image_url": "https://x/y.png", "image_encoding": PNG})),
            "value_error",
            "body.interaction_data_list.0.image_encoding",
        ),
        (
            turn(json!({"content": "x", "image_encoding": "AAAA"})),
            "value_error",
            "body.interaction_data_list.0.image_encoding",
        ),
        (
            turn(json!({"content": "x", "image_encoding": "no base64!"})),
            "value_error",
            "body.interaction_data_list.0.image_encoding",
        ),
        (
            json!({"user_id": "u", "source": "Support Chat", "interaction_data_list": [{"content": "x"}]}),
            "string_pattern_mismatch",
            "body.source",
        ),
        (
            json!({"user_id": "u", "evaluation_only": true, "force_extraction": true, "interaction_data_list": [{"content": "x"}]}),
            "value_error",
            "body.force_extraction",
        ),
        (json!([]), "model_attributes_type", "body"),
    ];
    for (body, kind, loc) in cases {
        let preview: String = body.to_string().chars().take(120).collect();
        let answer = server.post("/api/publish_interaction", body).await;
        assert_eq!(verdict(&answer), (422, kind.to_owned(), loc.to_owned()), "{preview}");
        assert!(answer.body.to_string().len() < 2_000, "the answer must not echo the input");
    }
    assert_eq!(server.get("/api/storage_stats").await.ok()["interaction_count"], 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn broken_bodies_are_answered_and_the_server_lives_on() {
    let server = TestServer::start().await;
    let deep = format!(
        "{{\"user_id\":\"u\",\"interaction_data_list\":[{{\"tools_used\":[{{\"tool_name\":\"t\",\"tool_data\":{{\"a\":{}{}}}}}]}}]}}",
        "[".repeat(5_000),
        "]".repeat(5_000)
    );
    let cases: Vec<(Vec<u8>, u16, &str)> = vec![
        (b"".to_vec(), 422, "missing"),
        (b"{".to_vec(), 422, "json_invalid"),
        (
            b"{\"user_id\": \"u\xff\", \"interaction_data_list\": [{\"content\": \"x\"}]}".to_vec(),
            422,
            "json_invalid",
        ),
        (
            b"{\"user_id\": \"\\ud800\", \"interaction_data_list\": [{\"content\": \"x\"}]}".to_vec(),
            422,
            "json_invalid",
        ),
        (deep.into_bytes(), 422, "json_invalid"),
        (b"null".to_vec(), 422, "model_attributes_type"),
    ];
    for (body, status, kind) in cases {
        let preview = String::from_utf8_lossy(&body[..body.len().min(60)]).into_owned();
        let answer = server.post_bytes("/api/publish_interaction", body).await;
        let (got, got_kind, _) = verdict(&answer);
        assert_eq!((got, got_kind.as_str()), (status, kind), "{preview}: {}", answer.body);
    }
    let huge = format!(
        "{{\"user_id\":\"u\",\"interaction_data_list\":[{{\"content\":\"{}\"}}]}}",
        "x".repeat(11 << 20)
    );
    let answer = server.post_bytes("/api/publish_interaction", huge.into_bytes()).await;
    assert_eq!(answer.status, 413, "{}", answer.body);
    let photo = format!(
        "{{\"user_id\":\"u\",\"interaction_data_list\":[{{\"image_encoding\":\"{}\"}}]}}",
        "A".repeat(15 << 20)
    );
    assert_eq!(server.post_bytes("/api/publish_interaction", photo.into_bytes()).await.status, 413);
    assert_eq!(server.get("/health").await.ok()["status"], "healthy");
    assert_eq!(server.get("/api/storage_stats").await.ok()["interaction_count"], 0);
}
