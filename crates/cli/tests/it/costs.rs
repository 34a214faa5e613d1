//! What models cost, with a real process that dies.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use reflexio_llm::endpoint::{Reply, TestEndpoint};
use reflexio_store::{Claim, Store};
use reflexio_store_sqlite::SqliteStore;
use reflexio_types::{Clock, JobKind, SystemClock, Timestamp};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Server, folder, wait_for};

fn answer() -> Value {
    json!({"profiles": [], "playbooks": [{
        "playbook_name": "playbook", "trigger": "The user asks for a summary of a report",
        "instruction": "Use bullet points", "pitfall": "A long text was rejected",
        "rationale": "The user corrected the agent", "evidence": ["T1"],
    }]})
}

fn serve(folder: &Arc<TempDir>, endpoint: &TestEndpoint) -> Server {
    let base = format!("{}/v1", endpoint.url());
    let environment = [("OPENAI_API_KEY", "sk-test"), ("OPENAI_BASE_URL", base.as_str())];
    Server::start_with_environment(Arc::clone(folder), &["--quiet", "--log", "error"], &environment)
}

/// The command line starts no reruns.
fn post(url: &str, path: &str) {
    let address = url.trim_start_matches("http://");
    let mut stream = TcpStream::connect(address).expect("a server");
    let head = format!("POST {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n");
    let body = "content-type: application/json\r\ncontent-length: 2\r\n\r\n{}";
    stream.write_all(format!("{head}{body}").as_bytes()).expect("a request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

/// As if the lease of the dead worker had run out: another one takes its job and gives it back.
async fn let_leases_run_out(folder: &TempDir) {
    let path = folder.path().join("data").join("reflexio.db");
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&path, &Default::default()).expect("a store"));
    let now = SystemClock.now();
    let claim = Claim {
        kinds: &JobKind::ALL,
        worker: "test",
        now: Timestamp(now.0 + 3_600),
        lease: Duration::from_secs(1),
        limit: 100,
        paused: &Default::default(),
    };
    for claimed in store.claim(claim).await.expect("jobs") {
        store.release(&claimed.lease, "for the test", now, now).await.expect("given back");
    }
}

#[test]
fn no_answer_is_paid_twice_when_the_server_is_killed_before_it_is_stored() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.expect("a runtime");
    let endpoint = runtime.block_on(TestEndpoint::start()).expect("a port");
    let folder = Arc::new(folder());
    let mut server = serve(&folder, &endpoint);
    server.reflexio("config set stride_size 2").ok();
    server.reflexio("config set window_size 2").ok();
    let turns: Vec<_> = (0..4).map(|n| json!({"role": "User", "content": format!("thing {n}")})).collect();
    let body = json!({"user_id": "ann", "interaction_data_list": turns});
    // Learned once, so that a rerun has something to read: two windows, two calls.
    endpoint.respond(|_| Reply::Json(answer()));
    server.reflexio("publish --wait --stdin").stdin(body.to_string()).ok();
    assert_eq!(endpoint.count(), 2);

    // A rerun stores nothing before it has read all windows of a user: the first is answered, the second is not.
    endpoint.script([Reply::Json(answer()), Reply::Hang]);
    post(&server.url, "/api/rerun_playbook_generation");
    wait_for("the second window", || (endpoint.count() == 4).then_some(()));
    server.kill();
    runtime.block_on(let_leases_run_out(&folder));
    endpoint.respond(|_| Reply::Json(answer()));
    let server = serve(&folder, &endpoint);
    let pending = || server.reflexio("user-playbooks list --status pending").json();
    wait_for("the rerun", || (!pending().as_array().expect("rows").is_empty()).then_some(()));
    assert_eq!(endpoint.count(), 5, "only the question without an answer was asked again");

    let costs = server.reflexio("costs --by run").json();
    // The call that was under way when the server died is in no book: nobody was left to write it.
    assert_eq!((&costs["totals"]["calls"], &costs["totals"]["saved"]), (&json!(4), &json!(1)), "{costs}");
    assert_eq!(costs["today"]["spent_usd"], costs["totals"]["cost_usd"], "a restart forgets nothing");
    let table = server.reflexio("costs --by run").ok().stdout;
    for part in ["RUN", "job-", "█", "total", "today (UTC): $", "no limit"] {
        assert!(table.contains(part), "{part}: {table}");
    }
    server.reflexio("doctor --deep").ok();
}

#[test]
fn an_orderly_stop_writes_the_calls_it_cuts_off() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.expect("a runtime");
    let endpoint = runtime.block_on(TestEndpoint::scripted([Reply::Hang])).expect("a port");
    endpoint.respond(|_| Reply::Json(answer()));
    let folder = Arc::new(folder());
    let server = serve(&folder, &endpoint);
    let turns = json!([{"role": "User", "content": "Use bullet points"}]);
    let body = json!({"user_id": "ann", "interaction_data_list": turns, "force_extraction": true});
    server.reflexio("publish --stdin").stdin(body.to_string()).ok();
    wait_for("the call", || (endpoint.count() == 1).then_some(()));
    let (status, log) = server.stop();
    assert!(status.success(), "{log}");
    let server = serve(&folder, &endpoint);
    let learned = || server.reflexio("user-playbooks list").json();
    wait_for("the next attempt", || (!learned().as_array().expect("rows").is_empty()).then_some(()));
    let costs = server.reflexio("costs").json();
    let counts = (&costs["totals"]["calls"], &costs["totals"]["cancelled"], endpoint.count());
    assert_eq!(counts, (&json!(2), &json!(1), 2), "{costs}");
}
