//! What a person has to know to decide about a rule, who may decide, and what is kept of it.
#![expect(clippy::unwrap_used, reason = "a test fails where an answer is not as expected")]

use reflexio_test_support::{Answer, TestServer};
use reflexio_types::Scope;
use reqwest::Method;
use serde_json::{Value, json};

const BEFORE: &str = "Ask for a photo of the parcel";
const AFTER: &str = "Ask for two photos of the parcel";

async fn add(server: &TestServer, rule: Value) -> i64 {
    let answer = server.post("/api/add_agent_playbook", json!({ "agent_playbooks": [rule] })).await.ok();
    answer["ids"][0].as_i64().unwrap()
}

fn rule(instruction: &str) -> Value {
    let trigger = "The user asks for a refund";
    json!({"agent_version": "v1", "playbook_name": "refunds", "trigger": trigger, "instruction": instruction,
           "content": format!("When: {trigger}\nDo: {instruction}")})
}

async fn find(server: &TestServer, id: i64) -> Value {
    let body = json!({"agent_playbook_id": id, "status_filter": ["current", "archived", "pending"]});
    server.post("/api/get_agent_playbooks", body).await.ok()["agent_playbooks"][0].clone()
}

async fn decide(server: &TestServer, id: i64, status: &str, reason: Option<&str>) -> Answer {
    let body = json!({"agent_playbook_id": id, "playbook_status": status, "reason": reason});
    server.put("/api/update_agent_playbook_status", body).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_successor_is_shown_word_by_word_and_takes_the_place_when_approved() {
    let server = TestServer::start().await;
    let mut approved = rule(BEFORE);
    approved["playbook_status"] = json!("approved");
    let old = add(&server, approved).await;
    let mut successor = rule(AFTER);
    successor["successor_of"] = json!(old);
    let new = add(&server, successor).await;
    let diff = server.get(&format!("/api/agent_playbooks/{new}/diff")).await.ok();
    let fields: Vec<&str> =
        diff["fields"].as_array().unwrap().iter().map(|field| field["field"].as_str().unwrap()).collect();
    assert_eq!((&diff["successor_of"], fields), (&json!(old), vec!["instruction", "content"]), "{diff}");
    let parts = diff["fields"][0]["parts"].as_array().unwrap();
    let changed: Vec<&Value> = parts.iter().filter(|part| part["op"] != "same").collect();
    assert_eq!(changed[0], &json!({"op": "removed", "text": "a photo"}));
    assert_eq!(changed[1], &json!({"op": "added", "text": "two photos"}));
    decide(&server, new, "approved", Some("one is not enough")).await.ok();
    let (old, new) = (find(&server, old).await, find(&server, new).await);
    assert_eq!((&old["status"], &old["superseded_by"]), (&json!("archived"), &new["agent_playbook_id"]));
    assert_eq!(
        (&new["playbook_status"], &new["review_reason"]),
        (&json!("approved"), &json!("one is not enough"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rule_that_follows_nobody_has_no_diff() {
    let server = TestServer::start().await;
    let id = add(&server, rule(BEFORE)).await;
    let diff = server.get(&format!("/api/agent_playbooks/{id}/diff")).await.ok();
    assert_eq!((&diff["fields"], &diff["successor_of"]), (&json!([]), &Value::Null));
    assert_eq!(server.get("/api/agent_playbooks/99/diff").await.status, 404);
    assert_eq!(server.get("/api/agent_playbooks/x/history").await.status, 404);
    let mut orphan = rule(AFTER);
    orphan["successor_of"] = json!(99);
    let answer = server.post("/api/add_agent_playbook", json!({ "agent_playbooks": [orphan] })).await;
    assert_eq!(answer.status, 404, "{}", answer.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_is_found_at_once_and_its_history_is_kept() {
    let server = TestServer::start().await;
    let id = add(&server, rule(BEFORE)).await;
    let edit = json!({"agent_playbook_id": id, "instruction": "Ask for the receipt", "pitfall": "Guessing"});
    server.put("/api/update_agent_playbook", edit).await.ok();
    let row = find(&server, id).await;
    assert_eq!(
        row["content"], "When: The user asks for a refund\nDo: Ask for the receipt\nAvoid: Guessing",
        "what was made of the parts follows them"
    );
    let search = json!({"query": "receipt", "playbook_status_filter": ["pending"]});
    let found = server.post("/api/search_agent_playbooks", search).await.ok();
    assert_eq!(found["agent_playbooks"].as_array().unwrap().len(), 1);
    decide(&server, id, "rejected", Some("too strict")).await.ok();
    let history = server.get(&format!("/api/agent_playbooks/{id}/history")).await.ok();
    let events = history["events"].as_array().unwrap();
    let actions: Vec<&str> = events.iter().map(|event| event["action"].as_str().unwrap()).collect();
    assert_eq!(actions, ["added", "edited", "rejected"]);
    let instruction = &events[1]["changes"][0];
    assert_eq!((&instruction["field"], &instruction["before"]), (&json!("instruction"), &json!(BEFORE)));
    assert_eq!(events[2]["reason"], "too strict");
}

/// Two people, each with a key.
struct Two {
    server: TestServer,
    author: String,
    reviewer: String,
}

impl Two {
    async fn new() -> Self {
        let server = TestServer::start().await;
        let author = server.create_key("default", &Scope::ALL).await.secret;
        let reviewer = server.create_key("default", &[Scope::Read, Scope::Review]).await.secret;
        Self { server, author, reviewer }
    }

    async fn put(&self, key: &str, path: &str, body: Value) -> Answer {
        self.server.send_as(Some(key), Method::PUT, path, Some(body)).await
    }

    async fn post(&self, key: &str, path: &str, body: Value) -> Answer {
        self.server.send_as(Some(key), Method::POST, path, Some(body)).await
    }

    async fn decide(&self, key: &str, status: &str) -> Answer {
        let body = json!({"agent_playbook_id": 1, "playbook_status": status});
        self.put(key, "/api/update_agent_playbook_status", body).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_reviews_what_they_wrote() {
    let two = Two::new().await;
    let add = |status: &str| {
        let mut new = rule(BEFORE);
        new["playbook_status"] = json!(status);
        json!({ "agent_playbooks": [new] })
    };
    let refused = two.post(&two.author, "/api/add_agent_playbook", add("approved")).await;
    assert_eq!(refused.status, 403, "{}", refused.body);
    two.post(&two.author, "/api/add_agent_playbook", add("pending")).await.ok();
    for status in ["approved", "rejected"] {
        let refused = two.decide(&two.author, status).await;
        let reason = refused.body["detail"].as_str().unwrap();
        assert_eq!(refused.status, 403);
        assert!(reason.contains("another key") && reason.contains("review_config"), "{reason}");
    }
    two.decide(&two.reviewer, "approved").await.ok();
    // A new text of a rule in production is its author's until somebody else has seen it.
    let edit = json!({"agent_playbook_id": 1, "instruction": AFTER});
    let refused = two.put(&two.author, "/api/update_agent_playbook", edit.clone()).await;
    assert!(refused.status == 403 && refused.body["detail"].as_str().unwrap().contains("successor_of"));
    let config = json!({"review_config": {"another_key": false}});
    two.post(&two.author, "/api/update_config", config).await.ok();
    two.put(&two.author, "/api/update_agent_playbook", edit).await.ok();
    two.decide(&two.author, "rejected").await.ok();
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_edited_last_is_the_author() {
    let two = Two::new().await;
    two.post(&two.author, "/api/add_agent_playbook", json!({ "agent_playbooks": [rule(BEFORE)] })).await.ok();
    let other = two.server.create_key("default", &Scope::ALL).await;
    let edit = json!({"agent_playbook_id": 1, "instruction": AFTER});
    two.put(&other.secret, "/api/update_agent_playbook", edit).await.ok();
    assert_eq!(two.decide(&other.secret, "approved").await.status, 403);
    two.decide(&two.author, "approved").await.ok();
    let body = json!({"agent_playbook_id": 1});
    let row =
        two.post(&two.author, "/api/get_agent_playbooks", body).await.ok()["agent_playbooks"][0].clone();
    assert_eq!(row["author"], json!(other.key.id), "{row}");
}
