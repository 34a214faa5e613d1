//! What models cost: told by everything one can ask for, and never more than the budget.
#![expect(clippy::unwrap_used, reason = "a test fails where an answer is not as expected")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use reflexio_app::Options;
use reflexio_llm::Price;
use reflexio_llm::endpoint::{Reply, TestEndpoint};
use reflexio_test_support::TestServer;
use reflexio_types::Scope;
use reqwest::Method;
use serde_json::{Value, json};

/// Only output has a price: before a call, 4096 tokens of it are reserved.
const RESERVED_USD: f64 = 0.4096;
const TOMORROW: i64 = 1_794_787_200;

async fn with_model(replies: Vec<Reply>, change: impl FnOnce(&mut Options)) -> (TestServer, TestEndpoint) {
    let endpoint = TestEndpoint::scripted(replies).await.unwrap();
    endpoint.respond(|_| Reply::Json(answer()));
    let mut settings = endpoint.settings();
    settings.prices.set("test/scripted", Price::new(0.0, 100.0, 0.0));
    // A call that hangs is under way until the end of its test.
    settings.http.silence = Duration::from_secs(600);
    settings.http.total = Duration::from_secs(600);
    settings.retry.deadline = Duration::from_secs(600);
    let server = TestServer::start_learning(|options| {
        options.models = Arc::new(move |_| settings.clone());
        change(options);
    });
    (server.await, endpoint)
}

fn answer() -> Value {
    json!({"profiles": [], "playbooks": [{
        "playbook_name": "playbook", "trigger": "The user asks for a summary of a report",
        "instruction": "Use bullet points", "pitfall": "A long text was rejected",
        "rationale": "The user corrected the agent", "evidence": ["T1"],
    }]})
}

fn conversation(user: &str, turns: usize) -> Value {
    let turns: Vec<Value> =
        (0..turns).map(|n| json!({"role": "User", "content": format!("{user} says thing {n}.")})).collect();
    json!({"user_id": user, "session_id": format!("s-{user}"), "interaction_data_list": turns})
}

async fn publish_and_wait(server: &TestServer, body: Value) -> Value {
    server.post("/api/publish_interaction?wait_for_response=true", body).await.ok()
}

async fn configure(server: &TestServer, part: Value) {
    server.post("/api/update_config", part).await.ok();
}

async fn costs(server: &TestServer, query: &str) -> Value {
    server.get(&format!("/api/costs?{query}")).await.ok()
}

async fn playbooks(server: &TestServer) -> usize {
    let rows = server.post("/api/get_user_playbooks", json!({})).await.ok();
    rows["user_playbooks"].as_array().unwrap().len()
}

/// Polls until it is so.
async fn until(what: &str, check: impl AsyncFn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while !check().await {
        assert!(Instant::now() < deadline, "{what} did not happen");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_is_told_by_role_model_user_config_run_and_day() {
    let (server, endpoint) = with_model(vec![Reply::ServerError], |_| {}).await;
    publish_and_wait(&server, conversation("ann", 3)).await;
    assert_eq!(endpoint.count(), 2, "the first attempt failed");
    let all = costs(&server, "").await;
    assert_eq!((&all["totals"]["calls"], &all["totals"]["failed"]), (&json!(2), &json!(1)));
    assert_eq!((&all["groups"], &all["rest"]), (&json!([]), &Value::Null));
    let cost = all["totals"]["cost_micros"].as_u64().unwrap();
    assert!(cost > 0 && cost % 100 == 0, "{all}");
    for (by, key) in [
        ("role", "extraction"),
        ("model", "test/scripted"),
        ("user", "ann"),
        ("config", "profile, playbook:playbook"),
        ("run", "job-1"),
        ("day", "2026-11-15"),
    ] {
        let told = costs(&server, &format!("by={by}")).await;
        assert_eq!(told["by"], by);
        assert_eq!(told["groups"].as_array().unwrap().len(), 1, "{told}");
        let group = &told["groups"][0];
        assert_eq!((&group["key"], &group["calls"]), (&json!(key), &json!(2)), "{told}");
        assert_eq!((group["cost_micros"].as_u64(), &told["rest"]), (Some(cost), &Value::Null));
    }
    for (query, calls) in [
        ("user_id=ann", 2),
        ("user_id=bob", 0),
        ("role=judge", 0),
        ("run=job-1", 2),
        ("from=2026-11-15&to=2026-11-15", 2),
        ("to=2026-11-14", 0),
    ] {
        assert_eq!(costs(&server, query).await["totals"]["calls"], calls, "{query}");
    }
    let today = &all["today"];
    assert_eq!((&today["day"], &today["resets_at"]), (&json!("2026-11-15"), &json!("2026-11-16T00:00:00Z")));
    assert_eq!(today["spent_usd"], all["totals"]["cost_usd"]);
    assert_eq!((&today["per_day_usd"], &today["reserved_usd"]), (&Value::Null, &json!(0.0)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_question_about_costs_names_the_field() {
    let server = TestServer::start().await;
    for (query, field) in
        [("from=yesterday", "from"), ("to=2026-13-01", "to"), ("by=colour", "by"), ("limit=0", "limit")]
    {
        let refused = server.get(&format!("/api/costs?{query}")).await;
        assert_eq!(refused.status, 422, "{query}");
        assert!(refused.body["detail"][0]["loc"].to_string().contains(field), "{}", refused.body);
    }
    let refused = server.post("/api/update_config", json!({"budget_config": {"per_day_usd": -1}})).await;
    assert_eq!(refused.status, 422, "{}", refused.body);
    assert!(refused.body.to_string().contains("per_day_usd"), "{}", refused.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_budget_that_ends_in_the_middle_of_a_run_keeps_what_was_learned_and_the_rest_waits_for_the_day() {
    let (server, endpoint) = with_model(Vec::new(), |_| {}).await;
    let budget =
        json!({"window_size": 3, "stride_size": 3, "budget_config": {"daily_usd": RESERVED_USD + 0.001}});
    configure(&server, budget).await;
    let published = publish_and_wait(&server, conversation("ann", 6)).await;
    assert_eq!((&published["success"], &published["learning_reason"]), (&json!(true), &json!("stalled")));
    assert_eq!((endpoint.count(), playbooks(&server).await), (1, 1), "the first window is learned");
    let stall = server.get("/stall_state").await.ok();
    assert_eq!((&stall["stalled"], &stall["reason"]), (&json!(true), &json!("billing_error")));
    assert_eq!(stall["reset_estimate"], "2026-11-16T00:00:00Z");
    assert!(stall["error_message"].as_str().unwrap().contains("per day"), "{stall}");
    let job = server.get("/api/jobs/1").await.ok()["job"].clone();
    assert_eq!((&job["state"], &job["attempts"]), (&json!("queued"), &json!(0)), "no attempt was burnt");
    assert!(job["history"].to_string().contains("budget is spent"), "{job}");
    let today = costs(&server, "").await["today"].clone();
    assert_eq!(today["per_day_usd"], RESERVED_USD + 0.001);
    assert!(today["left_usd"].as_f64().unwrap() < RESERVED_USD, "{today}");

    // Publishing goes on. Somebody who insists is told the same, and no model is asked.
    let mut more = conversation("bob", 1);
    more["override_learning_stall"] = json!(true);
    assert_eq!(server.post("/api/publish_interaction", more.clone()).await.ok()["success"], true);
    until("another refusal", async || {
        server.get("/api/jobs/1").await.ok()["job"]["history"].as_array().unwrap().len() >= 2
    })
    .await;
    assert_eq!(endpoint.count(), 1);

    server.clock.set(TOMORROW);
    server.post("/api/publish_interaction", more).await.ok();
    until("the second window", async || endpoint.count() == 2).await;
    until("the end of the pause", async || server.get("/stall_state").await.ok()["stalled"] == false).await;
    let days = costs(&server, "by=day").await;
    let keys: Vec<&Value> = days["groups"].as_array().unwrap().iter().map(|group| &group["key"]).collect();
    assert_eq!(keys, [&json!("2026-11-16"), &json!("2026-11-15")]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_larger_budget_is_used_at_once() {
    let (server, endpoint) = with_model(Vec::new(), |_| {}).await;
    configure(&server, json!({"budget_config": {"per_day_usd": 0}})).await;
    let published = publish_and_wait(&server, conversation("ann", 3)).await;
    assert_eq!((&published["learning_reason"], endpoint.count()), (&json!("stalled"), 0));
    configure(&server, json!({"budget_config": {"per_day_usd": 5}})).await;
    until("learning", async || playbooks(&server).await == 1).await;
    assert_eq!(costs(&server, "").await["today"]["per_day_usd"], 5.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_calls_under_way_cannot_pass_the_limit_together() {
    let (server, endpoint) = with_model(vec![Reply::Hang], |_| {}).await;
    let budget = json!({"budget_config": {"per_day_usd": RESERVED_USD * 1.5}});
    configure(&server, budget).await;
    let mut first = conversation("ann", 3);
    first["force_extraction"] = json!(true);
    server.post("/api/publish_interaction", first).await.ok();
    until("the first call", async || endpoint.count() == 1).await;
    assert_eq!(costs(&server, "").await["today"]["reserved_usd"], RESERVED_USD);
    let published = publish_and_wait(&server, conversation("bob", 3)).await;
    assert_eq!(published["learning_reason"], "stalled", "{published}");
    assert!(endpoint.requests().iter().all(|seen| !seen.prompt().contains("bob says")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_spent_its_own_budget_ends_and_says_so() {
    let (server, endpoint) = with_model(Vec::new(), |_| {}).await;
    let budget =
        json!({"window_size": 3, "stride_size": 3, "budget_config": {"per_run_usd": RESERVED_USD + 0.001}});
    configure(&server, budget).await;
    let published = publish_and_wait(&server, conversation("ann", 6)).await;
    assert_eq!(published["learning_reason"], "failed", "{published}");
    assert_eq!((endpoint.count(), playbooks(&server).await), (1, 1));
    let job = server.get("/api/jobs/1").await.ok()["job"].clone();
    assert_eq!(job["state"], "dead");
    assert!(job["last_error"].as_str().unwrap().contains("per run"), "{job}");
    assert_eq!(server.get("/stall_state").await.ok()["stalled"], false);
    // Tried again, it is the same run: only a larger budget helps, and it goes on where it ended.
    let state = async || server.get("/api/jobs/1").await.ok()["job"]["state"].clone();
    server.post("/api/jobs/1/retry", json!({})).await.ok();
    until("the same end", async || state().await == "dead").await;
    assert_eq!(endpoint.count(), 1);
    configure(&server, json!({"budget_config": {"per_run_usd": 2.0 * RESERVED_USD}})).await;
    server.post("/api/jobs/1/retry", json!({})).await.ok();
    until("the end", async || state().await == "done").await;
    assert_eq!(endpoint.count(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn orgs_have_their_own_books_and_share_the_servers_budget() {
    let (mut server, endpoint) = with_model(Vec::new(), |options| {
        options.costs.budgets.per_day = Some(410_600);
    })
    .await;
    let a = server.create_key("a", &Scope::ALL).await.secret;
    let b = server.create_key("b", &Scope::ALL).await.secret;
    server.use_key(&a);
    let published = publish_and_wait(&server, conversation("ann", 3)).await;
    assert_eq!(published["learning_status"], "done", "{published}");
    assert_eq!(costs(&server, "by=user").await["groups"][0]["key"], "ann");
    let of_b = server.send_as(Some(&b), Method::GET, "/api/costs?by=user", None).await.ok();
    assert_eq!((&of_b["totals"]["calls"], &of_b["groups"]), (&json!(0), &json!([])), "{of_b}");
    assert_eq!(of_b["today"]["spent_usd"], 0.0);
    server.use_key(&b);
    let published = publish_and_wait(&server, conversation("bob", 3)).await;
    assert_eq!((&published["learning_reason"], endpoint.count()), (&json!("stalled"), 1));
    let stall = server.get("/stall_state").await.ok();
    assert!(stall["error_message"].as_str().unwrap().contains("by the whole server"), "{stall}");
    assert!(!stall["error_message"].as_str().unwrap().contains("ann"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_erased_user_is_gone_from_the_books_and_its_cost_stays() {
    let (server, _endpoint) = with_model(Vec::new(), |_| {}).await;
    publish_and_wait(&server, conversation("ann", 3)).await;
    let before = costs(&server, "").await["totals"].clone();
    let cleared = server.post("/api/clear_user_data", json!({"user_id": "ann"})).await.ok();
    assert_eq!(cleared["deleted_counts"]["model_calls"], 1, "{cleared}");
    let after = costs(&server, "by=user").await;
    assert_eq!((&after["totals"], &after["groups"]), (&before, &json!([])));
    assert_eq!(after["rest"], before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_breaks_no_call_and_the_budget_still_counts_it() {
    let folder = tempfile::TempDir::new().unwrap();
    let small = reflexio_store_sqlite::Options { most_pages: Some(400), ..Default::default() };
    let store = reflexio_store_sqlite::SqliteStore::open(&folder.path().join("small.db"), &small).unwrap();
    let (server, endpoint) = with_model(Vec::new(), |options| options.store = Arc::new(store)).await;
    endpoint.respond(|_| Reply::Json(json!({"query": "green tea preference"})));
    // Smaller and smaller, until nothing fits.
    for size in (0..12).map(|power| 200_000 >> power) {
        let body = json!({"user_id": "u", "evaluation_only": true,
            "interaction_data_list": [{"content": "t".repeat(size)}]});
        while server.post("/api/publish_interaction", body.clone()).await.status == 200 {}
    }
    // Some calls fit into pages that are there; then the books are full, too.
    let vague = json!({"query": "and the other one?", "user_id": "u", "enable_reformulation": true,
        "conversation_history": [{"role": "User", "content": "Which tea do I like?"}]});
    for _ in 0..200 {
        let found = server.post("/api/search", vague.clone()).await.ok();
        assert_eq!(found["reformulated_query"], "green tea preference");
    }
    let costs = costs(&server, "").await;
    let (written, made) = (costs["totals"]["calls"].as_u64().unwrap(), endpoint.count() as u64);
    assert!(made == 200 && written < made, "{written} of {made}");
    let each = costs["totals"]["cost_micros"].as_u64().unwrap() / written;
    assert_eq!((costs["today"]["spent_usd"].as_f64().unwrap() * 1e6).round() as u64, each * made);
}
