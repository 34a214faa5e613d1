//! One run of the same work, with or without kills.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher, RandomState};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use reflexio_api_types::{GetJobsQuery, JobState, Positive, PublishUserInteractionRequest};
use reflexio_client::{Client, Wait};
use rusqlite::Connection;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::model::{Call, Model, codes};
use crate::support::{Server, folder};

const USERS: u64 = 8;
/// Publishes of one user between two kills, one after the other.
const PUBLISHES: u64 = 2;
const TURNS: u64 = 3;
/// Learning goes on for so long at most when nobody kills it any more.
const PATIENCE: Duration = Duration::from_secs(120);

/// Whether the server is killed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Weather {
    Calm,
    Stormy,
}

/// What was on disk when a process was killed.
pub(super) struct Kill {
    pub(super) life: usize,
    /// The codes of rows.
    pub(super) stored: BTreeSet<String>,
    /// The windows of answers that were saved and not used yet.
    pub(super) saved: Vec<BTreeSet<String>>,
}

/// What a run came to.
pub(super) struct Outcome {
    /// What each row says and what shows it, without ids and times.
    pub(super) rows: BTreeSet<String>,
    pub(super) row_count: usize,
    pub(super) calls: Vec<Call>,
    pub(super) kills: Vec<Kill>,
}

pub(super) fn run(rounds: u64, weather: Weather) -> Outcome {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.expect("a runtime");
    let model = runtime.block_on(Model::start());
    let folder = Arc::new(folder());
    let start = || Server::start_in(folder.clone(), &["--quiet", "--log", "error"]);
    let mut server = start();
    runtime.block_on(server.client().update_config(&config(&model))).expect("a configuration");
    let mut kills = Vec::new();
    for round in 0..rounds {
        let publishing = publish(&runtime, &server.client(), round);
        if weather == Weather::Stormy {
            std::thread::sleep(random_pause(round));
            server.kill();
            let life = model.next_life();
            // What was under way when the server died may or may not be stored.
            publishing.into_iter().for_each(|user| drop(runtime.block_on(user)));
            kills.push(look(&server.data_dir(), life));
            server = start();
            finish(&runtime, publish(&runtime, &server.client(), round));
        } else {
            finish(&runtime, publishing);
        }
    }
    runtime.block_on(learn_the_rest(&server.client()));
    let all = rows(&server);
    server.reflexio("doctor --deep").ok();
    Outcome { row_count: all.len(), rows: all.into_iter().collect(), calls: model.calls(), kills }
}

/// Windows depend on the turns alone and not on when they are looked at; nothing is learned because time passes.
fn config(model: &Model) -> Value {
    json!({
        "window_size": 4,
        "stride_size": 3,
        "extraction_idle_timeout_seconds": 0,
        "api_key_config": {"custom_endpoint": {
            "model": "scripted", "api_key": "none", "api_base": model.base_url(),
        }},
    })
}

type Publishing = Vec<tokio::task::JoinHandle<reflexio_client::Result<()>>>;

/// Each user publishes what belongs to this round; what is there already stays as it is.
fn publish(runtime: &Runtime, client: &Client, round: u64) -> Publishing {
    let of_user = |user| {
        let client = client.clone();
        runtime.spawn(async move {
            for number in round * PUBLISHES..(round + 1) * PUBLISHES {
                client.publish(&request(user, &number.to_string(), TURNS), Wait::No).await?;
            }
            Ok(())
        })
    };
    (0..USERS).map(of_user).collect()
}

fn finish(runtime: &Runtime, publishing: Publishing) {
    for user in publishing {
        runtime.block_on(user).expect("a publisher").expect("an answer");
    }
}

fn request(user: u64, name: &str, turns: u64) -> PublishUserInteractionRequest {
    let said = |turn| json!({"role": "User", "content": format!("Please note code-u{user}-{name}-{turn}.")});
    let value = json!({
        "request_id": format!("u{user}-{name}"), "user_id": format!("u{user}"), "agent_version": "v1",
        "force_extraction": name == "last",
        "interaction_data_list": (0..turns).map(said).collect::<Vec<_>>(),
    });
    serde_json::from_value(value).expect("a request")
}

/// Publishes a last turn that flushes what waits, and waits until nothing is left to do.
async fn learn_the_rest(client: &Client) {
    for user in 0..USERS {
        client.publish(&request(user, "last", 1), Wait::No).await.expect("an answer");
    }
    let started = Instant::now();
    loop {
        // Jobs of other kinds follow from what was learned, or wait until a session has been silent.
        let kind = Some("learn".to_owned());
        let query = GetJobsQuery { kind, limit: Some(Positive(1_000)), ..GetJobsQuery::default() };
        let jobs = client.jobs(&query).await.expect("jobs").jobs;
        let open =
            jobs.iter().filter(|job| matches!(job.state, JobState::Queued | JobState::Running)).count();
        let given_up: Vec<_> = jobs.iter().filter(|job| job.state == JobState::Dead).collect();
        assert!(given_up.is_empty(), "a kill is no reason to give a job up: {given_up:#?}");
        if open == 0 {
            return;
        }
        assert!(started.elapsed() < PATIENCE, "learning does not come to its end: {open} jobs");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Milliseconds that nobody can foresee.
fn random_pause(round: u64) -> Duration {
    Duration::from_millis(RandomState::new().hash_one(round) % 200)
}

fn look(data: &Path, life: usize) -> Kill {
    let sql = Connection::open(data.join("reflexio.db")).expect("a database");
    let texts = |query: &str| -> Vec<String> {
        let mut statement = sql.prepare(query).expect("a query");
        let rows = statement.query_map([], |row| row.get(0)).expect("rows");
        rows.collect::<rusqlite::Result<_>>().expect("texts")
    };
    let stored = texts("SELECT body ->> '$.content' FROM profiles");
    let saves = !texts("SELECT name FROM sqlite_schema WHERE name = 'saved_answers'").is_empty();
    let saved = if saves { texts("SELECT body FROM saved_answers") } else { Vec::new() };
    Kill {
        life,
        stored: stored.iter().flat_map(|text| codes(text)).collect(),
        saved: saved.iter().map(|text| codes(text)).collect(),
    }
}

fn rows(server: &Server) -> Vec<String> {
    let list = |what: &str| {
        let rows = server.reflexio(&format!("{what} list --limit 1000000")).json();
        rows.as_array().expect("a list").clone()
    };
    let said: BTreeMap<i64, String> = list("interactions")
        .iter()
        .map(|row| (row["interaction_id"].as_i64().expect("an id"), row["content"].to_string()))
        .collect();
    let mut all = Vec::new();
    for row in list("profiles").iter().chain(&list("user-playbooks")) {
        let ids = row["source_interaction_ids"].as_array().expect("evidence");
        let shown: Vec<&String> = ids.iter().filter_map(|id| said.get(&id.as_i64()?)).collect();
        assert_eq!(shown.len(), ids.len(), "{row}");
        let mut told = row.clone();
        for name in [
            "profile_id",
            "user_playbook_id",
            "source_interaction_ids",
            "last_modified_timestamp",
            "created_at",
        ] {
            told.as_object_mut().expect("a row").remove(name);
        }
        all.push(format!("{told} because of {shown:?}"));
    }
    all
}
