//! From the playbooks of many users to rules that a person decides about.
#![expect(clippy::unwrap_used, reason = "a test fails where an answer is not as expected")]

use reflexio_llm::endpoint::{Reply, TestEndpoint};
use reflexio_test_support::TestServer;
use serde_json::{Value, json};

const ASK_FIRST: [&str; 4] = [
    "The user asks for a refund of a damaged parcel",
    "The user asks for a refund of a parcel that came damaged",
    "A user wants a refund of a damaged parcel",
    "The user wants the refund of a damaged parcel",
];

/// A playbook of a user.
fn playbook(user: &str, trigger: &str, instruction: &str) -> Value {
    json!({"user_id": user, "request_id": "r", "agent_version": "v1", "playbook_name": "pain_points",
           "trigger": trigger, "instruction": instruction, "content": format!("When: {trigger}\nDo: {instruction}")})
}

async fn add(server: &TestServer, playbooks: &[Value]) {
    server.post("/api/add_user_playbook", json!({ "user_playbooks": playbooks })).await.ok();
}

async fn refunds(server: &TestServer) {
    let rows: Vec<Value> = ASK_FIRST
        .iter()
        .enumerate()
        .map(|(at, trigger)| {
            playbook(&format!("u{at}"), trigger, "Ask for a photo of the damaged parcel before the refund")
        })
        .collect();
    add(server, &rows).await;
}

async fn run(server: &TestServer) -> Value {
    server.post("/api/run_playbook_aggregation", json!({"agent_version": "v1"})).await.ok()
}

async fn rules(server: &TestServer) -> Vec<Value> {
    let answer = server.post("/api/get_agent_playbooks", json!({})).await.ok();
    answer["agent_playbooks"].as_array().unwrap().clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_many_users_taught_becomes_one_proposal() {
    let server = TestServer::start_learning(|_| {}).await;
    refunds(&server).await;
    add(&server, &[playbook("u9", "The user greets the agent in Spanish", "Answer in Spanish")]).await;
    let answer = run(&server).await;
    assert_eq!((&answer["success"], &answer["playbooks_generated"]), (&json!(true), &json!(1)), "{answer}");
    let rules = rules(&server).await;
    assert_eq!(rules.len(), 1);
    let rule = &rules[0];
    assert_eq!(
        (&rule["playbook_status"], &rule["cluster_size"], &rule["distinct_users"]),
        (&json!("pending"), &json!(4), &json!(4))
    );
    assert!(rule["content"].as_str().unwrap().contains("Ask for a photo"), "{rule}");
    assert_eq!(rule["learned_by"], "builtin");
    let again = run(&server).await;
    assert_eq!(again["playbooks_generated"], 0, "nothing changed: {again}");
}

async fn decide(server: &TestServer, rule: &Value, status: &str) {
    let body = json!({"agent_playbook_id": rule["agent_playbook_id"], "playbook_status": status,
                      "reason": "photos are not allowed"});
    server.put("/api/update_agent_playbook_status", body).await.ok();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proposal_grows_with_its_cluster() {
    let server = TestServer::start_learning(|_| {}).await;
    refunds(&server).await;
    run(&server).await;
    let before = rules(&server).await.remove(0);
    // It says what the member in the middle says, which stays there.
    let said = |field: &str| before[field].as_str().unwrap().to_owned();
    add(&server, &[playbook("u8", &said("trigger"), &said("instruction"))]).await;
    let answer = run(&server).await;
    assert_eq!(answer["playbooks_generated"], 0, "{answer}");
    let after = rules(&server).await;
    assert_eq!(after.len(), 1);
    assert_eq!(after[0]["agent_playbook_id"], before["agent_playbook_id"]);
    assert_eq!((&after[0]["cluster_size"], &after[0]["distinct_users"]), (&json!(5), &json!(5)));
    assert!(after[0]["rationale"].as_str().unwrap().contains("5 conversations"), "{}", after[0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proposal_that_a_person_worded_is_not_replaced() {
    let server = TestServer::start_learning(|_| {}).await;
    refunds(&server).await;
    run(&server).await;
    let before = rules(&server).await.remove(0);
    let edit =
        json!({"agent_playbook_id": before["agent_playbook_id"], "instruction": "Ask kindly for a photo"});
    server.put("/api/update_agent_playbook", edit).await.ok();
    let more = playbook("u8", ASK_FIRST[0], "Ask for a photo of the damaged parcel before the refund");
    add(&server, &[more]).await;
    run(&server).await;
    let after = rules(&server).await;
    assert_eq!(after.len(), 1);
    assert_eq!(
        (&after[0]["instruction"], &after[0]["cluster_size"]),
        (&json!("Ask kindly for a photo"), &json!(5))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_person_rejected_does_not_come_back() {
    let server = TestServer::start_learning(|_| {}).await;
    refunds(&server).await;
    run(&server).await;
    decide(&server, &rules(&server).await[0], "rejected").await;
    let trigger = "The user asks for a refund of a damaged parcel";
    let more = playbook("u7", trigger, "Ask for a photo of the damaged parcel before the refund");
    add(&server, &[more]).await;
    let answer = run(&server).await;
    assert_eq!(answer["playbooks_generated"], 0, "{answer}");
    let message = answer["message"].as_str().unwrap();
    assert!(message.contains("says what a person rejected as 1: photos are not allowed"), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_approved_rule_is_never_touched() {
    let server = TestServer::start_learning(|_| {}).await;
    refunds(&server).await;
    run(&server).await;
    let approved = rules(&server).await.remove(0);
    decide(&server, &approved, "approved").await;
    let more = playbook("u7", ASK_FIRST[0], "Ask for a photo of the damaged parcel before the refund");
    add(&server, &[more]).await;
    run(&server).await;
    let kept = rules(&server).await;
    let kept = kept.iter().find(|rule| rule["agent_playbook_id"] == approved["agent_playbook_id"]).unwrap();
    assert_eq!((&kept["content"], &kept["playbook_status"]), (&approved["content"], &json!("approved")));
}

/// A model that answers every aggregation alike.
async fn worded(answer: Value) -> (TestServer, TestEndpoint) {
    let endpoint = TestEndpoint::start().await.unwrap();
    endpoint.respond(move |_| Reply::Json(answer.clone()));
    let settings = endpoint.settings();
    let server = TestServer::start_learning(move |options| {
        options.models = std::sync::Arc::new(move |_| settings.clone())
    })
    .await;
    (server, endpoint)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_is_asked_once_for_a_cluster_and_not_again_while_it_stays() {
    let rule = json!({"rule": {"trigger": "The user asks for a refund of a damaged parcel",
                               "instruction": "Ask for a photo of the damage first, then refund."}});
    let (server, endpoint) = worded(rule).await;
    refunds(&server).await;
    run(&server).await;
    run(&server).await;
    assert_eq!(endpoint.count(), 1);
    assert!(rules(&server).await[0]["learned_by"].as_str().unwrap().contains("aggregation@v1"));
}

#[tokio::test(flavor = "multi_thread")]
async fn rules_that_reach_too_far_or_tell_of_one_user_are_refused() {
    let wide = json!({"rule": {"trigger": "Any request", "instruction": "Ask for a photo first."}});
    let personal = json!({"rule": {"trigger": "The user asks for a refund of a damaged parcel",
                                   "instruction": "Ask for a photo of order 4711099 first."}});
    let named = json!({"rule": {"trigger": "The user asks for a refund of a damaged parcel",
                                "instruction": "Ask like with Miller for a photo first."}});
    for answer in [wide, personal, named, json!({"rule": null}), json!({"else": 1})] {
        let (server, _endpoint) = worded(answer.clone()).await;
        refunds(&server).await;
        let ran = run(&server).await;
        assert_eq!(ran["playbooks_generated"], 0, "{answer}: {ran}");
        assert!(rules(&server).await.is_empty(), "{answer}");
        assert!(ran["message"].as_str().unwrap().contains('×'), "the reason is told: {ran}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn do_and_do_not_are_never_averaged() {
    let server = TestServer::start_learning(|_| {}).await;
    let rows: Vec<Value> = (0..6)
        .map(|n| {
            let trigger = "The user asks about the price of a delivery";
            let say = "Mention the discount for large orders";
            let instruction = if n % 2 == 0 {
                say.to_owned()
            } else {
                "Do not mention the discount for large orders".to_owned()
            };
            playbook(&format!("u{n}"), trigger, &instruction)
        })
        .collect();
    add(&server, &rows).await;
    run(&server).await;
    let mut said: Vec<String> =
        rules(&server).await.iter().map(|rule| rule["instruction"].as_str().unwrap().to_owned()).collect();
    said.sort();
    assert_eq!(
        said,
        ["Do not mention the discount for large orders", "Mention the discount for large orders"]
    );
}

/// A conversation in which a user corrects the agent; the built-in learner makes one playbook of it.
fn corrected(user: &str) -> Value {
    json!({"user_id": user, "session_id": format!("s-{user}"), "agent_version": "v1", "force_extraction": true,
           "interaction_data_list": [
               {"role": "User", "content": "Please summarise this report."},
               {"role": "Agent", "content": "Here is a long summary in prose ..."},
               {"role": "User", "content": "No, that's wrong. Always use bullet points when you summarise reports."}]})
}

#[tokio::test(flavor = "multi_thread")]
async fn a_row_between_two_refreshes_joins_and_the_rule_that_waits_has_it_as_evidence() {
    let server = TestServer::start_learning(|_| {}).await;
    for user in ["ann", "bob"] {
        server.post("/api/publish_interaction?wait_for_response=true", corrected(user)).await.ok();
    }
    let size = async || rules(&server).await.first().map(|rule| rule["cluster_size"].clone());
    until("two rows make a rule", async || size().await == Some(json!(2))).await;
    let before = rules(&server).await.remove(0);
    server.post("/api/publish_interaction?wait_for_response=true", corrected("joe")).await.ok();
    until("a third one joins", async || size().await == Some(json!(3))).await;
    let after = rules(&server).await.remove(0);
    assert_eq!(
        (&after["agent_playbook_id"], &after["content"]),
        (&before["agent_playbook_id"], &before["content"])
    );
    assert_eq!(after["source_window_count"], 3, "{after}");
}

async fn until(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while !is_so().await {
        assert!(std::time::Instant::now() < deadline, "{what} did not happen");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}
