//! From a published conversation to rows that every filter finds, with and without a model.
#![expect(clippy::unwrap_used, reason = "a test fails where an answer is not as expected")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use reflexio_llm::endpoint::{Reply, TestEndpoint};
use reflexio_test_support::TestServer;
use serde_json::{Value, json};

fn correction(user: &str) -> Value {
    json!({
        "user_id": user,
        "session_id": "s1",
        "request_id": format!("r-{user}"),
        "source": "support_chat",
        "agent_version": "v2.1.0",
        "interaction_data_list": [
            {"role": "User", "content": "Please summarise this report."},
            {"role": "Agent", "content": "Here is a long summary in prose ..."},
            {"role": "User", "content": "No, that's wrong. Always use bullet points when you summarise reports. I work as a nurse in Berlin."}
        ]
    })
}

async fn publish_and_wait(server: &TestServer, body: Value) -> Value {
    server.post("/api/publish_interaction?wait_for_response=true", body).await.ok()
}

async fn profiles(server: &TestServer, filter: Value) -> Vec<Value> {
    server.post("/api/get_profiles", filter).await.ok()["user_profiles"].as_array().unwrap().clone()
}

async fn playbooks(server: &TestServer, filter: Value) -> Vec<Value> {
    server.post("/api/get_user_playbooks", filter).await.ok()["user_playbooks"].as_array().unwrap().clone()
}

/// Polls until it is so.
async fn until<F: Future<Output = bool>>(what: &str, mut check: impl FnMut() -> F) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !check().await {
        assert!(Instant::now() < deadline, "{what} did not happen");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn with_model(replies: Vec<Reply>) -> (TestServer, Arc<TestEndpoint>) {
    let endpoint = Arc::new(TestEndpoint::scripted(replies).await.unwrap());
    let settings = endpoint.settings();
    let models =
        move |options: &mut reflexio_app::Options| options.models = Arc::new(move |_| settings.clone());
    (TestServer::start_learning(models).await, endpoint)
}

fn answer() -> Value {
    json!({
        "profiles": [{"content": "Works as a nurse in Berlin.", "time_to_live": "one_year", "evidence": ["T3"]}],
        "playbooks": [{
            "playbook_name": "playbook", "trigger": "The user asks for a summary of a report",
            "instruction": "Use bullet points", "pitfall": "A long text was rejected",
            "rationale": "The user corrected the agent", "evidence": ["T1", "T3"],
        }],
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_learned_is_found_by_every_filter() {
    let server = TestServer::start_learning(|_| {}).await;
    let published = publish_and_wait(&server, correction("ann")).await;
    assert_eq!(
        (&published["learning_status"], &published["learning_reason"]),
        (&json!("done"), &json!("covered"))
    );
    let (facts, rules) =
        (published["profiles_added"].as_u64().unwrap(), published["playbooks_added"].as_u64().unwrap());
    assert!(facts >= 1 && rules >= 1, "{published}");
    let rows = playbooks(&server, json!({})).await;
    assert_eq!(rows.len() as u64, rules);
    let row = &rows[0];
    assert_eq!(
        (&row["request_id"], &row["agent_version"], &row["source"], &row["playbook_name"]),
        (&json!("r-ann"), &json!("v2.1.0"), &json!("support_chat"), &json!("playbook"))
    );
    assert_eq!(row["learned_by"], "builtin");
    assert!(row["content"].as_str().unwrap().to_lowercase().contains("bullet points"), "{row}");
    for (filter, found) in [
        (json!({"playbook_name": "playbook"}), true),
        (json!({"playbook_name": "other"}), false),
        (json!({"status_filter": [null]}), true),
        (json!({"status_filter": ["pending"]}), false),
        (json!({"status_filter": ["archived"]}), false),
        (json!({"agent_version": "v2.1.0"}), true),
        (json!({"agent_version": "v1"}), false),
        (json!({"user_id": "ann"}), true),
        (json!({"user_id": "bob"}), false),
    ] {
        assert_eq!(!playbooks(&server, filter.clone()).await.is_empty(), found, "{filter}");
    }
    let facts = profiles(&server, json!({"user_id": "ann"})).await;
    assert!(facts.iter().any(|row| row["content"].as_str().unwrap().contains("nurse")), "{facts:?}");
    let status = server.get("/api/learning_status?request_id=r-ann").await.ok();
    assert_eq!(status, json!({"status": "done", "reason": "covered"}));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_no_definition_asks_for_is_not_learned_and_the_job_says_so() {
    let server = TestServer::start_learning(|_| {}).await;
    let refunds = json!({"playbook_name": "refund_policy",
                         "playbook_definition_prompt": "What the agent gets wrong about refunds and returns."});
    server.post("/api/update_config", json!({"playbook_configs": [refunds]})).await.ok();
    publish_and_wait(&server, correction("ann")).await;
    assert!(playbooks(&server, json!({})).await.is_empty());
    let jobs = server.get("/api/jobs?kind=learn").await.ok();
    let message = jobs["jobs"][0]["progress"]["message"].as_str().unwrap().to_owned();
    assert!(message.contains("no definition asks for it: 1"), "{message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_short_conversation_waits_for_its_window_and_a_full_one_does_not() {
    let server = TestServer::start_learning(|_| {}).await;
    server.post("/api/publish_interaction", correction("ann")).await.ok();
    let status = || async { server.get("/api/learning_status?request_id=r-ann").await.ok() };
    until("the look at the window", || async { status().await["reason"] == "waiting_for_window" }).await;
    assert!(playbooks(&server, json!({})).await.is_empty());
    let mut more = correction("ann");
    more["request_id"] = json!("r-2");
    let turns: Vec<Value> =
        (0..8).map(|n| json!({"role": "User", "content": format!("Thing number {n} is blue.")})).collect();
    more["interaction_data_list"] = json!(turns);
    server.post("/api/publish_interaction", more).await.ok();
    until("learning", || async { !playbooks(&server, json!({})).await.is_empty() }).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_who_stays_silent_is_learned_from_all_the_same() {
    let server = TestServer::start_learning(|_| {}).await;
    server.post("/api/publish_interaction", correction("ann")).await.ok();
    let status = || async { server.get("/api/learning_status?request_id=r-ann").await.ok() };
    until("the look at the window", || async { status().await["reason"] == "waiting_for_window" }).await;
    server.clock.set(server.app.now().0 + 21_601);
    until("learning", || async { !playbooks(&server, json!({})).await.is_empty() }).await;
    until("the end", || async { status().await["reason"] == "covered" }).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_finished_session_is_learned_from_at_once() {
    let server = TestServer::start_learning(|_| {}).await;
    let mut body = correction("ann");
    body["session_finished"] = json!(true);
    server.post("/api/publish_interaction", body).await.ok();
    until("learning", || async { !playbooks(&server, json!({})).await.is_empty() }).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_is_asked_once_and_its_rows_are_stored() {
    let (server, endpoint) = with_model(vec![Reply::Json(answer())]).await;
    let published = publish_and_wait(&server, correction("ann")).await;
    assert_eq!((&published["profiles_added"], &published["playbooks_added"]), (&json!(1), &json!(1)));
    assert_eq!(endpoint.count(), 1);
    let characters = endpoint.requests()[0].body.to_string().chars().count();
    assert!(characters <= 9_000, "{characters} characters");
    let row = playbooks(&server, json!({})).await.remove(0);
    assert_eq!(row["trigger"], "The user asks for a summary of a report");
    assert_eq!(
        row["content"],
        "When: The user asks for a summary of a report\nDo: Use bullet points\nAvoid: A long text was rejected"
    );
    assert_eq!(row["learned_by"], "test/scripted (extraction@v2)");
    let ids: Vec<i64> =
        row["source_interaction_ids"].as_array().unwrap().iter().map(|id| id.as_i64().unwrap()).collect();
    assert_eq!(ids, [1, 3]);
    // The same once more is not said twice.
    endpoint.script([Reply::Json(json!({"profiles": [
        {"content": "works as a nurse in berlin", "time_to_live": "one_year", "evidence": ["T6"]}], "playbooks": []}))]);
    let mut again = correction("ann");
    again["request_id"] = json!("again");
    let published = publish_and_wait(&server, again).await;
    assert_eq!((&published["profiles_added"], &published["playbooks_added"]), (&json!(0), &json!(0)));
    assert_eq!(profiles(&server, json!({"user_id": "ann"})).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_key_pauses_learning_and_a_changed_configuration_resumes_it() {
    let (server, endpoint) = with_model(vec![Reply::Unauthorized]).await;
    let published = publish_and_wait(&server, correction("ann")).await;
    assert_eq!((&published["success"], &published["learning_reason"]), (&json!(true), &json!("stalled")));
    let stall = server.get("/stall_state").await.ok();
    assert_eq!((&stall["stalled"], &stall["reason"]), (&json!(true), &json!("auth_error")));
    let job = server.get("/api/jobs/1").await.ok()["job"].clone();
    assert_eq!((&job["state"], &job["attempts"]), (&json!("queued"), &json!(0)));
    // Publishing goes on, and nobody asks the model.
    let second = server.post("/api/publish_interaction", correction("bob")).await.ok();
    assert_eq!((&second["success"], &second["learning_reason"]), (&json!(true), &json!("stalled")));
    assert_eq!(endpoint.count(), 1);
    endpoint.respond(|_| Reply::Json(answer()));
    let config = server.get("/api/get_config").await.ok();
    server.post("/api/set_config", config).await.ok();
    until("the backlog to be learned", || async {
        playbooks(&server, json!({"user_id": "ann"})).await.len() == 1
    })
    .await;
    // Rows are there a moment before the stall is lifted.
    until("the end of the stall", || async { server.get("/stall_state").await.ok()["stalled"] == false })
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_override_tries_although_learning_is_paused() {
    let (server, endpoint) = with_model(vec![Reply::QuotaExhausted]).await;
    publish_and_wait(&server, correction("ann")).await;
    assert_eq!(server.get("/stall_state").await.ok()["reason"], "billing_error");
    endpoint.respond(|_| Reply::Json(answer()));
    let mut body = correction("bob");
    body["override_learning_stall"] = json!(true);
    server.post("/api/publish_interaction", body).await.ok();
    until("the backlog", || async { playbooks(&server, json!({"user_id": "ann"})).await.len() == 1 }).await;
    // Rows are there a moment before the stall is lifted.
    until("the end of the stall", || async { server.get("/stall_state").await.ok()["stalled"] == false })
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rerun_writes_pending_rows_and_leaves_current_ones_alone() {
    let server = TestServer::start_learning(|_| {}).await;
    for user in ["ann", "bob"] {
        publish_and_wait(&server, correction(user)).await;
    }
    let before = playbooks(&server, json!({"status_filter": [null]})).await;
    let started =
        server.post("/api/rerun_playbook_generation", json!({"agent_version": "v2.1.0"})).await.ok();
    assert_eq!(started["success"], true, "{started}");
    let status = || async {
        server.get("/api/get_operation_status?service_name=playbook_generation").await.ok()["operation_status"].clone()
    };
    until("the rerun", || async { status().await["status"] == "completed" }).await;
    let done = status().await;
    assert_eq!((&done["processed_users"], &done["total_users"]), (&json!(2), &json!(2)));
    assert_eq!(done["request_params"]["operation_id"], started["operation_id"]);
    let pending = playbooks(&server, json!({"status_filter": ["pending"]})).await;
    assert_eq!(pending.len(), before.len());
    assert_eq!(playbooks(&server, json!({"status_filter": [null]})).await, before);
    // Again: pending rows are replaced, not piled up.
    server.post("/api/rerun_playbook_generation", json!({})).await.ok();
    until("the second rerun", || async {
        status().await["status"] == "completed" && status().await["request_params"]["agent_version"].is_null()
    })
    .await;
    assert_eq!(playbooks(&server, json!({"status_filter": ["pending"]})).await.len(), before.len());
    let none = server.post("/api/rerun_profile_generation", json!({"user_id": "nobody"})).await.ok();
    assert_eq!(none["success"], true);
    let failed = server.get("/api/get_operation_status").await.ok()["operation_status"].clone();
    assert_eq!(
        (&failed["status"], &failed["error_message"]),
        (&json!("failed"), &json!("No interactions found matching the specified filters"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_manual_run_needs_leave_and_writes_current_rows() {
    let server = TestServer::start_learning(|_| {}).await;
    server.post("/api/publish_interaction", correction("ann")).await.ok();
    let refused = server.post("/api/manual_playbook_generation", json!({})).await.ok();
    assert_eq!(refused["success"], false);
    assert!(refused["msg"].as_str().unwrap().contains("allow_manual_trigger"), "{refused}");
    let mut config = server.get("/api/get_config").await.ok();
    config["playbook_configs"][0]["allow_manual_trigger"] = json!(true);
    config["profile_extractor_config"]["allow_manual_trigger"] = json!(true);
    server.post("/api/set_config", config).await.ok();
    let body = json!({"agent_version": "v2.1.0", "playbook_name": "ignored"});
    assert_eq!(server.post("/api/manual_playbook_generation", body).await.ok()["success"], true);
    until("playbooks", || async { !playbooks(&server, json!({"status_filter": [null]})).await.is_empty() })
        .await;
    assert!(profiles(&server, json!({"user_id": "ann"})).await.is_empty(), "only playbooks were asked for");
    let body = json!({"user_id": "ann", "extractor_names": ["ignored"]});
    server.post("/api/manual_profile_generation", body).await.ok();
    until("profiles", || async { !profiles(&server, json!({"user_id": "ann"})).await.is_empty() }).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rerun_is_cancelled() {
    let (server, endpoint) = with_model(vec![Reply::Json(answer())]).await;
    publish_and_wait(&server, correction("ann")).await;
    endpoint.respond(|_| Reply::Hang);
    server.post("/api/rerun_profile_generation", json!({})).await.ok();
    let again = server.post("/api/rerun_profile_generation", json!({})).await.ok();
    assert_eq!(
        (&again["success"], &again["msg"]),
        (&json!(false), &json!("Another generation attempt is already in progress"))
    );
    let cancelled = server.post("/api/cancel_operation", json!({})).await.ok();
    assert_eq!(cancelled["cancelled_services"], json!(["profile_generation"]));
    until("the end", || async {
        server.get("/api/get_operation_status").await.ok()["operation_status"]["status"] == "cancelled"
    })
    .await;
    assert_eq!(profiles(&server, json!({"user_id": "ann", "status_filter": ["pending"]})).await.len(), 0);
}
