//! Who gets in, what a key may do, and that no org sees or touches the rows of another.

use std::time::{Duration, Instant};

use reflexio_app::{PlaybookFile, PlaybookProgram, WorkerSettings};
use reflexio_server::Options;
use reflexio_test_support::TestServer;
use reflexio_types::Scope;
use reqwest::Method;
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread")]
async fn without_keys_only_the_machine_itself_is_served() {
    let server = TestServer::start().await;
    assert_eq!(server.get("/api/whoami").await.ok()["org_id"], "default");
    let from_elsewhere = [
        ("x-forwarded-for", "203.0.113.9"),
        ("forwarded", "for=203.0.113.9"),
        ("x-real-ip", "203.0.113.9"),
        ("host", "rebound.example"),
        ("origin", "https://evil.example"),
    ];
    for (header, value) in from_elsewhere {
        let response = server.request(Method::GET, "/api/whoami").header(header, value).send().await.unwrap();
        assert_eq!(response.status(), 401, "{header}: {value}");
        let body: Value = serde_json::from_str(&response.text().await.unwrap()).unwrap();
        assert!(body["detail"].as_str().unwrap().starts_with("Authentication required"));
    }
    let page = server.request(Method::GET, "/api/whoami").header("origin", "http://localhost:3000");
    assert_eq!(page.send().await.unwrap().status(), 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stored_key_makes_keys_necessary_and_revoking_it_ends_its_use() {
    let server = TestServer::start().await;
    let key = server.create_key("default", &[Scope::Read]).await;
    assert_eq!(server.get("/api/whoami").await.status, 401);
    let whoami = |secret: String| {
        let server = &server;
        async move { server.send_as(Some(&secret), Method::GET, "/api/whoami", None).await }
    };
    let answer = whoami(key.secret.clone()).await.ok();
    assert_eq!(answer["scopes"], json!(["read"]));
    assert_eq!(whoami("rfx_wrong".to_owned()).await.status, 401);
    for open in ["/health", "/health/live", "/meta/version", "/openapi.json"] {
        assert_eq!(server.get(open).await.status, 200, "{open}");
    }
    let other = server.create_key("default", &[Scope::Read]).await;
    server.app.revoke_key(&other.key.id).await.unwrap();
    assert_eq!(whoami(other.secret).await.status, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_key_of_the_environment_is_enough() {
    let server =
        TestServer::start_with(|app| app.api_key = Some("env-secret".to_owned()), Options::default()).await;
    assert_eq!(server.get("/api/whoami").await.status, 401);
    let answer = server.send_as(Some("env-secret"), Method::GET, "/api/whoami", None).await.ok();
    assert_eq!(answer["scopes"], json!(["read", "write", "review", "admin"]));
    assert_eq!(answer["storage_label"], "sqlite", "where the file lies is nobody's business");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_can_do_what_its_scopes_say_and_no_more() {
    let server = TestServer::start().await;
    let read = server.create_key("default", &[Scope::Read]).await.secret;
    let write = server.create_key("default", &[Scope::Write]).await.secret;
    let review = server.create_key("default", &[Scope::Read, Scope::Review]).await.secret;
    let admin = server.create_key("default", &[Scope::Admin]).await.secret;
    let playbook = json!({"agent_playbooks": [{"agent_version": "v1", "content": "be kind"}]});
    let approve = json!({"agent_playbook_id": 1, "playbook_status": "approved"});
    let publish = json!({"user_id": "u", "interaction_data_list": [{"content": "hi"}]});
    type Call<'a> = (&'a str, &'a str, Method, &'a str, Option<Value>, u16);
    let calls: Vec<Call<'_>> = vec![
        ("read", &read, Method::POST, "/api/publish_interaction", Some(publish.clone()), 403),
        ("write", &write, Method::POST, "/api/publish_interaction", Some(publish), 200),
        ("write", &write, Method::POST, "/api/get_interactions", Some(json!({"user_id": "u"})), 403),
        ("write", &write, Method::GET, "/api/jobs", None, 403),
        ("read", &read, Method::GET, "/api/jobs/1", None, 200),
        ("read", &read, Method::POST, "/api/jobs/1/cancel", None, 403),
        (
            "read",
            &read,
            Method::POST,
            "/api/session_outcome",
            Some(json!({"session_id": "s", "outcome": "success", "occurred_at": 1})),
            403,
        ),
        (
            "read",
            &read,
            Method::POST,
            "/api/injections",
            Some(json!({"session_id": "s", "rules": [{"kind": "agent_playbook", "learning_id": "1"}]})),
            403,
        ),
        ("write", &write, Method::GET, "/api/injections", None, 403),
        ("write", &write, Method::GET, "/api/analytics/health", None, 403),
        (
            "read",
            &read,
            Method::POST,
            "/api/evaluations/regenerate",
            Some(json!({"from_ts": 0, "to_ts": 1})),
            403,
        ),
        ("write", &write, Method::POST, "/api/get_session_outcomes", Some(json!({})), 403),
        ("read", &read, Method::POST, "/api/jobs/1/retry", None, 403),
        ("write", &write, Method::GET, "/api/runs", None, 403),
        ("read", &read, Method::GET, "/api/runs", None, 200),
        ("read", &read, Method::POST, "/api/runs/none/undo", None, 403),
        ("write", &write, Method::POST, "/api/jobs/1/cancel", None, 200),
        ("write", &write, Method::POST, "/api/add_agent_playbook", Some(playbook), 200),
        ("write", &write, Method::PUT, "/api/update_agent_playbook_status", Some(approve.clone()), 403),
        ("review", &review, Method::PUT, "/api/update_agent_playbook_status", Some(approve), 200),
        (
            "write",
            &write,
            Method::PUT,
            "/api/update_agent_playbook",
            Some(json!({"agent_playbook_id": 1, "content": "be rude"})),
            403,
        ),
        ("review", &review, Method::POST, "/api/update_config", Some(json!({"window_size": 3})), 403),
        ("write", &write, Method::DELETE, "/api/delete_all_interactions", None, 403),
        (
            "admin",
            &admin,
            Method::POST,
            "/api/update_config",
            Some(json!({"window_size": 3, "stride_size": 2})),
            200,
        ),
        ("admin", &admin, Method::POST, "/api/get_interactions", Some(json!({"user_id": "u"})), 200),
    ];
    for (name, key, method, path, body, expected) in calls {
        let answer = server.send_as(Some(key), method, path, body).await;
        assert_eq!(answer.status, expected, "{name} {path}: {}", answer.body);
    }
}

/// A row of every kind in org `a`, each holding the marker.
async fn fill(server: &TestServer, key: &str) -> Value {
    let send = |method, path: &'static str, body| server.send_as(Some(key), method, path, Some(body));
    compare(server, key).await;
    let publish = json!({"request_id": "marker-request", "user_id": "u", "session_id": "marker-session",
        "agent_version": "v1", "interaction_data_list": [{"content": "marker zebra"}, {"image_encoding": PNG},
            {"role": "Agent", "retrieved_learnings": [{"kind": "profile", "learning_id": "marker-profile"}],
             "content": "yes"}]});
    send(Method::POST, "/api/publish_interaction", publish).await.ok();
    let publish = json!({"user_id": "marker-user", "interaction_data_list": [{"content": "for its job"}]});
    send(Method::POST, "/api/publish_interaction", publish).await.ok();
    let profile = json!({"user_profiles": [{"profile_id": "marker-profile", "user_id": "u", "content": "marker zebra"}]});
    send(Method::POST, "/api/add_user_profile", profile).await.ok();
    let playbook = json!({"user_playbooks": [{"user_id": "u", "agent_version": "v1", "request_id": "r",
        "playbook_name": "marker-type", "content": "marker zebra"}]});
    send(Method::POST, "/api/add_user_playbook", playbook).await.ok();
    let config = json!({"agent_context_prompt": "marker", "review_config": {"another_key": false}});
    send(Method::POST, "/api/update_config", config).await.ok();
    let rule = json!({"agent_playbooks": [{"agent_version": "v1", "content": "marker zebra",
        "playbook_status": "approved"}]});
    send(Method::POST, "/api/add_agent_playbook", rule).await.ok();
    let next = json!({"user_profiles": [{"profile_id": "marker-next", "user_id": "marker-user", "status": "pending",
        "content": "marker zebra"}]});
    send(Method::POST, "/api/add_user_profile", next).await.ok();
    let upgrade = json!({"user_id": "marker-user"});
    assert_eq!(send(Method::POST, "/api/upgrade_all_profiles", upgrade).await.ok()["profiles_promoted"], 1);
    let successor =
        json!({"agent_playbooks": [{"agent_version": "v1", "content": "marker horse", "successor_of": 1}]});
    send(Method::POST, "/api/add_agent_playbook", successor).await.ok();
    let edit = json!({"agent_playbook_id": 2, "content": "marker foal"});
    send(Method::PUT, "/api/update_agent_playbook", edit).await.ok();
    let outcome =
        json!({"session_id": "marker-session", "outcome": "success", "occurred_at": server.app.now().0});
    assert_eq!(send(Method::POST, "/api/session_outcome", outcome).await.ok()["recorded"], true);
    let grade = json!({"session_id": "marker-session", "agent_version": "v1"});
    assert_eq!(send(Method::POST, "/api/evaluations/grade_on_demand", grade).await.ok()["result_id"], 1);
    let used =
        json!({"session_id": "marker-session", "rules": [{"kind": "agent_playbook", "learning_id": "1"}]});
    assert_eq!(send(Method::POST, "/api/injections", used).await.ok()["recorded"], 1);
    let run = json!({"playbook": "echo", "user_id": "marker-user"});
    send(Method::POST, "/api/playbook_runs", run).await.ok();
    send(Method::POST, "/api/get_interactions", json!({"user_id": "u"})).await.ok()
}

/// A server that has a Markdown playbook to run.
async fn with_playbook() -> TestServer {
    let text = "# Echo\n## Main\n### Triggers\n- At the beginning\n### Steps\n- Wait for user\n";
    let file = PlaybookFile { name: "echo.md".to_owned(), text: text.to_owned() };
    let program = PlaybookProgram { name: "echo".to_owned(), files: vec![file], imports: Vec::new() };
    TestServer::start_with(|options| options.playbooks.programs.push(program), Default::default()).await
}

/// Two answers, compared with what an expert said; nothing else is worked on.
async fn compare(server: &TestServer, key: &str) {
    let publish = json!({"user_id": "rated", "evaluation_only": true, "agent_version": "marker",
        "interaction_data_list": [{"role": "Agent", "content": "No.", "shadow_content": "Bring the receipt.",
        "expert_content": "Bring the receipt."}]});
    server.send_as(Some(key), Method::POST, "/api/publish_interaction", Some(publish)).await.ok();
    let workers = server.app.start_workers(&WorkerSettings::default());
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let answer = server.send_as(Some(key), Method::GET, "/api/shadow_comparisons", None).await.ok();
        if answer["comparisons"].as_array().is_some_and(|found| !found.is_empty()) {
            break;
        }
        assert!(Instant::now() < deadline, "nothing was compared");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    workers.stop(Duration::from_secs(5)).await;
}

const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/// Every read of the API with arguments that find the rows of [`fill`]. The test below fails when a route is
/// added to the server and not to this list.
fn reads() -> Vec<(Method, &'static str, Option<Value>)> {
    vec![
        (Method::POST, "/api/get_interactions", Some(json!({"user_id": "u"}))),
        (Method::GET, "/api/get_all_interactions", None),
        (Method::POST, "/api/search_interactions", Some(json!({"user_id": "u", "query": "zebra"}))),
        (Method::POST, "/api/get_requests", Some(json!({}))),
        (Method::POST, "/api/get_profiles", Some(json!({"user_id": "u"}))),
        (Method::GET, "/api/get_all_profiles", None),
        (Method::POST, "/api/search_profiles", Some(json!({"user_id": "u", "query": "zebra"}))),
        (Method::GET, "/api/profile_change_log", None),
        (Method::POST, "/api/get_user_playbooks", Some(json!({}))),
        (Method::POST, "/api/search_user_playbooks", Some(json!({"query": "zebra"}))),
        (Method::POST, "/api/get_agent_playbooks", Some(json!({}))),
        (Method::POST, "/api/search_agent_playbooks", Some(json!({"query": "zebra"}))),
        (Method::POST, "/api/search", Some(json!({"query": "zebra", "user_id": "u"}))),
        (Method::GET, "/api/context?user_id=u&query=zebra", None),
        (Method::GET, "/api/injections?session_id=marker-session", None),
        (Method::GET, "/api/analytics/playbooks", None),
        (Method::GET, "/api/analytics/versions", None),
        (Method::GET, "/api/analytics/review", None),
        (Method::GET, "/api/get_config", None),
        (Method::GET, "/api/jobs", None),
        (Method::POST, "/api/get_session_outcomes", Some(json!({}))),
        (Method::POST, "/api/get_agent_success_evaluation_results", Some(json!({}))),
        (Method::POST, "/api/get_retrieved_learning_evaluation_results", Some(json!({}))),
        (Method::GET, "/api/shadow_comparisons", None),
        (Method::GET, "/api/evaluations/shadow_comparisons/recent", None),
        (Method::GET, "/api/runs", None),
        (Method::GET, "/api/playbook_runs", None),
    ]
}

/// Reads whose answer holds no text of rows, or that name a row in their path; checked one by one below.
const COUNTS_AND_STATES: [&str; 24] = [
    "/api/analytics/health",
    "/api/agent_playbooks/{agent_playbook_id}/impact",
    "/api/agent_playbooks/{agent_playbook_id}/diff",
    "/api/agent_playbooks/{agent_playbook_id}/history",
    "/api/agent_playbooks/{agent_playbook_id}/lift",
    "/api/optimizations",
    "/api/optimizations/{optimization_id}",
    "/api/optimizations/{optimization_id}/events",
    "/api/playbooks",
    "/api/playbook_runs/{run_id}",
    "/api/playbook_runs/{run_id}/journal",
    "/api/playbook_runs/{run_id}/events",
    "/api/costs",
    "/api/embeddings",
    "/api/interactions/{interaction_id}/similar",
    "/api/storage_stats",
    "/api/learning_status",
    "/api/get_operation_status",
    "/api/images/{image_id}",
    "/api/jobs/{job_id}",
    "/api/runs/{run_id}",
    "/api/evaluations/regenerate/{job_id}",
    "/api/whoami",
    "/stall_state",
];

#[tokio::test(flavor = "multi_thread")]
async fn no_read_shows_the_rows_of_another_org() {
    let server = with_playbook().await;
    let a = server.create_key("a", &Scope::ALL).await.secret;
    let b = server.create_key("b", &Scope::ALL).await.secret;
    let filled = fill(&server, &a).await;
    for (method, path, body) in reads() {
        let own = server.send_as(Some(&a), method.clone(), path, body.clone()).await.ok();
        assert!(own.to_string().contains("marker"), "org a must find its row at {path}: {own}");
        let other = server.send_as(Some(&b), method, path, body).await.ok();
        assert!(!other.to_string().contains("marker"), "org b sees a row of org a at {path}: {other}");
    }
    let image = filled["interactions"][1]["image_id"].as_str().unwrap();
    let times = json!({"from_ts": 0, "to_ts": server.app.now().0});
    let regeneration =
        server.send_as(Some(&a), Method::POST, "/api/evaluations/regenerate", Some(times)).await.ok();
    let regeneration = format!("/api/evaluations/regenerate/{}", regeneration["job_id"].as_str().unwrap());
    let runs = server.send_as(Some(&a), Method::GET, "/api/runs", None).await.ok();
    let run = format!("/api/runs/{}", runs["runs"][0]["run_id"].as_str().unwrap());
    let runs = server.send_as(Some(&a), Method::GET, "/api/playbook_runs", None).await.ok();
    let played = format!("/api/playbook_runs/{}", runs["runs"][0]["run_id"].as_str().unwrap());
    let events = server.send_as(Some(&b), Method::GET, &format!("{played}/events"), None).await;
    assert_eq!(events.status, 404);
    for (key, status) in [(&a, 200), (&b, 404)] {
        assert_eq!(server.send_as(Some(key), Method::GET, &run, None).await.status, status);
        let plan = format!("{run}/undo?dry_run=true");
        assert_eq!(server.send_as(Some(key), Method::POST, &plan, None).await.status, status);
        let answer = server.send_as(Some(key), Method::GET, &format!("/api/images/{image}"), None).await;
        assert_eq!(answer.status, status);
        let learning = "/api/learning_status?request_id=marker-request";
        assert_eq!(server.send_as(Some(key), Method::GET, learning, None).await.status, status);
        assert_eq!(server.send_as(Some(key), Method::GET, "/api/jobs/1", None).await.status, status);
        assert_eq!(server.send_as(Some(key), Method::GET, &regeneration, None).await.status, status);
        let impact = "/api/agent_playbooks/1/impact";
        assert_eq!(server.send_as(Some(key), Method::GET, impact, None).await.status, status);
        for path in [&played, &format!("{played}/journal")] {
            assert_eq!(server.send_as(Some(key), Method::GET, path, None).await.status, status, "{path}");
        }
        for path in ["/api/agent_playbooks/2/diff", "/api/agent_playbooks/2/history"] {
            let answer = server.send_as(Some(key), Method::GET, path, None).await;
            let shown = answer.body.to_string().contains("foal");
            assert_eq!((answer.status, shown), (status, status == 200), "{path}: {}", answer.body);
        }
    }
    let again = json!({"user_id": "u", "interaction_data_list": [{"content": "another marker zebra"}]});
    server.send_as(Some(&a), Method::POST, "/api/publish_interaction", Some(again)).await.ok();
    let similar = format!("/api/interactions/{}/similar", filled["interactions"][0]["interaction_id"]);
    let own = server.send_as(Some(&a), Method::GET, &similar, None).await.ok();
    assert!(own.to_string().contains("another marker"), "{own}");
    assert_eq!(server.send_as(Some(&b), Method::GET, &similar, None).await.status, 404);
    let embeddings = server.send_as(Some(&b), Method::GET, "/api/embeddings", None).await.ok();
    assert!(embeddings["kinds"].as_array().unwrap().iter().all(|kind| kind["rows"] == 0), "{embeddings}");
    let stats = server.send_as(Some(&b), Method::GET, "/api/storage_stats", None).await.ok();
    for count in ["interaction_count", "request_count", "profile_count", "playbook_count"] {
        assert_eq!(stats[count], 0, "{count}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_route_that_reads_is_in_the_leak_test() {
    let server = TestServer::start().await;
    let document = server.get("/openapi.json").await.ok();
    let without_query = |path: &'static str| path.split('?').next().unwrap_or_default();
    let listed: Vec<&str> =
        reads().iter().map(|(_, path, _)| without_query(path)).chain(COUNTS_AND_STATES).collect();
    let writes = [
        "add_",
        "delete_",
        "update_",
        "set_",
        "publish_",
        "upgrade_",
        "downgrade_",
        "rerun_",
        "manual_",
        "run",
        "clear_",
        "notified",
        "rebuild",
        "retry",
        "cancel",
        "session_outcome",
        "grade_",
        "regenerate",
        "undo",
        "carry",
        "messages",
        "approval",
        "assistant",
        "import",
    ];
    for path in document["paths"].as_object().unwrap().keys() {
        let guarded = path.starts_with("/api/") || path.starts_with("/stall");
        let name = path.rsplit('/').next().unwrap_or_default();
        if guarded && !writes.iter().any(|write| name.starts_with(write)) {
            assert!(listed.contains(&path.as_str()), "{path} reads and is not in the leak test");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_write_touches_the_rows_of_another_org() {
    let server = with_playbook().await;
    let a = server.create_key("a", &Scope::ALL).await.secret;
    let b = server.create_key("b", &Scope::ALL).await.secret;
    let filled = fill(&server, &a).await;
    let interaction = filled["interactions"][0]["interaction_id"].clone();
    let before = snapshot(&server, &a).await;
    let writes = vec![
        (
            Method::DELETE,
            "/api/delete_interaction",
            json!({"user_id": "u", "interaction_id": interaction}),
            404,
        ),
        (Method::DELETE, "/api/delete_request", json!({"request_id": "marker-request"}), 404),
        (Method::DELETE, "/api/delete_session", json!({"session_id": "marker-session"}), 404),
        (Method::DELETE, "/api/delete_requests_by_ids", json!({"request_ids": ["marker-request"]}), 200),
        (Method::DELETE, "/api/delete_profile", json!({"user_id": "u", "profile_id": "marker-profile"}), 404),
        (Method::DELETE, "/api/delete_profile", json!({"user_id": "u", "search_query": "zebra"}), 200),
        (Method::DELETE, "/api/delete_profiles_by_ids", json!({"profile_ids": ["marker-profile"]}), 200),
        (Method::DELETE, "/api/delete_user_playbook", json!({"user_playbook_id": 1}), 404),
        (Method::DELETE, "/api/delete_user_playbooks_by_ids", json!({"user_playbook_ids": [1]}), 200),
        (Method::DELETE, "/api/delete_agent_playbook", json!({"agent_playbook_id": 1}), 404),
        (Method::DELETE, "/api/delete_agent_playbooks_by_ids", json!({"agent_playbook_ids": [1]}), 200),
        (Method::PUT, "/api/update_user_playbook", json!({"user_playbook_id": 1, "content": "x"}), 404),
        (Method::PUT, "/api/update_agent_playbook", json!({"agent_playbook_id": 1, "content": "x"}), 404),
        (
            Method::PUT,
            "/api/update_agent_playbook_status",
            json!({"agent_playbook_id": 1, "playbook_status": "rejected"}),
            404,
        ),
        (
            Method::POST,
            "/api/injections",
            json!({"session_id": "s", "rules": [{"kind": "agent_playbook", "learning_id": "1"}]}),
            404,
        ),
        (
            Method::POST,
            "/api/agent_playbooks/import",
            json!({"agent_playbooks": [{"agent_playbook_id": 1, "agent_version": "v1", "content": "x"}]}),
            200,
        ),
        (Method::POST, "/api/shadow_comparisons/run", json!({"again": true}), 200),
        (Method::POST, "/api/optimizations", json!({"agent_playbook_id": 1}), 404),
        (Method::POST, "/api/optimizations/1/cancel", Value::Null, 404),
        (Method::POST, "/api/agent_playbooks/1/lift", Value::Null, 409),
        (Method::POST, "/api/jobs/1/cancel", Value::Null, 404),
        (Method::POST, "/api/jobs/1/retry", Value::Null, 404),
        (Method::DELETE, "/api/evaluations/regenerate/1", Value::Null, 404),
        (
            Method::POST,
            "/api/session_outcome",
            json!({"session_id": "marker-session", "outcome": "failure", "occurred_at": 1}),
            200,
        ),
        (
            Method::POST,
            "/api/evaluations/grade_on_demand",
            json!({"session_id": "marker-session", "agent_version": "v1"}),
            200,
        ),
        (Method::DELETE, "/api/delete_all_interactions", Value::Null, 200),
        (Method::DELETE, "/api/delete_all_profiles", Value::Null, 200),
        (Method::DELETE, "/api/delete_all_playbooks", Value::Null, 200),
        (Method::POST, "/api/clear_user_data", json!({"user_id": "u"}), 200),
        (Method::POST, "/api/embeddings/rebuild", json!({}), 200),
        (Method::POST, "/api/upgrade_all_profiles", json!({}), 200),
        (Method::POST, "/api/upgrade_all_user_playbooks", json!({}), 200),
        (Method::POST, "/api/downgrade_all_profiles", json!({}), 200),
        (Method::POST, "/api/downgrade_all_user_playbooks", json!({}), 200),
    ];
    for (method, path, body, status) in writes {
        let body = (!body.is_null()).then_some(body);
        let answer = server.send_as(Some(&b), method, path, body).await;
        assert_eq!(answer.status, status, "{path}: {}", answer.body);
        if let Some(count) = answer.body.get("deleted_count") {
            assert_eq!(count, 0, "{path}");
        }
    }
    assert_eq!(snapshot(&server, &a).await, before);
}

async fn snapshot(server: &TestServer, key: &str) -> Vec<Value> {
    let mut answers = Vec::new();
    for (method, path, body) in reads() {
        answers.push(server.send_as(Some(key), method, path, body).await.ok());
    }
    answers
}
