//! Aggregation of rows that no sane product would have, killed and disturbed.
#![expect(clippy::unwrap_used, reason = "a test fails where an answer is not as expected")]

use std::time::{Duration, Instant};

use reflexio_llm::endpoint::{Reply, TestEndpoint};
use reflexio_test_support::TestServer;
use reflexio_types::Clock;
use serde_json::{Value, json};

/// Longer than a worker may be silent.
const LEASE: i64 = 61;
const SOON: Duration = Duration::from_secs(60);
const PHOTO: &str = "Ask for a photo of the damaged parcel before the refund";
const DAMAGED: &str = "The user asks for a refund of a damaged parcel";

fn playbook(user: &str, trigger: &str, instruction: &str) -> Value {
    json!({"user_id": user, "request_id": "r", "agent_version": "v1", "playbook_name": "general",
           "trigger": trigger, "instruction": instruction, "content": format!("When: {trigger}\nDo: {instruction}")})
}

async fn add(server: &TestServer, playbooks: &[Value]) {
    for some in playbooks.chunks(500) {
        server.post("/api/add_user_playbook", json!({ "user_playbooks": some })).await.ok();
    }
}

async fn run(server: &TestServer) -> Value {
    server.post("/api/run_playbook_aggregation", json!({"agent_version": "v1"})).await.ok()
}

async fn rules(server: &TestServer) -> Vec<Value> {
    let answer = server.post("/api/get_agent_playbooks", json!({"limit": 1000})).await.ok();
    answer["agent_playbooks"].as_array().unwrap().clone()
}

/// Ends every aggregation that started by itself, so that rules are there because the test asked for them.
async fn count_by(server: &TestServer, what: &str) {
    let aggregator = json!({"reaggregation_trigger_count": 1_000_000, "cluster_size_counts": what});
    let general = json!({"playbook_name": "general", "playbook_definition_prompt": "All that helps.",
                         "playbook_aggregator_config": aggregator});
    server.post("/api/update_config", json!({"playbook_configs": [general]})).await.ok();
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_thousand_rows_that_say_the_same_make_one_rule() {
    let server = TestServer::start_learning(|_| {}).await;
    count_by(&server, "rows").await;
    let rows: Vec<Value> = (0..10_000).map(|n| playbook(&format!("u{}", n % 100), DAMAGED, PHOTO)).collect();
    add(&server, &rows).await;
    let answer = run(&server).await;
    assert_eq!(answer["playbooks_generated"], 1, "{answer}");
    let rules = rules(&server).await;
    assert_eq!(
        (&rules[0]["cluster_size"], &rules[0]["distinct_users"]),
        (&json!(10_000), &json!(100)),
        "{}",
        rules[0]
    );
}

/// One of five thousand words.
fn word(n: usize) -> String {
    let letter = |at: u32| char::from(b'a' + u8::try_from((n / 26usize.pow(at)) % 26).unwrap());
    format!("{}{}{}x", letter(2), letter(1), letter(0))
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_thousand_rows_that_all_say_something_else_make_no_rule() {
    let server = TestServer::start_learning(|_| {}).await;
    count_by(&server, "rows").await;
    let mut number = 7usize;
    let mut say = || {
        let mut drawn = || {
            number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            word((number >> 33) % 5_000)
        };
        [drawn(), drawn(), drawn(), drawn()].join(" ")
    };
    let rows: Vec<Value> = (0..10_000).map(|n| playbook(&format!("u{n}"), &say(), &say())).collect();
    add(&server, &rows).await;
    let answer = run(&server).await;
    assert_eq!(answer["success"], true, "{answer}");
    let proposed = answer["playbooks_generated"].as_u64().unwrap();
    assert!(proposed <= 10, "one in a thousand rows may be alike by chance: {answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_without_a_trigger_are_clustered_by_what_they_say() {
    let server = TestServer::start_learning(|_| {}).await;
    let row = |n: usize, trigger: Value| {
        json!({"user_id": format!("u{n}"), "request_id": "r", "agent_version": "v1", "playbook_name": "general",
               "trigger": trigger, "content": "Always greet the customer by name before you answer"})
    };
    let rows = [row(0, Value::Null), row(1, Value::Null), row(2, json!("")), row(3, json!(""))];
    add(&server, &rows).await;
    let answer = run(&server).await;
    assert_eq!(answer["success"], true, "{answer}");
    let rules = rules(&server).await;
    assert!(rules.len() <= 1, "{rules:?}");
    for rule in rules {
        assert!(rule["content"].as_str().unwrap().contains("greet the customer by name"), "{rule}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_who_wrote_most_rows_does_not_speak_for_the_others() {
    let server = TestServer::start_learning(|_| {}).await;
    count_by(&server, "users").await;
    let alone = "The user wants to pay with a voucher";
    let mut rows: Vec<Value> =
        (0..45).map(|_| playbook("loud", alone, "Sing a song about vouchers")).collect();
    rows.extend(
        (0..45)
            .map(|_| playbook("loud", DAMAGED, "Ask for a photo of the damaged parcel and for two videos")),
    );
    rows.extend((0..10).map(|n| playbook(&format!("u{n}"), DAMAGED, PHOTO)));
    add(&server, &rows).await;
    run(&server).await;
    let rules = rules(&server).await;
    assert_eq!(rules.len(), 1, "what one user says alone is no rule for all: {rules:?}");
    assert_eq!((&rules[0]["instruction"], &rules[0]["distinct_users"]), (&json!(PHOTO), &json!(11)));
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_can_be_counted_in_place_of_rows() {
    let server = TestServer::start_learning(|_| {}).await;
    count_by(&server, "sessions").await;
    let mut requests = Vec::new();
    for session in ["s1", "s1", "s2"] {
        let request = format!("{session}-{}", requests.len());
        let body = json!({"user_id": "ann", "session_id": session, "request_id": request, "agent_version": "v0",
                          "interaction_data_list": [{"role": "User", "content": "Hello."}]});
        server.post("/api/publish_interaction", body).await.ok();
        requests.push(request);
    }
    let row = |request: &String| {
        let mut row = playbook("ann", DAMAGED, PHOTO);
        row["request_id"] = json!(request);
        row
    };
    add(&server, &[row(&requests[0]), row(&requests[1])]).await;
    assert_eq!(run(&server).await["playbooks_generated"], 0, "two rows of one session");
    add(&server, &[row(&requests[2])]).await;
    assert_eq!(run(&server).await["playbooks_generated"], 1, "a second session says so too");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_aggregations_at_once_propose_once() {
    let server = TestServer::start_learning(|_| {}).await;
    count_by(&server, "rows").await;
    add(&server, &(0..4).map(|n| playbook(&format!("u{n}"), DAMAGED, PHOTO)).collect::<Vec<_>>()).await;
    let (one, two) = tokio::join!(run(&server), run(&server));
    let made = |answer: &Value| answer["playbooks_generated"].as_u64().unwrap();
    assert_eq!(made(&one) + made(&two), 1, "{one} {two}");
    assert_eq!(rules(&server).await.len(), 1);
}

/// A model that takes its time over everything but the first question.
async fn slow_model() -> TestEndpoint {
    let endpoint = TestEndpoint::start().await.unwrap();
    endpoint.script([Reply::Json(rule())]);
    endpoint.respond(|_| Reply::Late(600_000, Box::new(Reply::Json(rule()))));
    endpoint
}

fn rule() -> Value {
    json!({"rule": {"trigger": DAMAGED, "instruction": "Ask for a photo of the damage, then refund."}})
}

#[tokio::test(flavor = "multi_thread")]
async fn an_aggregation_that_is_killed_leaves_no_half_of_it_and_pays_nothing_twice() {
    let endpoint = slow_model().await;
    let models = |endpoint: &TestEndpoint| {
        let settings = endpoint.settings();
        move |options: &mut reflexio_app::Options| {
            options.models = std::sync::Arc::new(move |_| settings.clone());
        }
    };
    let server = TestServer::start_learning(models(&endpoint)).await;
    let photos = (0..4).map(|n| playbook(&format!("u{n}"), DAMAGED, PHOTO));
    let voucher = "The user wants to pay with a voucher that has run out";
    let vouchers = (0..3).map(|n| playbook(&format!("u{n}"), voucher, "Offer to renew the voucher"));
    add(&server, &photos.chain(vouchers).collect::<Vec<_>>()).await;
    let started = Instant::now();
    let second_question = async {
        while endpoint.count() < 2 && started.elapsed() < SOON {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::select! {
        answer = run(&server) => unreachable!("the model has not answered yet: {answer}"),
        () = second_question => {}
    }
    assert_eq!(endpoint.count(), 2, "one cluster is worded, the other is asked for");
    assert!(rules(&server).await.is_empty(), "nothing is proposed before all of it is");
    endpoint.respond(|seen| {
        assert!(!seen.prompt().contains("damaged"), "this answer was paid for");
        Reply::Json(json!({"rule": {"trigger": "The user wants to pay with a voucher that has run out",
                                    "instruction": "Offer to renew the voucher."}}))
    });
    let server = server.crash_and_restart(models(&endpoint)).await;
    server.clock.set(server.clock.now().0 + LEASE);
    while rules(&server).await.len() < 2 && started.elapsed() < SOON {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!((rules(&server).await.len(), endpoint.count()), (2, 3));
}
