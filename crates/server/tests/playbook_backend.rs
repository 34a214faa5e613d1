//! The optimiser replays a Markdown playbook of the server itself: a real server and engine, a scripted model in every role.
#![expect(clippy::unwrap_used, reason = "a test fails where an answer is not as expected")]

mod optimizing;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use reflexio_app::{Options as AppOptions, PlaybookFile, PlaybookProgram};
use reflexio_llm::endpoint::{Reply, Seen, TestEndpoint};
use reflexio_test_support::TestServer;
use serde_json::{Value, json};
use tempfile::TempDir;

use optimizing::{add_rule, judged, measure, start, turns_of, until, until_over};

/// What the tool gives, one after the other: only the run that is replayed gave the right one.
const DAYS: [&str; 3] = ["Monday", "Tuesday", "Friday"];
const PARCELS: &str = "# Parcel desk\nHelps with parcels.\n\n## Late($depot = \"main\")\nSays when a parcel comes.\n\n### Triggers\n- At the beginning\n\n### Steps\n- Ask user for $parcel\n- $found = Depot.Find($parcel)\n- Answer kindly that it comes on {$found.day}\n\n# Depot:MCP\nremote:\n  type: mcp\n  url: http://localhost:9\n  transport: streamable-http\n";
/// Waits for what nobody says.
const STRANGE: &str = "# Strange\n\n## Main\nmetadata:\n  model: nobody/knows\n---\n\n### Triggers\n- At the beginning\n\n### Steps\n- Ask user for $name\n";
const DEAF: &str = "# Deaf desk\n\n## Never\n\n### Triggers\n- When the user asks for the moon\n\n### Steps\n- Give the user the moon\n";
const CLOSED: &str = "# Closed\n\n## Main\nmetadata:\n  learn: false\n---\n\n### Triggers\n- At the beginning\n\n### Steps\n- Ask user for $name\n";
const BROKEN: &str = "# Broken\n\n## Main\n\n### Triggers\n- At the beginning\n\n### Steps\n- Tell the user \"{$x\"\n\n## Main\n";

fn is_for_playbook(seen: &Seen) -> bool {
    seen.prompt().contains("You carry out steps of a written playbook")
}

/// An agent that apologises if a learned note says so, a judge who likes that, and a writer who knows the way there.
fn answer(seen: &Seen) -> Reply {
    let prompt = seen.prompt();
    if let Some(reply) = judged(&prompt) {
        return reply;
    }
    if !is_for_playbook(seen) {
        return Reply::Json(json!({"triggers": []}));
    }
    let step = match DAYS.iter().find(|day| prompt.contains(**day)) {
        Some(day) if prompt.contains("apologise") => {
            json!({"id": "03", "status": "done", "say": [{"text": format!("I am sorry. It comes on {day}.")}]})
        }
        Some(day) => json!({"id": "03", "status": "done", "say": [{"text": format!("{day}.")}]}),
        None if prompt.contains("m2 user:") => {
            json!({"id": "01", "status": "done", "set": {"parcel": "p7"}, "evidence": "m2"})
        }
        None => json!({"id": "01", "status": "waiting", "say": [{"text": "Which parcel?"}]}),
    };
    Reply::Json(json!({"steps": [step]}))
}

struct World {
    server: TestServer,
    model: TestEndpoint,
    /// Where the tool notes that it was called.
    calls: TempDir,
    rule: i64,
}

fn options(model: &TestEndpoint, calls: &Path) -> impl Fn(&mut AppOptions) + use<> {
    let (settings, folder) = (model.settings(), calls.display().to_string());
    move |options| {
        let settings = settings.clone();
        options.models = Arc::new(move |_| settings.clone());
        for (name, text) in [
            ("parcels", PARCELS),
            ("deaf", DEAF),
            ("closed", CLOSED),
            ("strange", STRANGE),
            ("broken", BROKEN),
        ] {
            let file = PlaybookFile { name: format!("{name}.md"), text: text.to_owned() };
            let program = PlaybookProgram { name: name.to_owned(), files: vec![file], imports: Vec::new() };
            options.playbooks.programs.push(program);
        }
        let [first, second, third] = DAYS;
        let command = format!(
            "echo x >> {folder}/calls; case $(grep -c x {folder}/calls) in 1) day={first};; 2) day={second};; *) day={third};; \
             esac; echo \"{{\\\"day\\\": \\\"$day\\\"}}\""
        );
        let tool = format!("Depot.Find(id) => {command}").parse().unwrap();
        options.playbooks.tools.commands = reflexio_app::CommandTools::new(vec![tool]);
    }
}

async fn configure(server: &TestServer, more: Value) -> Value {
    let mut config = json!({"enabled": true, "assistant_script_path": "playbook:parcels.md", "webhook_max_retries": 0,
        "webhook_backoff_base_seconds": 0.001, "webhook_timeout_seconds": 20});
    config.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    server.post("/api/update_config", json!({"playbook_optimizer_config": config})).await.body
}

/// A server with a pending rule that three runs of a playbook taught.
async fn world() -> World {
    let (model, calls) = (TestEndpoint::start().await.unwrap(), TempDir::new().unwrap());
    model.respond(answer);
    let server = TestServer::start_learning(options(&model, calls.path())).await;
    assert_eq!(configure(&server, json!({})).await["success"], true);
    let mut windows = Vec::new();
    for user in ["ann", "bob", "cem"] {
        let run =
            server.post("/api/playbook_runs", json!({"playbook": "parcels", "user_id": user})).await.ok();
        let run = format!("/api/playbook_runs/{}", run["run"]["run_id"].as_str().unwrap());
        until(&server, &run, |state| state["run"]["status"] == "waiting").await;
        let said = format!("Where is p7? says {user}");
        server.post(&format!("{run}/messages"), json!({"text": said})).await.ok();
        until(&server, &run, |state| state["run"]["status"] == "done").await;
        windows.push(turns_of(&server, user).await);
    }
    let rule = add_rule(&server, &windows).await;
    World { server, model, calls, rule }
}

fn tool_calls(world: &World) -> usize {
    std::fs::read_to_string(world.calls.path().join("calls")).unwrap().lines().count()
}

fn played(model: &TestEndpoint) -> usize {
    model.requests().iter().filter(|seen| is_for_playbook(seen)).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_playbook_of_the_server_is_replayed_with_the_results_of_the_very_run() {
    let world = world().await;
    let before = played(&world.model);
    let estimate = json!({"agent_playbook_id": world.rule, "estimate_only": true});
    let estimate = world.server.post("/api/optimizations", estimate).await.ok();
    let playbook = &estimate["estimate"]["playbook"];
    // In each of its three runs: once before the user said something, twice after.
    assert_eq!((&playbook["per_answer"], &playbook["measured_in"]), (&json!(3.0), &json!(3)), "{estimate}");
    assert_eq!(
        playbook["calls"].as_u64(),
        estimate["estimate"]["assistant_calls"].as_u64().map(|calls| 3 * calls)
    );
    assert_eq!(
        (&estimate["warnings"], played(&world.model)),
        (&json!([]), before),
        "an estimate asks nobody"
    );
    let id = start(&world.server, world.rule).await;
    let run = until_over(&world.server, id).await;
    assert_eq!(run["optimization"]["state"], "committed", "{run}");
    for trial in run["trials"].as_array().unwrap().iter().filter(|trial| trial["candidate"] == 1) {
        let day = DAYS[trial["window"].as_u64().unwrap() as usize];
        assert_eq!(trial["incumbent_rollout"][1]["content"], format!("{day}."));
        assert_eq!(trial["candidate_rollout"][1]["content"], format!("I am sorry. It comes on {day}."));
    }
    assert_eq!(tool_calls(&world), 3, "no tool is called in a replay");
    // Three calls in three windows under two wordings; the first one, before anybody said anything, they may share.
    assert!(
        (2 * (1 + 3 * 2)..=2 * 3 * 3).contains(&(played(&world.model) - before)),
        "{}",
        played(&world.model)
    );
    let costs = world.server.get("/api/costs?by=config").await.ok().to_string();
    assert!(costs.contains("optimizer, playbook:parcels"), "{costs}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_lift_of_a_rule_is_measured_with_a_playbook() {
    let world = world().await;
    configure(&world.server, json!({"assistant_script_path": "playbook:parcels"})).await;
    let successor =
        until_over(&world.server, start(&world.server, world.rule).await).await["optimization"]["successor_id"].clone();
    let lift = measure(&world.server, &successor).await;
    assert!(lift["lift"].as_f64().unwrap() > 0.8, "{lift}");
    assert_eq!(tool_calls(&world), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_is_killed_asks_the_playbooks_model_nothing_twice() {
    let world = world().await;
    world.model.respond(|seen| Reply::Late(20, Box::new(answer(seen))));
    let before = played(&world.model);
    let id = start(&world.server, world.rule).await;
    let World { mut server, model, calls, .. } = world;
    for crash in 1..4 {
        while played(&model) < before + 3 * crash {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        server = server.crash_and_restart(options(&model, calls.path())).await;
        server.app.take_over_jobs().await.unwrap();
    }
    let run = until_over(&server, id).await;
    assert_eq!(run["optimization"]["state"], "committed", "{run}");
    // At most what was under way at each crash is asked again: four replays at a time.
    assert!(played(&model) - before <= 18 + 3 * 4, "{}", played(&model) - before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_playbook_that_cannot_be_replayed_is_refused_where_it_is_named() {
    let world = world().await;
    for (config, said) in [
        (json!({"assistant_script_path": "playbook:none.md"}), "does not have; it has `parcels`, `deaf`"),
        (json!({"assistant_script_path": "playbook:../parcels.md"}), "which this server does not have"),
        (json!({"assistant_script_path": "playbook:"}), "playbook:FILE.md"),
        (json!({"assistant_script_path": "playbook:broken"}), "`broken`, which cannot run"),
        (json!({"assistant_script_path": "playbook:closed"}), "learn: false"),
        (json!({"assistant_script_args": ["depot"]}), "`assistant_script_args` `depot` lacks `=`"),
        (json!({"assistant_script_args": ["moon=1"]}), "`moon`: the program has no such parameter"),
    ] {
        let refused = configure(&world.server, config.clone()).await.to_string();
        assert!(refused.contains(said), "{config}: {refused}");
        let field = config.as_object().unwrap().keys().next().unwrap();
        assert!(refused.contains(&format!("\"{field}\"")), "the field is named: {refused}");
    }
    let params = json!({"assistant_script_args": ["depot=south", "found={\"day\": \"Monday\"}"]});
    let saved = configure(&world.server, params).await;
    assert_eq!(saved["success"], true, "{saved}");
    let bare = TestServer::start().await;
    let refused = configure(&bare, json!({})).await.to_string();
    assert!(refused.contains("its operator can serve some with `--playbooks FOLDER`"), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_playbook_without_a_model_is_refused_before_anything_is_started() {
    let world = world().await;
    configure(&world.server, json!({"assistant_script_path": "playbook:strange"})).await;
    let refused = world.server.post("/api/optimizations", json!({"agent_playbook_id": world.rule})).await;
    assert!(refused.status == 409 && refused.body.to_string().contains("nobody"), "{}", refused.body);
    configure(&world.server, json!({})).await;
    let settings = world.model.settings();
    let World { server, model, calls, rule } = world;
    let server = server
        .crash_and_restart(|given| {
            options(&model, calls.path())(given);
            given.models = Arc::new(move |_| {
                let roles = [(reflexio_llm::Role::Playbook, "builtin".to_owned())];
                let mut settings = settings.clone();
                settings.roles.extend(roles);
                settings
            });
        })
        .await;
    for path in ["/api/optimizations".to_owned(), format!("/api/agent_playbooks/{rule}/lift")] {
        let refused = server.post(&path, json!({"agent_playbook_id": rule})).await;
        assert_eq!(refused.status, 409, "{}", refused.body);
        assert!(
            refused.body.to_string().contains("the playbook `parcels` needs a model"),
            "{}",
            refused.body
        );
    }
    assert_eq!(server.get("/api/optimizations").await.ok()["optimizations"], json!([]));
}

/// Another rule, which conversations of these turns taught.
async fn rule_from(world: &World, said: &[&str]) -> i64 {
    let mut windows = Vec::new();
    for user in ["dan", "eve", "fay"] {
        let turns: Vec<Value> =
            said.iter().map(|said| json!({"role": "User", "content": format!("{said} {user}")})).collect();
        let body = json!({"user_id": user, "interaction_data_list": turns, "evaluation_only": true});
        world.server.post("/api/publish_interaction", body).await.ok();
        windows.push(turns_of(&world.server, user).await);
    }
    add_rule(&world.server, &windows).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_ends_before_the_last_turn_is_compared_up_to_there() {
    let mut world = world().await;
    world.rule = rule_from(&world, &["Where is p7?", "Thank you,"]).await;
    let estimate = json!({"agent_playbook_id": world.rule, "estimate_only": true});
    let warnings = world.server.post("/api/optimizations", estimate).await.ok()["warnings"].to_string();
    assert!(warnings.contains("3 of 3 source windows come from no run of `parcels`"), "{warnings}");
    let run = until_over(&world.server, start(&world.server, world.rule).await).await;
    assert_eq!(run["optimization"]["state"], "committed", "{run}");
    let trial = run["trials"].as_array().unwrap().iter().find(|trial| trial["candidate"] == 1).unwrap();
    let said: Vec<&str> = trial["candidate_rollout"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["content"].as_str().unwrap())
        .collect();
    // Of conversations that are no runs the tools know what they gave in the last runs.
    assert!(said[1].starts_with("I am sorry. It comes on "), "{said:?}");
    assert_eq!(said[3], "(The assistant has ended the conversation.)");
    assert_eq!(tool_calls(&world), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_in_which_no_playbook_answers_is_left_out_with_the_reason() {
    let world = world().await;
    configure(&world.server, json!({"assistant_script_path": "playbook:deaf"})).await;
    let id = start(&world.server, world.rule).await;
    let path = format!("/api/optimizations/{id}");
    let waits = |run: &Value| run["job"]["last_error"].is_string();
    let run = until(&world.server, &path, waits).await;
    let why = run["job"]["last_error"].as_str().unwrap();
    assert!(why.contains("`deaf`: no playbook answers the last message"), "{why}");
    world.server.post(&format!("{path}/cancel"), json!({})).await.ok();
    assert_eq!(until_over(&world.server, id).await["optimization"]["state"], "cancelled");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_refuses_the_key_lets_the_run_wait_and_go_on_where_it_was() {
    let world = world().await;
    world.model.respond(|seen| if is_for_playbook(seen) { Reply::Unauthorized } else { answer(seen) });
    let id = start(&world.server, world.rule).await;
    let stalled =
        |state: &Value| state["stall_state"]["reason"] == "auth_error" || state["reason"] == "auth_error";
    until(&world.server, "/stall_state", stalled).await;
    let run = world.server.get(&format!("/api/optimizations/{id}")).await.ok();
    assert_eq!((&run["optimization"]["state"], &run["trials"]), (&json!("running"), &json!([])), "{run}");
    world.model.respond(answer);
    // Another configuration may be the way out, so it is tried again at once.
    configure(&world.server, json!({"webhook_timeout_seconds": 19})).await;
    let run = until_over(&world.server, id).await;
    assert_eq!(run["optimization"]["state"], "committed", "{run}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_has_spent_its_budget_on_replays_ends_with_what_it_has() {
    let world = world().await;
    let poor = json!({"budget_config": {"per_run_usd": 0.000_001}});
    world.server.post("/api/update_config", poor).await.ok();
    let run = until_over(&world.server, start(&world.server, world.rule).await).await;
    assert_ne!(run["optimization"]["state"], "committed", "{run}");
    assert!(run["optimization"]["decision"].as_str().unwrap().contains("budget"), "{run}");
    assert_eq!(run["trials"], json!([]), "half a conversation is compared with nothing");
}
