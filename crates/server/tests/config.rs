//! The configuration over HTTP: both spellings, clear refusals, and secrets that stay secret.

use reflexio_server::Options;
use reflexio_test_support::TestServer;
use serde_json::{Value, json};

const KEY: &str = "sk-supersecret-0123456789";

async fn get(server: &TestServer) -> Value {
    server.get("/api/get_config").await.ok()
}

#[tokio::test(flavor = "multi_thread")]
async fn playbooks_of_a_round_trip_are_kept_under_both_names() {
    let server = TestServer::start().await;
    let mut config = get(&server).await;
    config["playbook_configs"] = json!([
        {"playbook_name": "response_quality", "playbook_definition_prompt": "good?",
         "metadata_definition_prompt": "quality_score: 1-5",
         "playbook_aggregator_config": {"min_cluster_size": 5, "reaggregation_trigger_count": 10}},
        {"playbook_name": "task_completion", "playbook_definition_prompt": "done?"}]);
    server.post("/api/set_config", config).await.ok();
    let read = get(&server).await;
    assert_eq!(read["playbook_configs"][0]["playbook_aggregator_config"]["min_cluster_size"], 5);
    assert_eq!(read["playbook_configs"][1]["playbook_name"], "task_completion");
    assert_eq!(read["user_playbook_extractor_config"]["extractor_name"], "response_quality");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_configuration_is_refused_whole() {
    let server = TestServer::start().await;
    let before = get(&server).await;
    let full =
        server.post("/api/set_config", json!({"storage_config": {"db_path": null}, "window_size": 0})).await;
    assert_eq!((full.status, &full.body["detail"][0]["loc"]), (422, &json!(["window_size"])));
    assert_eq!(full.body["detail"][0]["type"], "greater_than");
    let missing = server.post("/api/set_config", json!({})).await;
    assert_eq!((missing.status, &missing.body["detail"][0]["type"]), (422, &json!("missing")));
    let partial = server.post("/api/update_config", json!({"window_size": 2, "stride_size": 5})).await;
    assert_eq!(partial.status, 422);
    assert_eq!(partial.body["detail"]["validation_errors"][0]["loc"], json!(["stride_size"]));
    let unknown = server.post("/api/update_config", json!({"nope": 1})).await;
    assert_eq!(unknown.body["detail"]["validation_errors"][0]["type"], "extra_forbidden");
    let wrong_type = server.post("/api/update_config", json!({"window_size": "many"})).await;
    assert_eq!(wrong_type.body["detail"]["validation_errors"][0]["type"], "int_type");
    assert_eq!(get(&server).await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn provider_keys_are_redacted_and_survive_a_round_trip() {
    let server = TestServer::start().await;
    let keys = json!({"api_key_config": {"openai": {"api_key": KEY}}});
    server.post("/api/update_config", keys).await.ok();
    let shown = get(&server).await;
    assert_eq!(shown["api_key_config"]["openai"]["api_key"], "****6789");
    assert!(!shown.to_string().contains("supersecret"));
    server.post("/api/set_config", shown).await.ok();
    assert_eq!(get(&server).await["api_key_config"]["openai"]["api_key"], "****6789");
    let invented = json!({"api_key_config": {"xai": {"api_key": "****0000"}}});
    let refused = server.post("/api/update_config", invented).await;
    assert_eq!(refused.status, 422);
}

#[tokio::test(flavor = "multi_thread")]
async fn with_a_master_key_no_secret_lies_readable_on_disk() {
    let sealed = TestServer::start_with(
        |app| app.master_key = Some(TestServer::master_key("a long master key")),
        Options::default(),
    )
    .await;
    let plain = TestServer::start().await;
    for (server, readable) in [(&plain, true), (&sealed, false)] {
        let keys = json!({"api_key_config": {"anthropic": {"api_key": KEY}}});
        server.post("/api/update_config", keys).await.ok();
        assert_eq!(get(server).await["api_key_config"]["anthropic"]["api_key"], "****6789");
        let mut bytes = std::fs::read(server.database()).unwrap();
        bytes.extend(std::fs::read(server.database().with_extension("db-wal")).unwrap_or_default());
        let found = bytes.windows(KEY.len()).any(|window| window == KEY.as_bytes());
        assert_eq!(found, readable);
    }
}
