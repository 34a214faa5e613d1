//! What operations changed, and taking it back.
#![expect(clippy::unwrap_used, reason = "a test fails where an answer is not as expected")]

use std::time::{Duration, Instant};

use reflexio_llm::endpoint::{Reply, TestEndpoint};
use reflexio_test_support::TestServer;
use reflexio_types::Scope;
use reqwest::Method;
use serde_json::{Value, json};

const TRIGGERS: [&str; 4] = [
    "The user asks for a refund of a damaged parcel",
    "The user asks for a refund of a parcel that came damaged",
    "A user wants a refund of a damaged parcel",
    "The user wants the refund of a damaged parcel",
];

const STATUS: &str = "/api/get_operation_status?service_name=playbook_generation";

async fn refunds(server: &TestServer) {
    let row = |(at, trigger): (usize, &&str)| {
        let instruction = "Ask for a photo of the damaged parcel before the refund";
        json!({"user_id": format!("u{at}"), "request_id": "r", "agent_version": "v1",
               "playbook_name": "pain_points", "trigger": trigger, "instruction": instruction,
               "content": format!("When: {trigger}\nDo: {instruction}")})
    };
    let rows: Vec<Value> = TRIGGERS.iter().enumerate().map(row).collect();
    server.post("/api/add_user_playbook", json!({ "user_playbooks": rows })).await.ok();
}

async fn aggregate(server: &TestServer) -> Value {
    server.post("/api/run_playbook_aggregation", json!({"agent_version": "v1"})).await.ok()
}

async fn rules(server: &TestServer) -> Vec<Value> {
    let answer = server.post("/api/get_agent_playbooks", json!({})).await.ok();
    answer["agent_playbooks"].as_array().unwrap().clone()
}

async fn undo(server: &TestServer, run: &str) -> Value {
    server.post(&format!("/api/runs/{run}/undo"), json!({})).await.ok()
}

async fn run(server: &TestServer, id: &str) -> Value {
    server.get(&format!("/api/runs/{id}")).await.ok()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_aggregation_is_undone_redone_and_not_proposed_again() {
    let server = TestServer::start_learning(|_| {}).await;
    refunds(&server).await;
    let answer = aggregate(&server).await;
    let id = answer["run_ids"][0].as_str().unwrap();
    let proposed = rules(&server).await;
    let told = run(&server, id).await;
    assert_eq!((&told["run"]["kind"], &told["run"]["added"]), (&json!("aggregation"), &json!(1)), "{told}");
    assert_eq!(told["run"]["automatic"], false);
    assert_eq!(told["changes"][0]["after"]["body"]["content"], proposed[0]["content"], "{told}");

    let undone = undo(&server, id).await;
    assert_eq!((&undone["success"], &undone["rows"]), (&json!(true), &json!(1)), "{undone}");
    assert_eq!(rules(&server).await, Vec::<Value>::new());
    assert_eq!(run(&server, id).await["run"]["state"], "undone");
    let again = aggregate(&server).await;
    assert_eq!((&again["playbooks_generated"], &again["run_ids"]), (&json!(0), &json!([])), "{again}");

    undo(&server, undone["run"]["run_id"].as_str().unwrap()).await;
    assert_eq!(rules(&server).await, proposed, "the same rule under the same id");
    let listed = server.get("/api/runs?kind=undo&state=done").await.ok();
    assert_eq!(listed["runs"].as_array().unwrap().len(), 1, "{listed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_decision_of_a_person_refuses_the_undo_and_says_so() {
    let server = TestServer::start_learning(|_| {}).await;
    refunds(&server).await;
    let answer = aggregate(&server).await;
    let id = answer["run_ids"][0].as_str().unwrap();
    let rule = rules(&server).await.remove(0);
    let approve = json!({"agent_playbook_id": rule["agent_playbook_id"], "playbook_status": "approved"});
    server.put("/api/update_agent_playbook_status", approve).await.ok();
    let plan = server.post(&format!("/api/runs/{id}/undo?dry_run=true"), json!({})).await.ok();
    assert_eq!((&plan["success"], &plan["dry_run"]), (&json!(false), &json!(true)));
    let reason = plan["blocked"][0]["reason"].as_str().unwrap();
    assert!(reason.starts_with("approved"), "{plan}");
    let refused = server.post(&format!("/api/runs/{id}/undo"), json!({})).await;
    assert_eq!(refused.status, 409);
    assert!(refused.body.to_string().contains("approved"), "{}", refused.body);
    assert_eq!(rules(&server).await[0]["playbook_status"], "approved");
    let unknown = server.post("/api/runs/none/undo", json!({})).await;
    assert_eq!(unknown.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_undo_and_an_approval_at_the_same_time_never_both_win() {
    let server = TestServer::start_learning(|_| {}).await;
    refunds(&server).await;
    let mut id = aggregate(&server).await["run_ids"][0].as_str().unwrap().to_owned();
    for _ in 0..10 {
        let rule = rules(&server).await.remove(0);
        let of =
            |status: &str| json!({"agent_playbook_id": rule["agent_playbook_id"], "playbook_status": status});
        let path = format!("/api/runs/{id}/undo");
        let (undone, approved) = tokio::join!(
            server.post(&path, json!({})),
            server.put("/api/update_agent_playbook_status", of("approved")),
        );
        match (undone.status, approved.status) {
            (200, 404) => {
                assert_eq!(rules(&server).await, Vec::<Value>::new());
                let redo = undone.body["run"]["run_id"].as_str().unwrap().to_owned();
                undo(&server, &redo).await;
            }
            (409, 200) => {
                assert_eq!(rules(&server).await[0]["playbook_status"], "approved");
                server.put("/api/update_agent_playbook_status", of("pending")).await.ok();
            }
            other => panic!("{other:?}: {} {}", undone.body, approved.body),
        }
        id = standing(&server).await;
    }
}

/// The aggregation as it stands.
async fn standing(server: &TestServer) -> String {
    let listed = server.get("/api/runs?kind=aggregation&state=done").await.ok();
    listed["runs"][0]["run_id"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rerun_and_its_upgrade_are_runs_that_are_undone_in_turn() {
    let server = TestServer::start_learning(|_| {}).await;
    for user in ["ann", "bob"] {
        let publish = json!({"user_id": user, "interaction_data_list": [
            {"role": "User", "content": "Please summarise this report."},
            {"role": "Agent", "content": "Here is a long summary in prose ..."},
            {"role": "User", "content": "No, that's wrong. Always use bullet points when you summarise reports."}]});
        server.post("/api/publish_interaction", publish).await.ok();
    }
    let started = server.post("/api/rerun_playbook_generation", json!({})).await.ok();
    let rerun = started["run_id"].as_str().unwrap().to_owned();
    let deadline = Instant::now() + Duration::from_secs(60);
    while server.get(STATUS).await.ok()["operation_status"]["status"] != "completed" {
        assert!(Instant::now() < deadline, "the rerun does not end");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let told = run(&server, &rerun).await;
    let users: std::collections::BTreeSet<&str> =
        told["changes"].as_array().unwrap().iter().filter_map(|change| change["user_id"].as_str()).collect();
    assert_eq!(users.into_iter().collect::<Vec<_>>(), ["ann", "bob"], "one run over all users: {told}");
    let upgraded = server.post("/api/upgrade_all_user_playbooks", json!({})).await.ok();
    let refused = server.post(&format!("/api/runs/{rerun}/undo"), json!({})).await;
    let upgrade = upgraded["run_id"].as_str().unwrap();
    assert_eq!(refused.status, 409);
    assert!(refused.body.to_string().contains(upgrade), "it names the run to undo first: {}", refused.body);
    undo(&server, upgrade).await;
    undo(&server, &rerun).await;
    let stats = server.get("/api/storage_stats").await.ok();
    assert_eq!(stats["playbook_count"], 0, "{stats}");
    let nothing = server.post("/api/upgrade_all_user_playbooks", json!({})).await.ok();
    assert_eq!(nothing.get("run_id"), None, "nothing changed: {nothing}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_tells_what_its_models_cost() {
    let endpoint = TestEndpoint::start().await.unwrap();
    let rule = json!({"rule": {"trigger": TRIGGERS[0], "instruction": "Ask for a photo of the damage first, then refund."}});
    endpoint.respond(move |_| Reply::Json(rule.clone()));
    let settings = endpoint.settings();
    let server = TestServer::start_learning(move |options| {
        options.models = std::sync::Arc::new(move |_| settings.clone())
    })
    .await;
    refunds(&server).await;
    let id = aggregate(&server).await["run_ids"][0].as_str().unwrap().to_owned();
    server.get("/api/costs").await.ok();
    let told = run(&server, &id).await;
    assert!(told["run"]["cost_usd"].as_f64().unwrap() > 0.0, "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn undoing_what_is_in_production_needs_a_reviewer() {
    let mut stored = None;
    let keep = |options: &mut reflexio_app::Options| stored = Some(options.store.clone());
    let server = TestServer::start_with(keep, reflexio_server::Options::default()).await;
    let store = stored.unwrap();
    let rule = json!({"agent_playbooks": [{"agent_version": "v1", "content": "be kind",
        "playbook_status": "approved"}]});
    let write = server.create_key("default", &[Scope::Read, Scope::Write]).await.secret;
    let all = server.create_key("default", &Scope::ALL).await.secret;
    let alone = json!({"review_config": {"another_key": false}});
    server.send_as(Some(&all), Method::POST, "/api/update_config", Some(alone)).await.ok();
    server.send_as(Some(&all), Method::POST, "/api/add_agent_playbook", Some(rule)).await.ok();
    let org = reflexio_types::OrgId::default_org();
    let mut records = Vec::new();
    let mut keep = |record| {
        records.push(record);
        Ok(())
    };
    store.export(&org, &mut keep).await.unwrap();
    let delete = json!({"agent_playbook_id": 1});
    server.send_as(Some(&all), Method::DELETE, "/api/delete_agent_playbook", Some(delete)).await.ok();
    let imported = reflexio_app::import_run("a file".to_owned());
    store.import(&org, records, &imported, server.app.now()).await.unwrap();
    let path = format!("/api/runs/{}/undo", imported.id);
    assert_eq!(server.send_as(Some(&write), Method::POST, &path, None).await.status, 403);
    assert_eq!(server.send_as(Some(&all), Method::POST, &path, None).await.status, 200);
}
