//! Markdown playbooks over HTTP: durable runs, events, time travel, and the join with what is learned.
#![expect(clippy::unwrap_used, reason = "a test fails where an answer is not as expected")]

use std::time::{Duration, Instant};

use reflexio_app::{Options as AppOptions, PlaybookFile, PlaybookProgram};
use reflexio_llm::endpoint::{Reply, Seen, TestEndpoint};
use reflexio_test_support::{McpServer, TestServer};
use serde_json::{Value, json};

const DESK: &str = "# Order desk\nHelps with orders.\n\n## Status\nSays when an order comes.\n\n### Triggers\n- At the beginning\n\n### Steps\n- Tell the user \"Welcome.\"\n- Ask user for $order_id\n- $order = Shop.Find($order_id)\n- Tell the user \"It comes on {$order.date}.\"\n- Return $order_id\n\n### Notes\n- Be brief.\n\n# Shop:MCP\nremote:\n  type: mcp\n  url: http://localhost:9\n  transport: streamable-http\n";
const CLOCK: &str = "# Watch\n\n## Main\n\n### Triggers\n- At the beginning\n\n### Steps\n- Tell the user \"one\"\n- Wait 10 minutes\n- Get approval from the boss\n- Tell the user \"two\"\n";

fn programs(options: &mut AppOptions) {
    for (name, text) in [("desk", DESK), ("clock", CLOCK)] {
        let file = PlaybookFile { name: format!("{name}.md"), text: text.to_owned() };
        options.playbooks.programs.push(PlaybookProgram {
            name: name.to_owned(),
            files: vec![file],
            imports: Vec::new(),
        });
    }
    let tool = "Shop.Find(id) => echo '{\"date\": \"2026-01-09\"}'".parse().unwrap();
    options.playbooks.tools.commands = reflexio_app::CommandTools::new(vec![tool]);
}

fn with_model(endpoint: &TestEndpoint) -> impl Fn(&mut AppOptions) + use<> {
    let settings = endpoint.settings();
    move |options| {
        programs(options);
        let settings = settings.clone();
        options.models = std::sync::Arc::new(move |_| settings.clone());
    }
}

/// A model that asks for the order and understands the answer. Others who ask it, to learn, get nothing useful.
async fn desk_model() -> TestEndpoint {
    let endpoint = TestEndpoint::start().await.unwrap();
    endpoint.respond(answer);
    endpoint
}

fn is_for_playbook(seen: &Seen) -> bool {
    seen.prompt().contains("You carry out steps of a written playbook")
}

fn answer(seen: &Seen) -> Reply {
    let prompt = seen.prompt();
    Reply::Json(if !is_for_playbook(seen) {
        json!({})
    } else if prompt.contains("m3 user:") {
        json!({ "steps": [{ "id": "02", "status": "done", "set": { "order_id": "A-17" }, "evidence": "m3" }] })
    } else {
        json!({ "steps": [{ "id": "02", "status": "waiting", "say": [{ "text": "Which order?" }] }] })
    })
}

async fn start(server: &TestServer, body: Value) -> String {
    let answer = server.post("/api/playbook_runs", body).await.ok();
    format!("/api/playbook_runs/{}", answer["run"]["run_id"].as_str().unwrap())
}

/// Looks at a run until it stands as wanted.
async fn until(server: &TestServer, run: &str, status: &str) -> Value {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let state = server.get(run).await.ok();
        if state["run"]["status"] == status {
            return state;
        }
        assert!(Instant::now() < deadline, "{run} is not {status}: {state}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn said(state: &Value) -> Vec<&str> {
    state["conversation"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["text"].as_str().unwrap())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_runs_is_published_and_can_be_looked_back_at() {
    let endpoint = desk_model().await;
    let server = TestServer::start_learning(with_model(&endpoint)).await;
    let listed = server.get("/api/playbooks").await.ok();
    assert_eq!(listed["playbooks"][0]["playbooks"], json!(["OrderDesk.Status"]), "{listed}");
    let run = start(&server, json!({ "playbook": "desk", "user_id": "ann", "recall": false })).await;
    let waiting = until(&server, &run, "waiting").await;
    assert_eq!(said(&waiting), ["Welcome.", "Which order?"]);
    assert_eq!((&waiting["waits_for_user"], &waiting["run"]["reason"]), (&json!(true), &json!("the user")));
    server.post(&format!("{run}/messages"), json!({ "text": "A-17" })).await.ok();
    let done = until(&server, &run, "done").await;
    assert_eq!(said(&done), ["Welcome.", "Which order?", "A-17", "It comes on 2026-01-09."]);
    assert_eq!((&done["result"], &done["variables"]["order_id"]), (&json!("A-17"), &json!("A-17")));
    assert_eq!(done["model_calls"], 2);

    let journal = server.get(&format!("{run}/journal?limit=1000")).await.ok();
    let entries = journal["entries"].as_array().unwrap();
    assert_eq!(entries.len() as u64, done["run"]["entries"].as_u64().unwrap());
    let set = entries.iter().find(|entry| entry["entry"]["variable"] == "order_id").unwrap();
    let position = set["position"].as_u64().unwrap();
    let then = server.get(&format!("{run}?at={position}")).await.ok();
    assert_eq!(then["variables"]["order_id"], "A-17");
    let before = server.get(&format!("{run}?at={}", position - 1)).await.ok();
    assert_eq!(before["variables"].get("order_id"), None, "{before}");
    assert_eq!(server.get(&format!("{run}?at=9999")).await.status, 422);

    let turns = server.post("/api/get_interactions", json!({ "user_id": "ann" })).await.ok();
    let turns = turns["interactions"].as_array().unwrap();
    assert_eq!(turns.len(), 4, "every turn once: {turns:?}");
    let last = turns.iter().find(|turn| turn["content"] == "It comes on 2026-01-09.").unwrap();
    assert_eq!(last["tools_used"][0]["tool_data"], json!({ "playbook": "OrderDesk.Status", "step": "04" }));
    let over = server.post(&format!("{run}/messages"), json!({ "text": "more" })).await;
    assert_eq!(over.status, 409, "{}", over.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_server_goes_on_at_the_same_step_and_says_nothing_twice() {
    let endpoint = desk_model().await;
    let server = TestServer::start_learning(with_model(&endpoint)).await;
    let run = start(&server, json!({ "playbook": "desk", "user_id": "ann", "recall": false })).await;
    until(&server, &run, "waiting").await;
    // The answer to the next question never comes while this server lives.
    endpoint.respond(|seen| if is_for_playbook(seen) { Reply::Hang } else { Reply::Json(json!({})) });
    let asked = || endpoint.requests().iter().filter(|seen| is_for_playbook(seen)).count();
    server.post(&format!("{run}/messages"), json!({ "text": "A-17" })).await.ok();
    let deadline = Instant::now() + Duration::from_secs(10);
    while asked() < 2 {
        assert!(Instant::now() < deadline, "the model was not asked");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    endpoint.respond(answer);
    let server = server.crash_and_restart(with_model(&endpoint)).await;
    server.app.take_over_jobs().await.unwrap();
    let done = until(&server, &run, "done").await;
    assert_eq!(said(&done), ["Welcome.", "Which order?", "A-17", "It comes on 2026-01-09."]);
    let turns = server.post("/api/get_interactions", json!({ "user_id": "ann" })).await.ok();
    assert_eq!(turns["interactions"].as_array().unwrap().len(), 4, "{turns}");
}

#[tokio::test(flavor = "multi_thread")]
async fn timers_and_approvals_are_durable() {
    let server = TestServer::start_learning(programs).await;
    let run = start(&server, json!({ "playbook": "clock", "user_id": "ann" })).await;
    let waiting = until(&server, &run, "waiting").await;
    assert_eq!((said(&waiting), &waiting["run"]["reason"]), (vec!["one"], &json!("a time")));
    let server = server.crash_and_restart(programs).await;
    server.clock.set(server.app.now().0 + 601);
    let deadline = Instant::now() + Duration::from_secs(20);
    let asked = loop {
        let state = server.get(&run).await.ok();
        if state["waits_for_approval"] == true && state["run"]["status"] == "waiting" {
            break state;
        }
        assert!(Instant::now() < deadline, "{state}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    assert!(asked["run"]["reason"].as_str().unwrap().contains("the boss"), "{asked}");
    server.post(&format!("{run}/approval"), json!({ "approved": true, "by": "eve" })).await.ok();
    let done = until(&server, &run, "done").await;
    assert_eq!(said(&done), ["one", "two"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn events_come_as_they_happen_and_from_where_a_client_left() {
    let server = TestServer::start_learning(programs).await;
    let run = start(&server, json!({ "playbook": "clock", "user_id": "ann", "publish": false })).await;
    until(&server, &run, "waiting").await;
    server.post(&format!("{run}/cancel"), json!({})).await.ok();
    let text = events(&server, &run, None).await;
    assert!(text.contains("id: 1\nevent: input\n") || text.contains("event: input\nid: 1\n"), "{text}");
    assert!(text.contains("\"text\":\"one\""), "{text}");
    assert!(text.trim_end().ends_with("data: {\"status\":\"cancelled\"}"), "{text}");
    let count = text.matches("id: ").count();
    let later = events(&server, &run, Some("3")).await;
    assert_eq!(later.matches("id: ").count(), count - 3, "{later}");
    assert_eq!(server.get("/api/playbook_runs/none/events").await.status, 404);
}

async fn events(server: &TestServer, run: &str, last: Option<&str>) -> String {
    let client = reqwest::Client::new();
    let mut request = client.get(format!("{}{run}/events", server.url));
    if let Some(last) = last {
        request = request.header("Last-Event-ID", last);
    }
    let answer = request.send().await.unwrap();
    assert_eq!(answer.headers()["content-type"], "text/event-stream");
    answer.text().await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn approved_rules_and_profiles_are_shown_as_data_and_their_use_is_logged() {
    let endpoint = TestEndpoint::start().await.unwrap();
    endpoint.respond(|seen| {
        let step = json!({ "id": "02", "status": "waiting", "say": [{ "text": "Which order, please?" }] });
        let answer = json!({ "applied": ["L1", "N1"], "steps": [step] });
        Reply::Json(if is_for_playbook(seen) { answer } else { json!({}) })
    });
    let server = TestServer::start_learning(with_model(&endpoint)).await;
    let rule = |content: &str, status: &str| {
        json!({ "agent_playbooks": [{ "agent_version": "v1", "content": content, "trigger": "When an order is asked for",
            "playbook_status": status }] })
    };
    server
        .post("/api/add_agent_playbook", rule("say please {secret()} with the order", "approved"))
        .await
        .ok();
    server.post("/api/add_agent_playbook", rule("order them around", "pending")).await.ok();
    let profile = json!({ "user_profiles": [{ "profile_id": "p1", "user_id": "ann", "content": "has many an order" }] });
    server.post("/api/add_user_profile", profile).await.ok();
    let run = start(&server, json!({ "playbook": "desk", "user_id": "ann" })).await;
    until(&server, &run, "waiting").await;
    let prompt = endpoint.requests().iter().find(|seen| is_for_playbook(seen)).unwrap().prompt();
    assert!(
        prompt.contains("L1: \"When an order is asked for: say please {secret()} with the order\""),
        "{prompt}"
    );
    assert!(prompt.contains("L2: \"has many an order\""), "{prompt}");
    assert!(!prompt.contains("order them around"), "only approved rules reach a run");
    let notes = prompt.find("N1: Be brief.").unwrap();
    assert!(notes < prompt.find("L1:").unwrap(), "written notes stand above learned ones");
    let journal = server.get(&format!("{run}/journal?limit=1000")).await.ok().to_string();
    assert!(journal.contains("{\"label\":\"L1\",\"rule\":\"agent_playbook:1\"}"), "{journal}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_answers_for_the_optimiser_with_recorded_results() {
    let endpoint = desk_model().await;
    let server = TestServer::start_learning(with_model(&endpoint)).await;
    let run = start(&server, json!({ "playbook": "desk", "user_id": "ann", "recall": false })).await;
    until(&server, &run, "waiting").await;
    server.post(&format!("{run}/messages"), json!({ "text": "A-17" })).await.ok();
    until(&server, &run, "done").await;

    let conversation = json!({
        "messages": [{ "role": "user", "content": "A-17" }],
        "playbooks": [{ "id": 7, "content": "Say please.", "trigger": "Always" }],
    });
    let answer = server.post("/api/playbooks/desk/assistant", conversation.clone()).await.ok();
    assert_eq!(answer, json!({ "content": "It comes on 2026-01-09." }));
    let tried = |seen: &Seen| seen.prompt().contains("\"Always: Say please.\"");
    assert!(endpoint.requests().iter().any(tried), "the rule is shown");
    let empty = server.post("/api/playbooks/desk/assistant", json!({ "messages": [] })).await;
    assert_eq!(empty.status, 422, "{}", empty.body);
    assert_eq!(server.post("/api/playbooks/none/assistant", conversation).await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_run_is_refused_and_what_needs_a_model_says_so() {
    let server = TestServer::start_learning(programs).await;
    for (body, status, words) in [
        (json!({ "playbook": "none" }), 404, "none"),
        (json!({ "playbook": "desk", "start": "Nothing" }), 422, "there is no playbook `Nothing`"),
        (json!({ "user_id": "ann" }), 422, "playbook"),
    ] {
        let answer = server.post("/api/playbook_runs", body).await;
        assert_eq!(answer.status, status, "{}", answer.body);
        assert!(answer.body.to_string().contains(words), "{}", answer.body);
    }
    let run = start(&server, json!({ "playbook": "desk", "user_id": "ann" })).await;
    let state = until(&server, &run, "needs_model").await;
    assert_eq!(said(&state), ["Welcome."]);
    let cancelled = server.post(&format!("{run}/cancel"), json!({})).await.ok();
    assert_eq!(cancelled["run"]["status"], "cancelled");
    let found = server.get("/api/playbook_runs?status=cancelled&user_id=ann").await.ok();
    assert_eq!(found["runs"].as_array().unwrap().len(), 1);
    server.post("/api/clear_user_data", json!({ "user_id": "ann" })).await;
    assert_eq!(server.get(&run).await.status, 404, "runs go with their user");
}

/// The desk with a server that really answers, which then waits for one more message.
fn with_shop(endpoint: &TestEndpoint, shop: &McpServer) -> impl Fn(&mut AppOptions) + use<> {
    let text = DESK
        .replace("http://localhost:9", &shop.url)
        .replace("Shop.Find($order_id)", "Shop.FindOrder($order_id, \"north\")\n- Wait for user")
        .replace("It comes on {$order.date}.", "It costs {$order.price}.");
    let with_model = with_model(endpoint);
    move |options| {
        with_model(options);
        options.playbooks.tools.commands = reflexio_app::CommandTools::default();
        options.playbooks.programs[0].files[0].text.clone_from(&text);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_calls_the_server_of_an_agent_once_and_a_replay_never() {
    let (endpoint, shop) = (desk_model().await, McpServer::start().await);
    let server = TestServer::start_learning(with_shop(&endpoint, &shop)).await;
    let run = start(&server, json!({ "playbook": "desk", "user_id": "ann", "recall": false })).await;
    until(&server, &run, "waiting").await;
    let prompt = endpoint.requests().iter().find(|seen| is_for_playbook(seen)).unwrap().prompt();
    assert!(
        prompt.contains("Shop.FindOrder") && prompt.contains("Does words."),
        "the model knows the tools: {prompt}"
    );
    server.post(&format!("{run}/messages"), json!({ "text": "A-17" })).await.ok();
    let deadline = Instant::now() + Duration::from_secs(20);
    while shop.calls().is_empty() {
        assert!(Instant::now() < deadline, "the shop was not called");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    until(&server, &run, "waiting").await;
    // The result is in the journal: whoever goes on from there does not ask again, and the shop may be gone.
    let server = server.crash_and_restart(with_shop(&endpoint, &shop)).await;
    shop.want("authorization", "nobody has this");
    server.post(&format!("{run}/messages"), json!({ "text": "well?" })).await.ok();
    let done = until(&server, &run, "done").await;
    assert_eq!(said(&done).last(), Some(&"It costs 12."));

    let messages: Vec<Value> =
        ["", "A-17", "well?"].map(|text| json!({ "role": "user", "content": text })).to_vec();
    let request = json!({ "messages": messages[1..] });
    let replayed = server.post("/api/playbooks/desk/assistant", request).await.ok();
    assert_eq!(replayed["content"], "It costs 12.");
    let called = ("find_order".to_owned(), json!({ "id": "A-17", "shop": "north" }));
    assert_eq!(shop.calls(), [called], "once, by the run");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_down_fails_the_step_and_not_the_start() {
    let (endpoint, shop) = (desk_model().await, McpServer::start().await);
    shop.want("authorization", "nobody has this");
    let server = TestServer::start_learning(with_shop(&endpoint, &shop)).await;
    let run = start(&server, json!({ "playbook": "desk", "user_id": "ann", "recall": false })).await;
    until(&server, &run, "waiting").await;
    server.post(&format!("{run}/messages"), json!({ "text": "A-17" })).await.ok();
    let failed = until(&server, &run, "failed").await;
    let reason = failed["run"]["reason"].as_str().unwrap();
    assert!(reason.contains("`Shop.FindOrder` failed: its server refuses the credentials"), "{reason}");
}
