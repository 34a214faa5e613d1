//! What every caller meets: health, documents, headers, wrong paths, learning seams.

use metrics_exporter_prometheus::PrometheusBuilder;
use reflexio_server::Options;
use reflexio_test_support::TestServer;
use reqwest::Method;
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn health_version_and_documents_are_open_and_complete() {
    let server = TestServer::start().await;
    assert_eq!(server.get("/health").await.ok(), json!({"status": "healthy"}));
    assert_eq!(server.get("/health/live").await.ok(), json!({"status": "alive"}));
    assert_eq!(server.get("/health/ready").await.ok(), json!({"status": "ready"}));
    assert_eq!(server.get("/meta/version").await.ok()["server_version"], env!("CARGO_PKG_VERSION"));
    let document = server.get("/openapi.json").await.ok();
    assert!(document["paths"].as_object().unwrap().len() > 50);
    let page = server.request(Method::GET, "/docs/").send().await.unwrap();
    assert_eq!(page.status(), 200);
    let html = page.text().await.unwrap();
    assert!(!html.contains("https://"), "the page must work offline: {html}");
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_paths_and_methods_are_answered_in_json() {
    let server = TestServer::start().await;
    let nowhere = server.get("/api/nope").await;
    assert_eq!((nowhere.status, nowhere.body), (404, json!({"detail": "Not Found"})));
    let wrong = server.get("/api/publish_interaction").await;
    assert_eq!((wrong.status, wrong.body), (405, json!({"detail": "Method Not Allowed"})));
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_carry_the_callers_request_id_and_safe_headers() {
    let server = TestServer::start().await;
    let response =
        server.request(Method::GET, "/health").header("x-request-id", "abc-1").send().await.unwrap();
    assert_eq!(response.headers()["x-correlation-id"], "abc-1");
    assert_eq!(response.headers()["x-content-type-options"], "nosniff");
    assert_eq!(response.headers()["x-frame-options"], "DENY");
    let made = server.request(Method::GET, "/health").send().await.unwrap();
    assert!(made.headers()["x-correlation-id"].len() >= 32);
}

#[tokio::test(flavor = "multi_thread")]
async fn curl_with_its_form_content_type_is_welcome() {
    let server = TestServer::start().await;
    let request = server
        .request(Method::POST, "/api/publish_interaction")
        .header("user-agent", "curl/8.5.0")
        .header("content-type", "application/x-www-form-urlencoded")
        .body(r#"{"user_id": "u", "interaction_data_list": [{"content": "hi"}]}"#);
    assert_eq!(request.send().await.unwrap().status(), 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_workers_what_was_published_waits_for_them() {
    let server = TestServer::start().await;
    let body = json!({"request_id": "r", "user_id": "u", "interaction_data_list": [{"content": "hi"}]});
    let published = server.post("/api/publish_interaction?wait_for_response=true", body).await.ok();
    assert_eq!(
        (&published["learning_status"], &published["learning_reason"]),
        (&json!("deferred"), &json!("queued"))
    );
    assert_eq!(server.get("/api/learning_status?request_id=r").await.ok()["status"], "pending");
    let answer = server.post("/api/run_playbook_aggregation", json!({})).await.ok();
    assert!(answer.to_string().contains("no user playbooks"), "{answer}");
    let operation = server.get("/api/get_operation_status?service_name=profile_generation").await.ok();
    assert_eq!(operation["success"], false);
    assert_eq!(server.get("/stall_state").await.ok()["stalled"], false);
    assert_eq!(server.post("/stall_state/notified", json!({})).await.ok(), json!({"notified_in_cc": false}));
}

#[tokio::test(flavor = "multi_thread")]
async fn metrics_count_requests_commits_and_queued_work() {
    let recorder = PrometheusBuilder::new().install_recorder().unwrap();
    let options = Options { metrics: Some(recorder), ..Options::default() };
    let server = TestServer::start_with(|_| {}, options).await;
    // Named, because about one in twenty sessions gets a second job, which judges it.
    let body = json!({"user_id": "u", "session_id": "s", "interaction_data_list": [{"content": "hi"}]});
    server.post("/api/publish_interaction", body).await.ok();
    let text = server.request(Method::GET, "/metrics").send().await.unwrap().text().await.unwrap();
    for expected in [
        "reflexio_http_requests_total{method=\"POST\",route=\"/api/publish_interaction\",status=\"200\"} 1",
        "reflexio_http_request_seconds",
        "reflexio_store_commit_batch_size",
        "reflexio_jobs{state=\"queued\"} 1",
    ] {
        assert!(text.contains(expected), "{expected} is missing in:\n{text}");
    }
}

/// A list with the fields in order is what serde would take for an object; `["a"]` must never be the user `a`.
#[tokio::test(flavor = "multi_thread")]
async fn a_list_is_never_taken_for_an_object() {
    let server = TestServer::start().await;
    let document = server.get("/openapi.json").await.ok();
    let mut bodies = 0;
    for (path, operations) in document["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap() {
            if operation.get("requestBody").is_none() {
                continue;
            }
            bodies += 1;
            for list in [json!(["a"]), json!([]), json!([1, "a", "a", "a", "a"])] {
                let method = Method::from_bytes(method.to_uppercase().as_bytes()).unwrap();
                let answer = server.send_as(None, method, path, Some(list.clone())).await;
                assert_eq!(answer.status, 422, "{path} {list}: {}", answer.body);
            }
        }
    }
    assert!(bodies > 35, "{bodies}");
    let turns = json!({"user_id": "u", "interaction_data_list": [["hi"]]});
    let answer = server.post("/api/publish_interaction", turns).await;
    assert_eq!(
        (answer.status, &answer.body["detail"][0]["loc"]),
        (422, &json!(["body", "interaction_data_list", 0]))
    );
}
