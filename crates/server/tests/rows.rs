//! Learned rows: adding, finding, editing, deleting, and putting reruns into use.
#![expect(clippy::unwrap_used, reason = "a test fails where an answer is not as expected")]

use reflexio_test_support::TestServer;
use serde_json::{Value, json};

async fn ids(server: &TestServer, path: &str, body: Value, list: &str, id: &str) -> Vec<Value> {
    let answer = server.post(path, body).await.ok();
    answer[list].as_array().unwrap().iter().map(|row| row[id].clone()).collect()
}

async fn agent_playbooks(server: &TestServer, body: Value) -> Vec<Value> {
    ids(server, "/api/get_agent_playbooks", body, "agent_playbooks", "agent_playbook_id").await
}

async fn user_playbooks(server: &TestServer, body: Value) -> Vec<Value> {
    ids(server, "/api/get_user_playbooks", body, "user_playbooks", "user_playbook_id").await
}

async fn profiles(server: &TestServer, body: Value) -> Vec<Value> {
    ids(server, "/api/get_profiles", body, "user_profiles", "profile_id").await
}

#[tokio::test(flavor = "multi_thread")]
async fn pending_is_the_review_list_and_all_spellings_of_current_are_one() {
    let server = TestServer::start().await;
    let rule = |name: &str, status: &str| {
        json!({"agent_version": "v1", "playbook_name": name, "content": name,
        "playbook_status": status})
    };
    let rules = json!({"agent_playbooks": [rule("waits", "pending"), rule("decided", "approved")]});
    let added = server.post("/api/add_agent_playbook", rules).await.ok();
    assert_eq!(added["added_count"], 2);
    assert_eq!(agent_playbooks(&server, json!({"status_filter": ["pending"]})).await, [json!(1)]);
    for current in [json!([null]), json!(["None"]), json!(["current"]), Value::Null] {
        assert_eq!(agent_playbooks(&server, json!({"status_filter": current})).await.len(), 2, "{current}");
    }
    assert_eq!(agent_playbooks(&server, json!({"playbook_status_filter": "approved"})).await, [json!(2)]);
    let both = json!({"playbook_status_filter": ["approved", "pending"]});
    assert_eq!(agent_playbooks(&server, both).await.len(), 2);
    assert!(agent_playbooks(&server, json!({"status_filter": ["archived"]})).await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn production_search_serves_approved_rules_and_says_what_it_hides() {
    let server = TestServer::start().await;
    let rule =
        |status: &str| json!({"agent_version": "v1", "content": "offer a refund", "playbook_status": status});
    let rules = json!({"agent_playbooks": [rule("pending"), rule("approved"), rule("rejected")]});
    server.post("/api/add_agent_playbook", rules).await.ok();
    let found = server.post("/api/search_agent_playbooks", json!({"query": "refund"})).await.ok();
    assert_eq!(found["agent_playbooks"].as_array().unwrap().len(), 1);
    assert_eq!(found["agent_playbooks"][0]["playbook_status"], "approved");
    assert_eq!(found["hidden_unapproved"], 1);
    let unified = server.post("/api/search", json!({"query": "refund"})).await.ok();
    assert_eq!(unified["agent_playbooks"].as_array().unwrap().len(), 1);
    let asked = json!({"query": "refund", "agent_playbook_status_filter": ["pending"]});
    assert_eq!(
        server.post("/api/search", asked).await.ok()["agent_playbooks"][0]["playbook_status"],
        "pending"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_is_found_by_its_new_words_and_no_longer_by_the_old() {
    let server = TestServer::start().await;
    let rows = json!({"user_playbooks": [{"agent_version": "v1", "request_id": "r", "content": "mention giraffes"}]});
    server.post("/api/add_user_playbook", rows).await.ok();
    let rules = json!({"agent_playbooks": [{"agent_version": "v1", "content": "mention giraffes", "playbook_status": "approved"}]});
    server.post("/api/add_agent_playbook", rules).await.ok();
    for (kind, id) in [("user", "user_playbook_id"), ("agent", "agent_playbook_id")] {
        let edit = json!({id: 1, "content": "mention elephants"});
        server.put(&format!("/api/update_{kind}_playbook"), edit).await.ok();
        let search = |query: &'static str| {
            let server = &server;
            async move {
                let body = json!({"query": query});
                let found = server.post(&format!("/api/search_{kind}_playbooks"), body).await.ok();
                found[format!("{kind}_playbooks")].as_array().unwrap().len()
            }
        };
        assert_eq!((search("giraffe").await, search("elephant").await), (0, 1), "{kind}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_ids_answer_404_and_bulk_deletes_an_honest_count() {
    let server = TestServer::start().await;
    let rows = json!({"user_playbooks": [{"agent_version": "v1", "request_id": "r", "content": "x"}]});
    server.post("/api/add_user_playbook", rows).await.ok();
    let unknown = [
        ("/api/delete_interaction", json!({"user_id": "u", "interaction_id": 9})),
        ("/api/delete_request", json!({"request_id": "nope"})),
        ("/api/delete_session", json!({"session_id": "nope"})),
        ("/api/delete_profile", json!({"user_id": "u", "profile_id": "nope"})),
        ("/api/delete_user_playbook", json!({"user_playbook_id": 9})),
        ("/api/delete_agent_playbook", json!({"agent_playbook_id": 9})),
    ];
    for (path, body) in unknown {
        let answer = server.delete(path, body).await;
        assert_eq!(answer.status, 404, "{path}");
        assert!(answer.body["detail"].as_str().unwrap().contains("does not exist"), "{path}");
    }
    for (path, id) in [
        ("/api/update_user_playbook", "user_playbook_id"),
        ("/api/update_agent_playbook", "agent_playbook_id"),
    ] {
        assert_eq!(server.put(path, json!({id: 9, "content": "x"})).await.status, 404, "{path}");
    }
    let answer =
        server.delete("/api/delete_user_playbooks_by_ids", json!({"user_playbook_ids": [1, 8, 9]})).await;
    assert_eq!(answer.ok()["deleted_count"], 1);
    assert_eq!(server.get("/api/learning_status?request_id=nope").await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upgrade_touches_only_its_user() {
    let server = TestServer::start().await;
    let row = |id: &str, user: &str, status: &str| {
        json!({"profile_id": id, "user_id": user, "content": id,
        "status": status})
    };
    let rows = json!({"user_profiles": [
        row("a-new", "a", "pending"), row("a-old", "a", "current"), row("a-older", "a", "archived"),
        row("b-new", "b", "pending"), row("b-old", "b", "current"), row("b-older", "b", "archived")]});
    server.post("/api/add_user_profile", rows).await.ok();
    let upgraded = server.post("/api/upgrade_all_profiles", json!({"user_id": "a"})).await.ok();
    assert_eq!(
        (&upgraded["profiles_promoted"], &upgraded["profiles_archived"], &upgraded["profiles_deleted"]),
        (&json!(1), &json!(1), &json!(1))
    );
    assert_eq!(profiles(&server, json!({"user_id": "a"})).await, [json!("a-new")]);
    assert_eq!(
        profiles(&server, json!({"user_id": "a", "status_filter": ["archived"]})).await,
        [json!("a-old")]
    );
    assert_eq!(profiles(&server, json!({"user_id": "b"})).await, [json!("b-old")]);
    assert_eq!(
        profiles(&server, json!({"user_id": "b", "status_filter": ["archived"]})).await,
        [json!("b-older")]
    );
    let again = server.post("/api/upgrade_all_profiles", json!({"user_id": "a"})).await.ok();
    assert_eq!(again["success"], false);
    assert_eq!(again["message"], "No pending items found to upgrade");
}

#[tokio::test(flavor = "multi_thread")]
async fn playbook_upgrades_keep_to_version_and_name() {
    let server = TestServer::start().await;
    let row = |version: &str, name: &str, status: &str| {
        json!({"agent_version": version, "playbook_name": name,
        "request_id": "r", "content": "x", "status": status})
    };
    let rows = json!({"user_playbooks": [
        row("v1", "a", "pending"), row("v1", "a", "current"), row("v1", "b", "pending"), row("v2", "a", "pending")]});
    server.post("/api/add_user_playbook", rows).await.ok();
    let scope = json!({"agent_version": "v1", "playbook_name": "a"});
    let done = server.post("/api/upgrade_all_user_playbooks", scope).await.ok();
    assert_eq!((&done["user_playbooks_promoted"], &done["user_playbooks_archived"]), (&json!(1), &json!(1)));
    assert_eq!(user_playbooks(&server, json!({"status_filter": ["pending"]})).await.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_downgrade_restores_what_an_upgrade_replaced() {
    let server = TestServer::start().await;
    let row = |id: &str, user: &str, status: &str| {
        json!({"profile_id": id, "user_id": user, "content": id,
        "status": status})
    };
    let rows = json!({"user_profiles": [
        row("a-new", "a", "pending"), row("a-old", "a", "current"),
        row("b-old", "b", "current"), row("b-older", "b", "archived")]});
    server.post("/api/add_user_profile", rows).await.ok();
    let only_a = json!({"user_id": "a"});
    let none = server.post("/api/downgrade_all_profiles", only_a.clone()).await.ok();
    assert_eq!(
        (&none["success"], &none["message"]),
        (&json!(false), &json!("No archived items found to restore"))
    );
    server.post("/api/upgrade_all_profiles", only_a.clone()).await.ok();
    let mut done = server.post("/api/downgrade_all_profiles", only_a.clone()).await.ok();
    let run = done.as_object_mut().unwrap().remove("run_id").unwrap();
    assert!(run.as_str().unwrap().starts_with("downgrade-"), "{run}");
    assert_eq!(
        done,
        json!({"success": true, "profiles_demoted": 1, "profiles_restored": 1,
        "message": "Downgraded: 1 restored, 1 archived"})
    );
    assert_eq!(profiles(&server, only_a).await, [json!("a-old")]);
    assert_eq!(
        profiles(&server, json!({"user_id": "a", "status_filter": ["archived"]})).await,
        [json!("a-new")]
    );
    assert_eq!(profiles(&server, json!({"user_id": "b"})).await, [json!("b-old")]);
    let picked = server.post("/api/downgrade_all_profiles", json!({"profile_ids": ["a-new"]})).await;
    assert_eq!(picked.status, 422);
    assert_eq!(picked.body["detail"][0]["loc"], json!(["body", "profile_ids"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn playbook_downgrades_keep_to_version_and_name() {
    let server = TestServer::start().await;
    let row = |version: &str, name: &str, status: &str| {
        json!({"agent_version": version, "playbook_name": name,
        "request_id": "r", "content": "x", "status": status})
    };
    let rows = json!({"user_playbooks": [
        row("v1", "a", "archived"), row("v1", "a", "current"), row("v1", "b", "archived"), row("v2", "a", "archived")]});
    server.post("/api/add_user_playbook", rows).await.ok();
    let scope = json!({"agent_version": "v1", "playbook_name": "a"});
    let done = server.post("/api/downgrade_all_user_playbooks", scope).await.ok();
    assert_eq!((&done["user_playbooks_restored"], &done["user_playbooks_demoted"]), (&json!(1), &json!(1)));
    assert_eq!(user_playbooks(&server, json!({"status_filter": ["archived"]})).await.len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn deleting_by_query_needs_every_word() {
    let server = TestServer::start().await;
    let row =
        |id: &str, user: &str, content: &str| json!({"profile_id": id, "user_id": user, "content": content});
    let rows = json!({"user_profiles": [
        row("1", "u", "likes green tea"), row("2", "u", "likes coffee"), row("3", "other", "likes green tea")]});
    server.post("/api/add_user_profile", rows).await.ok();
    let answer =
        server.delete("/api/delete_profile", json!({"user_id": "u", "search_query": "green tea"})).await.ok();
    assert_eq!(answer["message"], "Deleted 1 profile(s)");
    assert_eq!(profiles(&server, json!({"user_id": "u"})).await, [json!("2")]);
    assert_eq!(profiles(&server, json!({"user_id": "other"})).await, [json!("3")]);
    let neither = server.delete("/api/delete_profile", json!({"user_id": "u"})).await.ok();
    assert_eq!(neither["success"], false);
}

#[tokio::test(flavor = "multi_thread")]
async fn expired_profiles_are_not_served() {
    let server = TestServer::start().await;
    let rows = json!({"user_profiles": [{"profile_id": "p", "user_id": "u", "content": "on a trip",
        "profile_time_to_live": "one_day"}]});
    server.post("/api/add_user_profile", rows).await.ok();
    assert_eq!(profiles(&server, json!({"user_id": "u"})).await.len(), 1);
    server.clock.set(1_794_744_000 + 90_000);
    assert!(profiles(&server, json!({"user_id": "u"})).await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn interaction_search_honours_time_and_top_k() {
    let server = TestServer::start().await;
    // Sessions of their own: turns of one conversation lend each other their words.
    for i in 0..20 {
        let turn = json!({"content": format!("refund number {i}"), "created_at": 1_000 + i});
        let body = json!({"user_id": "u", "session_id": format!("s{i}"), "interaction_data_list": [turn]});
        server.post("/api/publish_interaction", body).await.ok();
    }
    let search = |body: Value| {
        let server = &server;
        async move {
            let mut body = body;
            body["user_id"] = json!("u");
            let found = server.post("/api/search_interactions", body).await.ok();
            let times = found["interactions"]
                .as_array()
                .unwrap()
                .iter()
                .map(|row| row["created_at"].as_i64().unwrap());
            times.collect::<Vec<_>>()
        }
    };
    assert_eq!(search(json!({"query": "refund", "top_k": 3})).await, [1_019, 1_018, 1_017]);
    assert_eq!(search(json!({"query": "refund", "end_time": 1_001})).await, [1_001, 1_000]);
    assert_eq!(search(json!({"query": "refund", "start_time": 1_018})).await, [1_019, 1_018]);
    assert_eq!(search(json!({"most_recent_k": 2})).await, [1_018, 1_019]);
    assert_eq!(search(json!({"top_k": 1})).await, [1_019]);
    assert!(search(json!({"query": "?!"})).await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn clearing_a_user_leaves_others_and_agent_playbooks() {
    let server = TestServer::start().await;
    for user in ["u", "other"] {
        let body = json!({"user_id": user, "interaction_data_list": [{"content": "xylophone"}]});
        server.post("/api/publish_interaction", body).await.ok();
        let rows = json!({"user_profiles": [{"user_id": user, "content": "plays the xylophone"}]});
        server.post("/api/add_user_profile", rows).await.ok();
    }
    let rules = json!({"agent_playbooks": [{"agent_version": "v1", "content": "x"}]});
    server.post("/api/add_agent_playbook", rules).await.ok();
    let cleared = server.post("/api/clear_user_data", json!({"user_id": "u"})).await.ok();
    assert_eq!(cleared["deleted_counts"]["interactions"], 1);
    assert_eq!(cleared["deleted_counts"]["profiles"], 1);
    let stats = server.get("/api/storage_stats").await.ok();
    assert_eq!(
        (&stats["interaction_count"], &stats["profile_count"], &stats["agent_playbook_count"]),
        (&json!(1), &json!(1), &json!(1))
    );
    let again = server.post("/api/clear_user_data", json!({"user_id": "u"})).await.ok();
    assert_eq!(again["deleted_counts"].as_object().unwrap().values().filter(|n| **n != json!(0)).count(), 0);
}
