//! Searching by meaning, with the real model behind a real server. Without the model file these tests say so and
//! check nothing; `make model` fetches it.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

use std::sync::Arc;

use reflexio_llm::endpoint::{Reply, TestEndpoint};
use reflexio_test_support::TestServer;
use serde_json::{Value, json};

async fn say(server: &TestServer, user: &str, turns: &[&str]) {
    let turns: Vec<Value> = turns.iter().map(|text| json!({"role": "User", "content": text})).collect();
    let body = json!({"user_id": user, "session_id": "s", "interaction_data_list": turns});
    server.post("/api/publish_interaction", body).await.ok();
}

async fn find(server: &TestServer, body: Value) -> Value {
    server.post("/api/search_interactions", body).await.ok()
}

fn contents(found: &Value) -> Vec<&str> {
    found["interactions"].as_array().unwrap().iter().map(|row| row["content"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_in_other_words_finds_the_turn() {
    let Some(server) = TestServer::start_with_model().await else { return };
    say(&server, "u", &["My dog is sick", "The invoice was paid in March", "I moved to a new flat"]).await;
    server.embedded().await;
    let found =
        find(&server, json!({"user_id": "u", "query": "the pet feels unwell", "explain": true})).await;
    assert_eq!(contents(&found)[0], "My dog is sick");
    assert_eq!(found["degraded"], Value::Null);
    let row = &found["interactions"][0];
    let parts = row["score_parts"].as_object().unwrap();
    let sum: f64 = parts.values().map(|part| part.as_f64().unwrap()).sum();
    assert!((sum - row["score"].as_f64().unwrap()).abs() < 1e-9, "{row}");
    assert!(parts["meaning"].as_f64().unwrap() > 0.0);
    let words = json!({"user_id": "u", "query": "the pet feels unwell", "search_mode": "fts"});
    assert!(contents(&find(&server, words).await).is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_unrelated_is_not_shown_and_a_threshold_narrows_further() {
    let Some(server) = TestServer::start_with_model().await else { return };
    say(&server, "u", &["My dog is sick", "The invoice was paid in March"]).await;
    server.embedded().await;
    let unrelated = json!({"user_id": "u", "query": "quantum chromodynamics lattice"});
    assert!(contents(&find(&server, unrelated).await).is_empty());
    let strict = json!({"user_id": "u", "query": "the pet feels unwell", "threshold": 0.95});
    assert!(contents(&find(&server, strict).await).is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn operators_hold_however_near_a_turn_is() {
    let Some(server) = TestServer::start_with_model().await else { return };
    say(&server, "u", &["refund for the blue shirt", "refund for the red shirt", "money back for clothes"])
        .await;
    server.embedded().await;
    let found = find(&server, json!({"user_id": "u", "query": "refund NOT red"})).await;
    assert_eq!(contents(&found), ["refund for the blue shirt"]);
    let found = find(&server, json!({"user_id": "u", "query": "\"red shirt\""})).await;
    assert_eq!(contents(&found), ["refund for the red shirt"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_speaker_can_be_combined_with_words() {
    let server = TestServer::start().await;
    let turns = json!([{"role": "Caroline", "content": "I painted a sunrise"}, {"role": "Mel", "content": "I painted too"}]);
    let body = json!({"user_id": "u", "interaction_data_list": turns});
    server.post("/api/publish_interaction", body).await.ok();
    let found = find(&server, json!({"user_id": "u", "query": "Caroline AND painted"})).await;
    assert_eq!(contents(&found), ["I painted a sunrise"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edited_playbook_is_found_by_its_new_meaning_only() {
    let Some(server) = TestServer::start_with_model().await else { return };
    let rule = json!({"agent_playbooks": [{"agent_version": "v1", "content": "Offer a voucher when a parcel is late",
        "playbook_status": "approved"}]});
    server.post("/api/add_agent_playbook", rule).await.ok();
    server.embedded().await;
    let search = |query: &'static str| {
        let server = &server;
        async move {
            let found = server.post("/api/search_agent_playbooks", json!({"query": query})).await.ok();
            found["agent_playbooks"].as_array().unwrap().len()
        }
    };
    assert_eq!(search("delayed delivery compensation").await, 1);
    let edit = json!({"agent_playbook_id": 1, "content": "Greet children by their first name"});
    server.put("/api/update_agent_playbook", edit).await.ok();
    assert_eq!(search("delayed delivery compensation").await, 0, "at once, not when it is embedded again");
    server.embedded().await;
    assert_eq!(search("delayed delivery compensation").await, 0);
    assert_eq!(search("how to address kids").await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_gets_each_row_once_unless_it_asks_again() {
    let server = TestServer::start().await;
    let rows = json!({"user_profiles": [{"user_id": "u", "content": "likes green tea"}]});
    server.post("/api/add_user_profile", rows).await.ok();
    let search = |extra: Value| {
        let server = &server;
        async move {
            let mut body = json!({"query": "tea", "user_id": "u", "session_id": "s1"});
            body.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
            server.post("/api/search", body).await.ok()["profiles"].as_array().unwrap().len()
        }
    };
    assert_eq!(search(json!({})).await, 1);
    assert_eq!(search(json!({})).await, 0);
    assert_eq!(search(json!({"skip_served": false})).await, 1);
    assert_eq!(search(json!({"session_id": "s2"})).await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_opts_out_is_answered_without_personal_rows() {
    let server = TestServer::start().await;
    let rows = json!({"user_profiles": [{"user_id": "u", "content": "likes green tea"}]});
    server.post("/api/add_user_profile", rows).await.ok();
    let rule = json!({"agent_playbooks": [{"agent_version": "v1", "content": "Offer tea", "playbook_status": "approved"}]});
    server.post("/api/add_agent_playbook", rule).await.ok();
    let body = json!({"query": "which tea? don't use my profile", "user_id": "u"});
    let found = server.post("/api/search", body).await.ok();
    assert_eq!(found["profiles"], json!([]));
    assert_eq!(found["agent_playbooks"].as_array().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_query_is_an_error_or_fails_the_server() {
    let Some(server) = TestServer::start_with_model().await else { return };
    say(&server, "u", &["plain words", "東京タワー 🙂", "مرحبا"]).await;
    server.embedded().await;
    let huge = "word ".repeat(200_000);
    for query in [
        "",
        " ",
        "the of and",
        "🙂🙃",
        "東京",
        "مرحبا بالعالم",
        "\0",
        "a\u{200f}b",
        "AND OR NOT",
        "\"",
        &huge,
    ] {
        for mode in ["hybrid", "vector", "fts"] {
            let body = json!({"user_id": "u", "query": query, "search_mode": mode});
            let answer = server.post("/api/search_interactions", body).await;
            assert_eq!(answer.status, 200, "{mode} {:?}: {}", query.get(..20), answer.body);
        }
    }
    assert_eq!(contents(&find(&server, json!({"user_id": "u", "query": "東京"})).await)[0], "東京タワー 🙂");
}

async fn with_model(reply: Reply) -> (TestServer, TestEndpoint) {
    let endpoint = TestEndpoint::scripted([reply]).await.unwrap();
    let settings = endpoint.settings();
    let models = |options: &mut reflexio_app::Options| options.models = Arc::new(move |_| settings.clone());
    let server = TestServer::start_with(models, reflexio_server::Options::default()).await;
    let rows = json!({"user_profiles": [{"user_id": "u", "content": "likes green tea"}]});
    server.post("/api/add_user_profile", rows).await.ok();
    (server, endpoint)
}

const VAGUE: &str = "and the other one?";

fn vague() -> Value {
    json!({"query": VAGUE, "user_id": "u", "enable_reformulation": true,
        "conversation_history": [{"role": "User", "content": "Which tea do I like?"}]})
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_words_a_question_so_that_it_stands_alone() {
    let (server, endpoint) = with_model(Reply::Json(json!({"query": "green tea preference"}))).await;
    let found = server.post("/api/search", vague()).await.ok();
    assert_eq!(found["reformulated_query"], "green tea preference");
    assert_eq!(found["profiles"][0]["content"], "likes green tea");
    assert_eq!(endpoint.count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_model_or_with_one_that_fails_the_question_is_asked_as_it_is() {
    for reply in [Reply::Hang, Reply::Unauthorized, Reply::Text("no JSON at all".to_owned())] {
        let (server, _endpoint) = with_model(reply).await;
        let found = server.post("/api/search", vague()).await.ok();
        assert_eq!(found["reformulated_query"], Value::Null);
    }
    let server = TestServer::start().await;
    assert_eq!(server.post("/api/search", vague()).await.ok()["reformulated_query"], Value::Null);
}
