//! Playbooks are optimised end to end: a real server, a real webhook as the assistant, a scripted model as judge and writer.
#![expect(clippy::unwrap_used, reason = "a test fails where an answer is not as expected")]

mod optimizing;

use std::sync::Arc;
use std::time::Duration;

use reflexio_llm::Reach;
use reflexio_llm::endpoint::{Reply, TestEndpoint};
use reflexio_test_support::TestServer;
use reflexio_types::Scope;
use reqwest::Method;
use serde_json::{Value, json};

use optimizing::{BETTER, DEADLINE, OLD, add_rule, judged, measure, start, turns_of, until_over};

/// An assistant that apologises if its playbook says so.
async fn assistant() -> TestEndpoint {
    let endpoint = TestEndpoint::start().await.unwrap();
    endpoint.respond(|seen| {
        let rules = seen.body["playbooks"].to_string();
        let sorry =
            if rules.contains("apologise") { "I am sorry. It comes on Friday." } else { "It is late." };
        Reply::Body(json!({"content": sorry}))
    });
    endpoint
}

async fn model() -> TestEndpoint {
    let endpoint = TestEndpoint::start().await.unwrap();
    endpoint.respond(|seen| judged(&seen.prompt()).unwrap_or_else(|| Reply::Json(json!({}))));
    endpoint
}

struct World {
    server: TestServer,
    assistant: TestEndpoint,
    model: TestEndpoint,
    rule: i64,
}

fn options(model: &TestEndpoint) -> impl FnOnce(&mut reflexio_app::Options) {
    let settings = model.settings();
    move |options: &mut reflexio_app::Options| {
        options.models = Arc::new(move |_| settings.clone());
        options.assistants.reach = Reach::Anywhere;
    }
}

/// A server with a pending rule that three conversations taught.
async fn world() -> World {
    let (assistant, model) = (assistant().await, model().await);
    let server = TestServer::start_learning(options(&model)).await;
    configure(&server, &assistant, json!({})).await;
    let mut windows = Vec::new();
    for user in ["ann", "bob", "cem"] {
        let turns = json!([{"role": "User", "content": format!("Where is my parcel? says {user}")},
                           {"role": "Agent", "content": "Soon."}]);
        let body = json!({"user_id": user, "interaction_data_list": turns, "evaluation_only": true});
        server.post("/api/publish_interaction", body).await.ok();
        windows.push(turns_of(&server, user).await);
    }
    let rule = add_rule(&server, &windows).await;
    World { server, assistant, model, rule }
}

async fn configure(server: &TestServer, assistant: &TestEndpoint, more: Value) {
    let mut config = json!({"enabled": true, "webhook_url": format!("{}/rollout", assistant.url()),
        "webhook_max_retries": 0, "webhook_backoff_base_seconds": 0.001, "webhook_timeout_seconds": 2});
    config.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    server.post("/api/update_config", json!({"playbook_optimizer_config": config})).await.ok();
}

async fn rule(server: &TestServer, id: i64) -> Value {
    let body = json!({"agent_playbook_id": id, "status_filter": [null, "pending", "archived", "superseded"]});
    server.post("/api/get_agent_playbooks", body).await.ok()["agent_playbooks"][0].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_better_wording_becomes_a_pending_successor() {
    let world = world().await;
    let estimate = json!({"agent_playbook_id": world.rule, "estimate_only": true});
    let estimate = world.server.post("/api/optimizations", estimate).await.ok();
    assert_eq!((estimate.get("optimization"), &estimate["estimate"]["held_out"]), (None, &json!(2)));
    assert_eq!(world.assistant.count(), 0, "an estimate asks nobody");
    let id = start(&world.server, world.rule).await;
    let run = until_over(&world.server, id).await;
    assert_eq!(run["optimization"]["state"], "committed", "{run}");
    let successor = rule(&world.server, run["optimization"]["successor_id"].as_i64().unwrap()).await;
    assert_eq!((&successor["content"], &successor["playbook_status"]), (&json!(BETTER), &json!("pending")));
    assert_eq!(rule(&world.server, world.rule).await["status"], "superseded");
    assert_eq!(run["candidates"][1]["fate"], "winner");
    let trial = run["trials"].as_array().unwrap().iter().find(|trial| trial["candidate"] == 1).unwrap();
    assert_eq!(trial["incumbent_rollout"][1]["content"], "It is late.");
    assert_eq!(trial["candidate_rollout"][1]["content"], "I am sorry. It comes on Friday.");
    assert_eq!(
        (&trial["judgement"]["verdict"], &trial["judgement"]["likert"]),
        (&json!("candidate"), &json!(5))
    );
    // One turn in three windows, once under each wording.
    assert_eq!(world.assistant.count(), 6);
    let listed = world.server.get(&format!("/api/optimizations?agent_playbook_id={}", world.rule)).await.ok();
    assert_eq!(listed["optimizations"][0]["optimization_id"], id);
    let events = reqwest::get(format!("{}/api/optimizations/{id}/events", world.server.url)).await.unwrap();
    let events = events.text().await.unwrap();
    assert!(
        events.contains("event: candidate_accepted") && events.contains("event: end\ndata: committed"),
        "{events}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rule_that_is_approved_while_it_is_optimised_stays_as_it_is() {
    let world = world().await;
    world.assistant.respond(|seen| {
        let sorry = seen.body["playbooks"].to_string().contains("apologise");
        let text = if sorry { "I am sorry. It comes on Friday." } else { "It is late." };
        Reply::Late(150, Box::new(Reply::Body(json!({"content": text}))))
    });
    let id = start(&world.server, world.rule).await;
    let body = json!({"agent_playbook_id": world.rule, "playbook_status": "approved"});
    world.server.put("/api/update_agent_playbook_status", body).await.ok();
    let run = until_over(&world.server, id).await;
    assert_eq!(run["optimization"]["state"], "unchanged", "{run}");
    assert!(run["optimization"]["decision"].as_str().unwrap().contains("approved"), "{run}");
    let kept = rule(&world.server, world.rule).await;
    assert_eq!((&kept["content"], &kept["playbook_status"]), (&json!(OLD), &json!("approved")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_survives_a_crash_and_pays_for_no_answer_twice() {
    let world = world().await;
    world.assistant.respond(|seen| {
        let sorry = seen.body["playbooks"].to_string().contains("apologise");
        let text = if sorry { "I am sorry. It comes on Friday." } else { "It is late." };
        Reply::Late(100, Box::new(Reply::Body(json!({"content": text}))))
    });
    let id = start(&world.server, world.rule).await;
    let World { mut server, assistant, model, .. } = world;
    while assistant.count() < 2 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    for _ in 0..2 {
        server = server.crash_and_restart(options(&model)).await;
        server.app.take_over_jobs().await.unwrap();
        tokio::time::sleep(Duration::from_millis(60)).await;
    }
    let run = until_over(&server, id).await;
    assert_eq!(run["optimization"]["state"], "committed", "{run}");
    // At most the calls that were under way when it crashed are made again.
    assert!(assistant.count() <= 6 + 4, "{}", assistant.count());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_optimised_says_why() {
    let world = world().await;
    let server = &world.server;
    let refused = async |body: Value| {
        let answer = server.post("/api/optimizations", body).await;
        (answer.status, answer.body["detail"].to_string())
    };
    assert_eq!(refused(json!({"agent_playbook_id": 999})).await.0, 404);
    assert_eq!(refused(json!({})).await.0, 422);
    assert_eq!(refused(json!({"agent_playbook_id": 1, "user_playbook_id": 1})).await.0, 422);
    let (status, why) = refused(json!({"user_playbook_id": 1})).await;
    assert_eq!(status, 404, "{why}");
    configure(server, &world.assistant, json!({"max_metric_calls": 5})).await;
    let (status, why) = refused(json!({"agent_playbook_id": world.rule})).await;
    assert!(status == 409 && why.contains("max_metric_calls"), "{why}");
    configure(server, &world.assistant, json!({"min_commit_windows": 3})).await;
    let (status, why) = refused(json!({"agent_playbook_id": world.rule})).await;
    assert!(status == 409 && why.contains("min_commit_windows"), "{why}");
    configure(server, &world.assistant, json!({"auto_update_pending_agent_playbooks": false})).await;
    let (status, why) = refused(json!({"agent_playbook_id": world.rule})).await;
    assert!(status == 409 && why.contains("auto_update_pending_agent_playbooks"), "{why}");
    configure(server, &world.assistant, json!({"enabled": false})).await;
    let (status, why) = refused(json!({"agent_playbook_id": world.rule})).await;
    assert!(status == 409 && why.contains("enabled"), "{why}");
    for (config, said) in [
        (json!({"webhook_url": "http://169.254.169.254/latest"}), "does not call"),
        (json!({"assistant_script_path": "/bin/cat", "webhook_url": null}), "--assistant-scripts"),
        (json!({"webhook_url": "https://x.example/", "assistant_script_path": "a.sh"}), "not both"),
        (json!({"max_metric_calls": 0}), "greater than 0"),
        (json!({"nightly_hour_utc": 24}), "less than or equal to 23"),
    ] {
        let answer = server.post("/api/update_config", json!({"playbook_optimizer_config": config})).await;
        assert!(answer.status == 422 || answer.status == 400, "{}", answer.body);
        assert!(answer.body.to_string().contains(said), "{said}: {}", answer.body);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_playbook_is_optimised_with_both_switches_only() {
    let world = world().await;
    let server = &world.server;
    let turns = turns_of(server, "ann").await;
    let row = json!({"user_id": "ann", "agent_version": "v1", "request_id": "r", "content": OLD,
        "trigger": "late parcels", "source_interaction_ids": turns});
    server.post("/api/add_user_playbook", json!({"user_playbooks": [row]})).await.ok();
    let find = json!({"user_id": "ann"});
    let found = server.post("/api/get_user_playbooks", find.clone()).await.ok();
    let id = &found["user_playbooks"][0]["user_playbook_id"];
    for (config, said) in [
        (json!({"auto_update_user_playbooks": true}), "optimize_user_playbooks"),
        (json!({"optimize_user_playbooks": true}), "auto_update_user_playbooks"),
    ] {
        configure(server, &world.assistant, config).await;
        let refused = server.post("/api/optimizations", json!({"user_playbook_id": id})).await;
        assert!(refused.status == 409 && refused.body.to_string().contains(said), "{}", refused.body);
    }
    let both =
        json!({"optimize_user_playbooks": true, "auto_update_user_playbooks": true, "min_commit_windows": 1});
    configure(server, &world.assistant, both).await;
    let started = server.post("/api/optimizations", json!({"user_playbook_id": id})).await.ok();
    assert!(started["warnings"].to_string().contains("not measured on anything unseen"), "{started}");
    let run = until_over(server, started["optimization"]["optimization_id"].as_i64().unwrap()).await;
    assert_eq!(run["optimization"]["state"], "committed", "{run}");
    let found = server.post("/api/get_user_playbooks", find).await.ok();
    let contents: Vec<&Value> =
        found["user_playbooks"].as_array().unwrap().iter().map(|row| &row["content"]).collect();
    assert_eq!(contents, [BETTER], "the old wording is not in use any more");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_run_stops_and_another_one_may_begin() {
    let world = world().await;
    world.assistant.respond(|_| Reply::Hang);
    let id = start(&world.server, world.rule).await;
    let again = world.server.post("/api/optimizations", json!({"agent_playbook_id": world.rule})).await;
    assert!(again.status == 409 && again.body.to_string().contains(&format!("`{id}`")), "{}", again.body);
    world.server.post(&format!("/api/optimizations/{id}/cancel"), json!({})).await.ok();
    let run = until_over(&world.server, id).await;
    assert_eq!(run["optimization"]["state"], "cancelled", "{run}");
    assert_eq!(world.server.get("/api/optimizations/99").await.status, 404);
    assert_ne!(start(&world.server, world.rule).await, id);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_night_pending_rules_get_a_run_and_optimised_ones_do_not() {
    let world = world().await;
    let runs =
        async || world.server.get("/api/optimizations").await.ok()["optimizations"].as_array().unwrap().len();
    assert_eq!(runs().await, 0);
    // From noon to ten past three.
    let tonight = world.server.app.now().0 + 15 * 3_600 + 600;
    world.server.clock.set(tonight);
    for _ in 0..1_200 {
        if runs().await == 1 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let listed = world.server.get("/api/optimizations").await.ok();
    let first = listed["optimizations"][0]["optimization_id"].as_i64().unwrap();
    assert_eq!(until_over(&world.server, first).await["optimization"]["state"], "committed");
    let timers = async || {
        let jobs = world.server.get("/api/jobs?kind=optimize&state=queued").await.ok();
        jobs["jobs"]
            .as_array()
            .unwrap()
            .iter()
            .map(|job| job["run_after"].as_i64().unwrap())
            .collect::<Vec<_>>()
    };
    assert!(timers().await.iter().all(|at| *at > tonight), "the timer waits for the next night");
    world.server.clock.set(tonight + 86_400);
    for _ in 0..1_200 {
        if timers().await.iter().all(|at| *at > tonight + 86_400) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(runs().await, 1, "what came out of a run is not optimised again");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_timer_that_is_missing_is_set_at_the_start_and_one_that_is_there_stays() {
    let world = world().await;
    let timer = async |server: &TestServer| {
        let jobs = server.get("/api/jobs?kind=optimize&state=queued").await.ok()["jobs"].clone();
        let timers = jobs.as_array().unwrap();
        assert!(timers.len() < 2, "{jobs}");
        timers.first().map(|job| (job["job_id"].as_i64().unwrap(), job["run_after"].clone()))
    };
    let (first, at) = timer(&world.server).await.unwrap();
    world.server.post(&format!("/api/jobs/{first}/cancel"), json!({})).await.ok();
    assert_eq!(timer(&world.server).await, None);
    let World { mut server, model, .. } = world;
    server = server.crash_and_restart(options(&model)).await;
    let began = tokio::time::Instant::now();
    while timer(&server).await.is_none() {
        assert!(began.elapsed() < DEADLINE, "it is not set");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let set = timer(&server).await.unwrap();
    assert!(set.0 != first && set.1 == at, "{set:?}");
    for _ in 0..2 {
        server = server.crash_and_restart(options(&model)).await;
        tokio::time::sleep(Duration::from_millis(100)).await;
        assert_eq!(timer(&server).await.as_ref(), Some(&set), "it stays as it is");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_erased_user_takes_the_run_along() {
    let world = world().await;
    let id = start(&world.server, world.rule).await;
    until_over(&world.server, id).await;
    let cleared = world.server.post("/api/clear_user_data", json!({"user_id": "ann"})).await.ok();
    assert_eq!(cleared["deleted_counts"]["optimizations"], 1);
    assert_eq!(world.server.get(&format!("/api/optimizations/{id}")).await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_lift_of_a_rule_is_measured_and_can_be_required() {
    let world = world().await;
    let lift = format!("/api/agent_playbooks/{}/lift", world.rule);
    assert_eq!(world.server.get(&lift).await.status, 404);
    configure(&world.server, &world.assistant, json!({"require_lift_for_approval": true})).await;
    let approve = json!({"agent_playbook_id": world.rule, "playbook_status": "approved"});
    let refused = world.server.put("/api/update_agent_playbook_status", approve.clone()).await;
    assert!(
        refused.status == 409 && refused.body.to_string().contains("agent-playbooks lift"),
        "{}",
        refused.body
    );
    let measured = measure(&world.server, &json!(world.rule)).await;
    assert_eq!(
        (&measured["lift"], measured["windows"].as_array().unwrap().len()),
        (&json!(0.0), 3),
        "{measured}"
    );
    let refused = world.server.put("/api/update_agent_playbook_status", approve).await;
    assert!(refused.status == 409 && refused.body.to_string().contains("lift of 0.00"), "{}", refused.body);
    let successor =
        until_over(&world.server, start(&world.server, world.rule).await).await["optimization"]["successor_id"].clone();
    let measured = measure(&world.server, &successor).await;
    assert!(measured["lift"].as_f64().unwrap() > 0.8 && measured["low"].as_f64().is_some(), "{measured}");
    assert_eq!(measured["windows"].as_array().unwrap().len(), 2, "only windows that were held out");
    let approve = json!({"agent_playbook_id": successor, "playbook_status": "approved"});
    world.server.put("/api/update_agent_playbook_status", approve).await.ok();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_seen_by_its_own_org_only_from_the_first_key_on() {
    let world = world().await;
    let id = start(&world.server, world.rule).await;
    until_over(&world.server, id).await;
    // Nobody asked for a key until here.
    let own = world.server.create_key(reflexio_types::Caller::local().org.as_str(), &Scope::ALL).await.secret;
    let other = world.server.create_key("other", &Scope::ALL).await.secret;
    let rule = world.rule;
    let run = format!("/api/optimizations/{id}");
    for (key, status, count) in [(&own, 200, 1), (&other, 404, 0)] {
        assert_eq!(world.server.send_as(Some(key), Method::GET, &run, None).await.status, status);
        let runs = world.server.send_as(Some(key), Method::GET, "/api/optimizations", None).await.ok();
        assert_eq!(runs["optimizations"].as_array().unwrap().len(), count, "{runs}");
    }
    let events = world.server.send_as(Some(&other), Method::GET, &format!("{run}/events"), None).await;
    assert_eq!(events.status, 404, "{}", events.body);
    for path in [format!("/api/optimizations/{id}/cancel"), format!("/api/agent_playbooks/{rule}/lift")] {
        let answer = world.server.send_as(Some(&other), Method::POST, &path, None).await;
        assert!((400..500).contains(&answer.status), "{path}: {}", answer.body);
    }
}
