//! Rules that come back from files: what was edited there, and nothing else, becomes proposals.
#![expect(clippy::unwrap_used, reason = "a test fails where an answer is not as expected")]

use reflexio_test_support::TestServer;
use reflexio_types::Scope;
use reqwest::Method;
use serde_json::{Value, json};

/// A rule as a file of it would tell it.
async fn file(server: &TestServer, id: i64) -> Value {
    let row = find(server, id).await;
    let mut file = json!({"agent_playbook_id": id, "exported_hash": row["content_hash"]});
    for field in [
        "playbook_name",
        "agent_version",
        "playbook_status",
        "trigger",
        "instruction",
        "pitfall",
        "rationale",
    ] {
        file[field] = row[field].clone();
    }
    file
}

async fn find(server: &TestServer, id: i64) -> Value {
    let body = json!({"agent_playbook_id": id, "status_filter": ["current", "archived"]});
    server.post("/api/get_agent_playbooks", body).await.ok()["agent_playbooks"][0].clone()
}

fn rule(instruction: &str, status: &str) -> Value {
    let trigger = "The user asks for a refund";
    json!({"agent_version": "v1", "playbook_name": "refunds", "trigger": trigger, "instruction": instruction,
           "content": format!("When: {trigger}\nDo: {instruction}"), "playbook_status": status})
}

async fn filled() -> TestServer {
    let server = TestServer::start().await;
    let rules = json!({"agent_playbooks":
        [rule("Ask for a photo", "approved"), rule("Be kind", "pending"), rule("Say no", "rejected")]});
    server.post("/api/add_agent_playbook", rules).await.ok();
    server
}

async fn import(server: &TestServer, files: &[&Value]) -> Value {
    server.post("/api/agent_playbooks/import", json!({ "agent_playbooks": files })).await.ok()
}

fn actions(answer: &Value) -> Vec<&str> {
    answer["results"].as_array().unwrap().iter().map(|result| result["action"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_not_edited_does_nothing() {
    let server = filled().await;
    let files = [file(&server, 1).await, file(&server, 2).await, file(&server, 3).await];
    let answer = import(&server, &[&files[0], &files[1], &files[2]]).await;
    assert_eq!((&answer["success"], &answer["applied"]), (&json!(true), &json!(false)), "{answer}");
    assert_eq!(actions(&answer), ["unchanged"; 3]);
    // Not even when the rule was decided about or edited in the meantime.
    let approve = json!({"agent_playbook_id": 2, "playbook_status": "approved"});
    server.put("/api/update_agent_playbook_status", approve).await.ok();
    let edit = json!({"agent_playbook_id": 1, "instruction": "Ask for two photos"});
    server.put("/api/update_agent_playbook", edit).await.ok();
    assert_eq!(actions(&import(&server, &[&files[0], &files[1]]).await), ["unchanged"; 2]);
    assert_eq!(find(&server, 2).await["playbook_status"], "approved");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edited_text_waits_for_review() {
    let server = filled().await;
    let mut files = [file(&server, 1).await, file(&server, 2).await, file(&server, 3).await];
    files.iter_mut().for_each(|file| {
        file["instruction"] = json!(format!("{} now", file["instruction"].as_str().unwrap()))
    });
    let dry = json!({"agent_playbooks": files, "dry_run": true});
    let dry = server.post("/api/agent_playbooks/import", dry).await.ok();
    let answer = import(&server, &[&files[0], &files[1], &files[2]]).await;
    assert_eq!(actions(&dry), actions(&answer));
    assert_eq!((&dry["applied"], &answer["applied"]), (&json!(false), &json!(true)));
    let run = server.get(&format!("/api/runs/{}", answer["run_id"].as_str().unwrap())).await.ok();
    assert_eq!(run["run"]["kind"], "import", "{run}");
    assert_eq!(actions(&answer), ["proposed", "edited", "added"]);
    let successor = find(&server, answer["results"][0]["agent_playbook_id"].as_i64().unwrap()).await;
    assert_eq!((&successor["successor_of"], &successor["playbook_status"]), (&json!(1), &json!("pending")));
    assert_eq!(successor["content"], "When: The user asks for a refund\nDo: Ask for a photo now");
    assert_eq!(find(&server, 1).await["instruction"], "Ask for a photo", "what is in production stays");
    assert_eq!(find(&server, 2).await["instruction"], "Be kind now");
    assert_eq!(find(&server, 3).await["playbook_status"], "rejected");
    let again = import(&server, &[&files[0], &files[1]]).await;
    assert_eq!((actions(&again), &again["applied"]), (vec!["unchanged"; 2], &json!(false)), "{again}");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_refusal_keeps_everything_out() {
    let server = filled().await;
    let (mut edited, mut moved) = (file(&server, 2).await, file(&server, 1).await);
    (edited["instruction"], moved["instruction"]) = (json!("Be kinder"), json!("Ask twice"));
    let meanwhile = json!({"agent_playbook_id": 1, "instruction": "Ask three times"});
    server.put("/api/update_agent_playbook", meanwhile).await.ok();
    let mut unknown = edited.clone();
    unknown["agent_playbook_id"] = json!(99);
    let mut elsewhere = moved.clone();
    elsewhere["agent_version"] = json!("v2");
    let twice = edited.clone();
    for (bad, why) in [
        (twice, "told twice"),
        (moved, "since it was exported"),
        (unknown, "does not exist"),
        (elsewhere, "`v1`"),
    ] {
        let answer = import(&server, &[&edited, &bad]).await;
        assert_eq!(actions(&answer), ["edited", "refused"], "{answer}");
        assert!(answer["results"][1]["message"].as_str().unwrap().contains(why), "{answer}");
        assert_eq!((&answer["success"], &answer["applied"]), (&json!(false), &json!(false)));
        assert_eq!(find(&server, 2).await["instruction"], "Be kind");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_status_in_a_file_is_a_review() {
    let mut server = TestServer::start().await;
    let author = server.create_key("default", &Scope::ALL).await.secret;
    server.use_key(&author);
    server
        .post("/api/add_agent_playbook", json!({"agent_playbooks": [rule("Be kind", "pending")]}))
        .await
        .ok();
    let mut pending = file(&server, 1).await;
    pending["playbook_status"] = json!("approved");
    let new = rule("Thank the user", "approved");
    let writer = server.create_key("default", &[Scope::Read, Scope::Write]).await.secret;
    let reviewer = server.create_key("default", &[Scope::Read, Scope::Write, Scope::Review]).await.secret;
    let send = |key: &str, files: Vec<Value>| {
        let (key, body) = (key.to_owned(), json!({ "agent_playbooks": files }));
        let server = &server;
        async move {
            server.send_as(Some(&key), Method::POST, "/api/agent_playbooks/import", Some(body)).await.ok()
        }
    };
    let refused = send(&writer, vec![pending.clone()]).await;
    assert!(refused["results"][0]["message"].as_str().unwrap().contains("scope `review`"), "{refused}");
    let own = send(&reviewer, vec![new]).await;
    assert!(own["results"][0]["message"].as_str().unwrap().contains("another key"), "{own}");
    let mut worded = pending.clone();
    worded["instruction"] = json!("Be kind, always");
    let own = send(&reviewer, vec![worded]).await;
    assert!(own["results"][0]["message"].as_str().unwrap().contains("another key"), "{own}");
    let approved = send(&reviewer, vec![pending.clone()]).await;
    assert_eq!((actions(&approved), &approved["applied"]), (vec!["approved"], &json!(true)), "{approved}");
    let again = send(&reviewer, vec![pending.clone()]).await;
    assert_eq!(actions(&again), ["unchanged"], "{again}");
    // Somebody else came to another conclusion in the meantime.
    let reject = json!({"agent_playbook_id": 1, "playbook_status": "rejected"});
    let rejected =
        server.send_as(Some(&reviewer), Method::PUT, "/api/update_agent_playbook_status", Some(reject)).await;
    rejected.ok();
    let late = send(&reviewer, vec![pending]).await;
    assert!(late["results"][0]["message"].as_str().unwrap().contains("since it was exported"), "{late}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_without_an_id_is_a_new_rule_once() {
    let server = filled().await;
    let mut new = rule("Thank the user", "pending");
    new.as_object_mut().unwrap().remove("content");
    let first = import(&server, &[&new]).await;
    assert_eq!(actions(&first), ["added"]);
    let second = import(&server, &[&new]).await;
    assert_eq!(actions(&second), ["unchanged"], "{second}");
    assert_eq!(second["results"][0]["agent_playbook_id"], first["results"][0]["agent_playbook_id"]);
}
