//! The approved rules of one version of the agent, proposed for another.
#![expect(clippy::unwrap_used, reason = "a test fails where an answer is not as expected")]

use std::time::{Duration, Instant};

use reflexio_test_support::TestServer;
use serde_json::{Value, json};

const ASK: &str = "Ask for a photo of the damaged parcel before the refund";
const TRIGGER: &str = "The user asks for a refund of a damaged parcel";

async fn add(server: &TestServer, version: &str, content: &str, status: &str) -> i64 {
    let rule = json!({"agent_playbooks": [{"agent_version": version, "playbook_name": "pain_points", "content": content,
        "playbook_status": status, "playbook_metadata": "{\"score\": 5}"}]});
    server.post("/api/add_agent_playbook", rule).await.ok()["ids"][0].as_i64().unwrap()
}

async fn publish(server: &TestServer, version: &str) {
    let body =
        json!({"user_id": "u", "agent_version": version, "interaction_data_list": [{"content": "hello"}]});
    server.post("/api/publish_interaction", body).await.ok();
}

async fn carry(server: &TestServer, more: Value) -> reflexio_test_support::Answer {
    let mut body = json!({"from_version": "v1", "to_version": "v2"});
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    server.post("/api/agent_playbooks/carry", body).await
}

async fn rules(server: &TestServer, version: &str) -> Vec<Value> {
    let answer = server.post("/api/get_agent_playbooks", json!({"agent_version": version})).await.ok();
    answer["agent_playbooks"].as_array().unwrap().clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn approved_rules_become_proposals_unless_they_stand_or_were_rejected() {
    let server = TestServer::start().await;
    publish(&server, "v2").await;
    let photo = add(&server, "v1", ASK, "approved").await;
    let thanks =
        add(&server, "v1", "Thank the customer by name at the end of the conversation", "approved").await;
    let spanish = add(&server, "v1", "Answer in Spanish when the user writes in Spanish", "approved").await;
    add(&server, "v1", "Never promise a date of delivery", "pending").await;
    let standing =
        add(&server, "v2", "Thank the customer by name at the end of the conversation", "pending").await;
    add(&server, "v2", "Answer in Spanish when the user writes in Spanish", "rejected").await;

    let plan = carry(&server, json!({"dry_run": true})).await.ok();
    assert_eq!(plan["carried"], json!([{"carried_from": photo}]), "{plan}");
    assert_eq!(rules(&server, "v2").await.len(), 2, "a dry run stores nothing");
    let done = carry(&server, json!({})).await.ok();
    assert_eq!(done["carried"][0]["carried_from"], photo);
    let left_out = done["left_out"].as_array().unwrap();
    let reasons: Vec<_> = left_out
        .iter()
        .map(|one| (one["agent_playbook_id"].as_i64().unwrap(), one["reason"].as_str().unwrap()))
        .collect();
    assert_eq!(reasons[0], (thanks, format!("says what {standing} says").as_str()));
    assert!(reasons[1].0 == spanish && reasons[1].1.contains("rejected"), "{reasons:?}");

    let new = rules(&server, "v2").await;
    let new = new.iter().find(|rule| rule["carried_from"] == photo).unwrap();
    assert_eq!((&new["playbook_status"], &new["content"]), (&json!("pending"), &json!(ASK)));
    assert_eq!(new["playbook_metadata"], "{\"score\": 5}");
    let again = carry(&server, json!({})).await.ok();
    assert_eq!((&again["carried"], again.get("run_id")), (&json!([]), None), "{again}");
    assert_eq!(again["left_out"][0]["reason"], "was carried over already");

    let run = done["run_id"].as_str().unwrap();
    server.post(&format!("/api/runs/{run}/undo"), json!({})).await.ok();
    assert_eq!(rules(&server, "v2").await.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_version_that_nobody_knows_is_refused_with_those_that_are_known() {
    let server = TestServer::start().await;
    add(&server, "v1", ASK, "approved").await;
    let refused = carry(&server, json!({})).await;
    assert_eq!(refused.status, 422);
    let detail = &refused.body["detail"][0];
    assert_eq!(detail["loc"], json!(["body", "to_version"]));
    assert!(detail["msg"].as_str().unwrap().contains("known are `v1`"), "{detail}");
    assert_eq!(carry(&server, json!({"from_version": "v0"})).await.status, 422);
    assert_eq!(carry(&server, json!({"to_version": "v1"})).await.status, 422, "the same version");
    let done = carry(&server, json!({"allow_new_version": true})).await.ok();
    assert_eq!(done["carried"].as_array().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_version_gets_the_rules_of_the_one_before_by_itself() {
    let server = TestServer::start_learning(|_| {}).await;
    publish(&server, "v1").await;
    add(&server, "v1", ASK, "approved").await;
    publish(&server, "v2").await;
    assert!(rules(&server, "v2").await.is_empty(), "nobody asked for it");
    server.post("/api/update_config", json!({"carry_over_approved": true})).await.ok();
    publish(&server, "v2").await;
    publish(&server, "v3").await;
    let deadline = Instant::now() + Duration::from_secs(60);
    while rules(&server, "v3").await.is_empty() {
        assert!(Instant::now() < deadline, "nothing is carried over");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(rules(&server, "v3").await[0]["playbook_status"], "pending");
    assert!(rules(&server, "v2").await.is_empty(), "that version was seen before");
    let runs = server.get("/api/runs?kind=carry_over").await.ok();
    assert_eq!(
        (&runs["runs"][0]["automatic"], &runs["runs"][0]["added"]),
        (&json!(true), &json!(1)),
        "{runs}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_aggregation_does_not_propose_what_was_carried_over() {
    let server = TestServer::start_learning(|_| {}).await;
    let rule = json!({"agent_playbooks": [{"agent_version": "v1", "playbook_name": "pain_points", "trigger": TRIGGER,
        "instruction": ASK, "content": format!("When: {TRIGGER}\nDo: {ASK}"), "playbook_status": "approved"}]});
    server.post("/api/add_agent_playbook", rule).await.ok();
    publish(&server, "v2").await;
    carry(&server, json!({})).await.ok();
    let row = |user: usize| {
        json!({"user_id": format!("u{user}"), "request_id": "r", "agent_version": "v2",
               "playbook_name": "pain_points", "trigger": TRIGGER, "instruction": ASK,
               "content": format!("When: {TRIGGER}\nDo: {ASK}")})
    };
    let rows: Vec<Value> = (0..4).map(row).collect();
    server.post("/api/add_user_playbook", json!({ "user_playbooks": rows })).await.ok();
    let answer = server.post("/api/run_playbook_aggregation", json!({"agent_version": "v2"})).await.ok();
    assert_eq!(answer["playbooks_generated"], 0, "{answer}");
    assert!(answer["message"].as_str().unwrap().contains("says what"), "{answer}");
    assert_eq!(rules(&server, "v2").await.len(), 1);
}
