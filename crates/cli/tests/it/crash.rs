//! The power cable, pulled twenty times; `make soak` pulls it more often.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use reflexio_api_types::PublishUserInteractionRequest;
use reflexio_client::{Client, Wait};
use serde_json::json;

use crate::support::{Server, folder};

const ROUNDS: u64 = 20;
const PUBLISHERS: u64 = 8;
const TURNS: usize = 2;
/// A machine that is much slower than expected does fewer rounds instead of failing.
const LONGEST_PER_ROUND: Duration = Duration::from_millis(1500);

fn rounds_asked() -> u64 {
    std::env::var("REFLEXIO_SOAK_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(ROUNDS)
}

/// Publishes until the server is gone; answers the ids it acknowledged and the one it did not.
async fn publish_until_gone(client: Client, prefix: String, count: Arc<AtomicU64>) -> (Vec<String>, String) {
    let mut acknowledged = Vec::new();
    for index in 0.. {
        let id = format!("{prefix}-{index}");
        match client.publish(&request(&id), Wait::No).await {
            Ok(answer) => {
                assert!(answer.success, "{answer:?}");
                acknowledged.push(id);
                count.fetch_add(1, Ordering::Relaxed);
            }
            Err(_) => return (acknowledged, id),
        }
    }
    unreachable!("the server is killed")
}

fn request(id: &str) -> PublishUserInteractionRequest {
    let turns: Vec<_> = (0..TURNS).map(|turn| json!({"content": format!("turn {turn} of {id}")})).collect();
    let user = id.split('-').take(2).collect::<Vec<_>>().join("-");
    let value = json!({"request_id": id, "user_id": user, "interaction_data_list": turns});
    serde_json::from_value(value).expect("a request")
}

/// Milliseconds that nobody can foresee.
fn random_pause(round: u64) -> Duration {
    use std::hash::{BuildHasher, RandomState};
    Duration::from_millis(20 + RandomState::new().hash_one(round) % 180)
}

#[test]
fn nothing_acknowledged_is_lost_or_doubled_when_the_server_is_killed() {
    let folder = Arc::new(folder());
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    let (mut acknowledged, mut in_doubt) = (BTreeSet::new(), BTreeSet::new());
    let started = Instant::now();
    let mut rounds = 0;
    let asked = rounds_asked();
    let longest = LONGEST_PER_ROUND * u32::try_from(asked).unwrap_or(u32::MAX);
    while rounds < asked && started.elapsed() < longest {
        let mut server = Server::start_in(folder.clone(), &["--quiet", "--log", "error"]);
        let client = server.client();
        let count = Arc::new(AtomicU64::new(0));
        let publishers: Vec<_> = (0..PUBLISHERS)
            .map(|publisher| {
                let prefix = format!("u{publisher}-{rounds}");
                runtime.spawn(publish_until_gone(client.clone(), prefix, count.clone()))
            })
            .collect();
        crate::support::wait_for("load", || (count.load(Ordering::Relaxed) >= PUBLISHERS).then_some(()));
        std::thread::sleep(random_pause(rounds));
        server.kill();
        for publisher in publishers {
            let (ids, doubtful) = runtime.block_on(publisher).expect("a publisher");
            acknowledged.extend(ids);
            in_doubt.insert(doubtful);
        }
        rounds += 1;
    }
    let server = Server::start_in(folder, &[]);
    let stored = stored_turns(&server);
    for id in &acknowledged {
        assert_eq!(stored.get(id), Some(&TURNS), "{id} was acknowledged");
    }
    // What was under way when the server died is there as a whole or not at all.
    for (id, turns) in &stored {
        assert_eq!(*turns, TURNS, "{id}");
        assert!(acknowledged.contains(id) || in_doubt.contains(id), "nobody published {id}");
    }
    server.reflexio("doctor --deep").ok();
    println!(
        "{rounds} rounds, {} acknowledged, {} stored, {:?}",
        acknowledged.len(),
        stored.len(),
        started.elapsed()
    );
}

fn stored_turns(server: &Server) -> BTreeMap<String, usize> {
    let rows = server.reflexio("interactions list --limit 1000000").json();
    let mut turns = BTreeMap::new();
    for row in rows.as_array().expect("a list") {
        *turns.entry(row["request_id"].as_str().expect("an id").to_owned()).or_default() += 1;
    }
    turns
}
