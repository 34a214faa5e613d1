//! What the playbooks of an org look like from above.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

use reflexio_test_support::TestServer;
use serde_json::{Value, json};

const DAY: i64 = 86_400;

async fn fill(server: &TestServer) {
    let now = server.app.now().0;
    let made = |version: &str, name: &str, days_ago: i64, request: &str| {
        json!({"user_id": "u", "agent_version": version, "playbook_name": name, "request_id": request,
            "content": format!("{name} {request}"), "created_at": now - days_ago * DAY})
    };
    let rows = json!([
        made("v2.0.0", "response_quality", 0, "r1"),
        made("v2.0.0", "response_quality", 0, "r1"),
        made("v2.0.0", "response_quality", 2, "r2"),
        made("v2.1.0", "response_quality", 2, "r3"),
        made("v2.1.0", "pain_points", 40, "r4")
    ]);
    server.post("/api/add_user_playbook", json!({"user_playbooks": rows})).await.ok();
    let rule = |content: &str, status: &str, days_ago: i64| {
        json!({"agent_version": "v2.0.0", "playbook_name": "response_quality", "content": content,
            "playbook_status": status, "created_at": now - days_ago * DAY})
    };
    let rules =
        json!([rule("newer", "pending", 1), rule("oldest", "pending", 9), rule("in use", "approved", 3)]);
    server.post("/api/add_agent_playbook", json!({"agent_playbooks": rules})).await.ok();
    for (version, request) in [("v2.0.0", "r1"), ("v2.0.0", "r2"), ("v2.0.0", "r8"), ("v2.1.0", "r3")] {
        let body = json!({"user_id": "u", "request_id": request, "agent_version": version,
            "interaction_data_list": [{"content": "hi"}]});
        server.post("/api/publish_interaction", body).await.ok();
    }
}

fn pairs(rows: &Value) -> Vec<(String, u64, u64)> {
    let row = |row: &Value| {
        (
            row["key"].as_str().unwrap().to_owned(),
            row["total"].as_u64().unwrap(),
            row["recent"].as_u64().unwrap(),
        )
    };
    rows.as_array().unwrap().iter().map(row).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn playbooks_are_counted_by_type_version_day_and_decision() {
    let server = TestServer::start().await;
    fill(&server).await;
    let found = server.get("/api/analytics/playbooks?days=30").await.ok();
    let user = &found["user_playbooks"];
    assert_eq!((&user["total"], &user["recent"]), (&json!(5), &json!(4)));
    assert!((user["daily_average"].as_f64().unwrap() - 4.0 / 30.0).abs() < 1e-9, "{user}");
    let own = |rows: &[(&str, u64, u64)]| {
        rows.iter().map(|(key, total, recent)| ((*key).to_owned(), *total, *recent)).collect::<Vec<_>>()
    };
    assert_eq!(pairs(&user["by_type"]), own(&[("response_quality", 4, 4), ("pain_points", 1, 0)]));
    assert_eq!(pairs(&user["by_version"]), own(&[("v2.0.0", 3, 3), ("v2.1.0", 2, 1)]));
    assert_eq!(pairs(&user["by_status"]), own(&[("current", 5, 4)]));
    let days = json!([{"day": "2026-11-13", "count": 2}, {"day": "2026-11-15", "count": 2}]);
    assert_eq!(user["by_day"], days);
    let agent = &found["agent_playbooks"];
    assert_eq!(pairs(&agent["by_decision"]), own(&[("pending", 2, 2), ("approved", 1, 1)]));
    let narrow = "/api/analytics/playbooks?playbook_name=pain_points&agent_version=v2.1.0";
    assert_eq!(server.get(narrow).await.ok()["user_playbooks"]["total"], 1);
    assert_eq!(server.get("/api/analytics/playbooks?days=0").await.status, 422);
    for edge in
        ["end_time=-9223372036854775808", "start_time=-9223372036854775808", "start_time=9223372036854775807"]
    {
        assert_eq!(server.get(&format!("/api/analytics/playbooks?{edge}")).await.status, 200, "{edge}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_versions_are_set_beside_each_other() {
    let server = TestServer::start().await;
    fill(&server).await;
    let path = "/api/analytics/versions?playbook_name=response_quality&agent_version=v2.0.0,v2.1.0";
    let found = server.get(path).await.ok();
    let versions = found["versions"].as_array().unwrap();
    let seen: Vec<_> = versions
        .iter()
        .map(|row| {
            (
                row["agent_version"].as_str().unwrap(),
                row["playbooks"].as_u64(),
                row["unique_requests"].as_u64(),
            )
        })
        .collect();
    assert_eq!(seen, [("v2.0.0", Some(3), Some(2)), ("v2.1.0", Some(1), Some(1))]);
    assert_eq!(
        (&versions[0]["published_requests"], &versions[0]["playbooks_per_request"]),
        (&json!(3), &json!(1.5))
    );
    assert_eq!((&versions[0]["taught"]["count"], &versions[0]["taught"]["total"]), (&json!(2), &json!(3)));
    assert!(
        versions[0].get("difference_to_first").is_none() && versions[1]["difference_to_first"].is_object()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_review_begins_with_what_waits_longest() {
    let server = TestServer::start().await;
    fill(&server).await;
    let found = server.get("/api/analytics/review?limit=1").await.ok();
    assert_eq!((&found["waiting"], &found["longest_waiting"][0]["content"]), (&json!(2), &json!("oldest")));
    assert_eq!(
        (&found["longest_waiting"][0]["waiting_days"], found["longest_waiting"].get(1)),
        (&json!(9), None)
    );
    assert_eq!(found["new_user_playbooks"][0]["recent"], 4);
    assert_eq!(found["new_agent_playbooks"][0]["recent"], 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn health_says_what_needs_attention_and_why() {
    let server = TestServer::start().await;
    let states = async |query: &str| {
        let found = server.get(&format!("/api/analytics/health{query}")).await.ok();
        let bad = found["checks"].as_array().unwrap().iter().filter(|check| check["status"] == "attention");
        let names: Vec<String> = bad.map(|check| check["name"].as_str().unwrap().to_owned()).collect();
        assert_eq!(found["status"] == "ok", names.is_empty(), "{found}");
        names
    };
    assert_eq!(states("").await, ["collection", "embeddings"], "this server has no embedder");
    fill(&server).await;
    assert_eq!(
        states("").await,
        ["types", "review", "embeddings"],
        "nothing of the default type was learned"
    );
    assert_eq!(states("?pending_days=9&min_daily=2").await, ["types", "embeddings"]);
    assert_eq!(states("?pending_days=9&min_daily=3").await, ["collection", "types", "embeddings"]);
    let types =
        json!({"playbook_configs": [{"playbook_name": "pain_points", "playbook_definition_prompt": "x"}]});
    server.post("/api/update_config", types).await.ok();
    assert_eq!(states("?pending_days=9").await, ["embeddings"]);
}
