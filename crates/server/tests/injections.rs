//! Which rules agents got for their prompts, and what they did.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

use reflexio_test_support::TestServer;
use reqwest::Method;
use serde_json::{Value, json};

async fn rule(server: &TestServer, content: &str) -> i64 {
    let rule = json!({"agent_version": "v1", "content": content, "playbook_status": "approved"});
    let added = server.post("/api/add_agent_playbook", json!({"agent_playbooks": [rule]})).await.ok();
    added["ids"][0].as_i64().unwrap()
}

async fn lines(server: &TestServer, query: &str) -> Vec<Value> {
    let answer = server.get(&format!("/api/injections{query}")).await.ok();
    answer["injections"].as_array().unwrap().clone()
}

async fn publish(server: &TestServer, user: &str, session: &str) {
    let turns = json!([{"role": "User", "content": "hi"}, {"role": "Agent", "content": "hello"}]);
    let body = json!({"user_id": user, "session_id": session, "agent_version": "v1", "interaction_data_list": turns});
    server.post("/api/publish_interaction", body).await.ok();
}

async fn ended(server: &TestServer, session: &str, outcome: &str) {
    let body = json!({"session_id": session, "outcome": outcome, "occurred_at": server.app.now().0});
    assert_eq!(server.post("/api/session_outcome", body).await.ok()["recorded"], true);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_retrieval_for_a_session_is_recorded_without_any_text() {
    let server = TestServer::start().await;
    let id = rule(&server, "Ask for the order number first").await;
    let taught = json!({"user_playbooks": [{"user_id": "u", "agent_version": "v1", "request_id": "r",
        "content": "Greet by first name when the order is late"}]});
    server.post("/api/add_user_playbook", taught).await.ok();
    let profile = json!({"user_profiles": [{"user_id": "u", "content": "Waits for an order"}]});
    server.post("/api/add_user_profile", profile).await.ok();
    let block = server.get("/api/context?user_id=u&agent_version=v1&session_id=s1&query=order").await.ok();
    let ask = json!({"query": "order", "session_id": "s2", "user_id": "u", "request_id": "r2"});
    for route in ["search", "search_agent_playbooks", "search_user_playbooks"] {
        server.post(&format!("/api/{route}"), ask.clone()).await.ok();
    }
    let found = lines(&server, "").await;
    let routes: Vec<&str> = found.iter().map(|line| line["route"].as_str().unwrap()).collect();
    assert_eq!(routes, ["search_user_playbooks", "search_agent_playbooks", "search", "context"]);
    let context = &found[3];
    assert_eq!((&context["session_id"], &context["agent_version"]), (&json!("s1"), &json!("v1")));
    assert_eq!(context["block_version"], block["version"]);
    let kinds: Vec<&str> =
        context["rules"].as_array().unwrap().iter().map(|rule| rule["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["user_playbook", "agent_playbook"], "profiles are no rules");
    assert_eq!(found[2]["rules"], context["rules"], "the same rules in the same words");
    assert_eq!((&found[2]["request_id"], &found[2]["user_id"]), (&json!("r2"), &json!("u")));
    assert!(!json!(found).to_string().contains("order"), "{found:?}");
    assert_eq!(lines(&server, "?session_id=s1").await.len(), 1);
    assert_eq!(lines(&server, &format!("?agent_playbook_id={id}")).await.len(), 3);
    assert_eq!(lines(&server, "?limit=2").await.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_without_a_session_and_one_that_finds_nothing_leave_no_record() {
    let server = TestServer::start().await;
    rule(&server, "Ask for the order number first").await;
    server.post("/api/search", json!({"query": "order"})).await.ok();
    server.post("/api/search_agent_playbooks", json!({"query": "order"})).await.ok();
    server.post("/api/search", json!({"query": "zebra", "session_id": "s"})).await.ok();
    assert_eq!(lines(&server, "").await, Vec::<Value>::new());
    // A block is always for a prompt; one that the agent has already, too.
    let tag = server.get("/api/context").await.ok()["version"].as_str().unwrap().to_owned();
    let again = server.request(Method::GET, "/api/context?session_id=s");
    assert_eq!(again.header("if-none-match", format!("\"{tag}\"")).send().await.unwrap().status(), 304);
    let found = lines(&server, "").await;
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|line| line["block_version"] == tag.as_str()));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_can_say_itself_which_rules_it_used() {
    let server = TestServer::start().await;
    let id = rule(&server, "Ask for the order number first").await;
    let named = |kind: &str, id: i64| json!({"kind": kind, "learning_id": id.to_string()});
    let rules = json!([
        named("agent_playbook", id),
        named("agent_playbook", id),
        named("agent_playbook", 99),
        named("profile", 1)
    ]);
    let body = json!({"session_id": "s", "user_id": "u", "rules": rules, "block_version": "b"});
    let answer = server.post("/api/injections", body).await.ok();
    assert_eq!((&answer["recorded"], &answer["unknown"]), (&json!(1), &json!([named("agent_playbook", 99)])));
    let found = lines(&server, "").await;
    assert_eq!(
        (&found[0]["injection_id"], &found[0]["route"]),
        (&answer["injection_id"], &json!("reported"))
    );
    let refused = async |body: Value, status: u16, says: &str| {
        let answer = server.post("/api/injections", body).await;
        assert_eq!(answer.status, status, "{}", answer.body);
        assert!(answer.body.to_string().contains(says), "{}", answer.body);
    };
    refused(json!({"session_id": "s", "rules": [named("agent_playbook", 99)]}), 404, "agent playbook `99`")
        .await;
    refused(json!({"session_id": "s", "rules": []}), 422, "rules").await;
    refused(json!({"session_id": " ", "rules": rules}), 422, "session_id").await;
    refused(json!({"rules": rules}), 422, "session_id").await;
    refused(json!({"session_id": "s", "rules": [{"kind": "wish", "learning_id": "1"}]}), 422, "kind").await;
    assert_eq!(server.get("/api/injections?session_id=%00").await.status, 422);
    assert_eq!(lines(&server, "").await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rule_is_compared_with_sessions_that_got_other_rules() {
    let server = TestServer::start().await;
    let (id, other) =
        (rule(&server, "Ask for the order number first").await, rule(&server, "Be brief").await);
    for n in 0..40 {
        let (session, with) = (format!("s{n}"), n < 20);
        let used =
            json!([{"kind": "agent_playbook", "learning_id": (if with { id } else { other }).to_string()}]);
        server
            .post("/api/injections", json!({"session_id": session, "user_id": "u", "rules": used}))
            .await
            .ok();
        publish(&server, "u", &session).await;
        let success = if with { n < 18 } else { n < 26 };
        ended(&server, &session, if success { "success" } else { "failure" }).await;
    }
    publish(&server, "u", "no rules at all").await;
    ended(&server, "no rules at all", "success").await;
    let path = format!("/api/agent_playbooks/{id}/impact");
    let impact = server.get(&path).await.ok();
    assert_eq!((&impact["with"]["count"], &impact["with"]["total"]), (&json!(18), &json!(20)));
    assert_eq!((&impact["without"]["count"], &impact["without"]["total"]), (&json!(6), &json!(20)));
    assert_eq!(
        (&impact["effect"], &impact["retrievals"], &impact["sessions"]),
        (&json!("helps"), &json!(20), &json!(20))
    );
    assert_eq!((&impact["told_sessions"], &impact["judged_sessions"]), (&json!(40), &json!(0)));
    assert_eq!(impact["summary"], "helps: +60 points (+30 to +77)");
    assert!(impact["caveat"].as_str().unwrap().contains("observation"));
    let all = server.get(&format!("{path}?compared_with=all")).await.ok();
    assert_eq!((&all["without"]["count"], &all["without"]["total"]), (&json!(7), &json!(21)));
    let unused = rule(&server, "Nobody asked for this one").await;
    let unused = server.get(&format!("/api/agent_playbooks/{unused}/impact")).await.ok();
    assert_eq!((&unused["summary"], &unused["effect"]), (&json!("no agent got it yet"), &json!("too_few")));
    for missing in ["99", "x"] {
        assert_eq!(server.get(&format!("/api/agent_playbooks/{missing}/impact")).await.status, 404);
    }
    assert_eq!(server.get(&format!("{path}?compared_with=some")).await.status, 422);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edited_rule_counts_apart_and_judgements_count_where_nobody_told() {
    let server = TestServer::start().await;
    let id = rule(&server, "Ask for the order number").await;
    for (n, session) in ["s1", "s2", "s3"].into_iter().enumerate() {
        if n == 1 {
            server.clock.set(server.app.now().0 + 60);
            let edit =
                json!({"agent_playbook_id": id, "content": "Ask for the order number and the mail address"});
            server.put("/api/update_agent_playbook", edit).await.ok();
        }
        server.get(&format!("/api/context?session_id={session}&user_id=u&agent_version=v1")).await.ok();
        publish(&server, "u", session).await;
    }
    ended(&server, "s1", "success").await;
    let grade = json!({"session_id": "s2", "agent_version": "v1"});
    server.post("/api/evaluations/grade_on_demand", grade).await.ok();
    let impact = server.get(&format!("/api/agent_playbooks/{id}/impact")).await.ok();
    assert_eq!((&impact["told_sessions"], &impact["judged_sessions"]), (&json!(1), &json!(1)));
    let wordings = impact["wordings"].as_array().unwrap();
    let seen: Vec<_> = wordings
        .iter()
        .map(|wording| {
            (&wording["revision"], &wording["retrievals"], &wording["with"]["total"], &wording["is_current"])
        })
        .collect();
    let (one, two, yes, no) = (json!(1), json!(2), json!(true), json!(false));
    assert_eq!(seen, [(&one, &one, &one, &no), (&two, &two, &one, &yes)]);
    assert!(impact["summary"].as_str().unwrap().starts_with("too few sessions to tell: 2 with, 0 without"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_erased_user_leaves_no_record() {
    let server = TestServer::start().await;
    rule(&server, "Ask for the order number").await;
    publish(&server, "u", "s1").await;
    server.get("/api/context?session_id=s1&user_id=u").await.ok();
    server.get("/api/context?session_id=s1").await.ok();
    let cleared = server.post("/api/clear_user_data", json!({"user_id": "u"})).await.ok();
    assert_eq!(cleared["deleted_counts"]["injections"], 2, "{cleared}");
    assert_eq!(lines(&server, "").await, Vec::<Value>::new());
}
