//! How long counting and comparing take while a store grows.
//!
//!     cargo run --release -p reflexio-store-sqlite --example analytics_speed -- 10000 100000 1000000
//!
//! Rows are put straight into the tables, without text indexes: counting does not look at those.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark prints and may fail loudly")]

use std::path::Path;
use std::time::Instant;

use reflexio_store::{Analytics, Injections, Peers, PlaybookScope, RuleRef};
use reflexio_store_sqlite::SqliteStore;
use reflexio_types::{LearningKind, OrgId, TimeRange, Timestamp};
use rusqlite::Connection;
use tempfile::TempDir;

const NOW: i64 = 1_794_744_000;
const ROUNDS: u32 = 5;
/// Statements that make `?1` rows each: user playbooks of 90 days, and sessions with an outcome and a retrieval.
const FILL: [&str; 5] = [
    "INSERT INTO user_playbooks (org_id, user_id, request_id, playbook_name, agent_version, created_at, status, body)
     SELECT 'o', 'user' || (n % 1000), 'request-' || (n / 2), 'type' || (n % 7), 'v' || (n % 5), ?2 - n % 7776000,
         CASE n % 10 WHEN 0 THEN 'archived' ELSE 'current' END, json_object('content', printf('%0500d', n))
     FROM numbers LIMIT ?1",
    "INSERT INTO requests (org_id, id, user_id, session_id, created_at, source, agent_version)
     SELECT 'o', 'request-' || n, 'user' || (n % 1000), 'session-' || n, ?2 - n % 7776000, '', 'v' || (n % 5)
     FROM numbers LIMIT ?1",
    "INSERT INTO session_outcomes (org_id, id, user_id, session_id, outcome, occurred_at, source, created_at, body)
     SELECT 'o', 'outcome-' || n, 'user' || (n % 1000), 'session-' || n,
         CASE n % 3 WHEN 0 THEN 'failure' ELSE 'success' END, ?2 - n % 7776000, '', 0, '{}' FROM numbers LIMIT ?1",
    "INSERT INTO injections (id, org_id, at, route, session_id, user_id)
     SELECT n + 1, 'o', ?2 - n % 7776000, 'context', 'session-' || n, 'user' || (n % 1000) FROM numbers LIMIT ?1",
    "INSERT INTO injected_rules (org_id, kind, rule_id, injection, wording)
     SELECT 'o', 'agent_playbook', n % 20, n + 1, 'w' FROM numbers WHERE ?2 > 0 LIMIT ?1",
];

#[tokio::main(flavor = "current_thread")]
async fn main() {
    println!("rows | counts ms | versions ms | uses of a rule ms | judged sessions ms");
    for size in std::env::args().skip(1) {
        let rows: i64 = size.replace('_', "").parse().unwrap();
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("speed.db");
        drop(SqliteStore::open(&path, &Default::default()).unwrap());
        fill(&path, rows);
        let store = SqliteStore::open(&path, &Default::default()).unwrap();
        measure(&store, rows).await;
    }
}

fn fill(path: &Path, rows: i64) {
    let sql = Connection::open(path).unwrap();
    sql.execute_batch("PRAGMA synchronous = off; BEGIN").unwrap();
    let numbers = "WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers)";
    for statement in FILL {
        let text = statement.replacen("SELECT", &format!("{numbers} SELECT"), 1);
        sql.execute(&text, (rows, NOW)).unwrap();
    }
    sql.execute_batch("COMMIT").unwrap();
}

async fn measure(store: &SqliteStore, rows: i64) {
    let org = OrgId::new("o");
    let week = TimeRange { start: Some(Timestamp(NOW - 7 * 86_400)), end: None };
    let scope = PlaybookScope { time: week, ..PlaybookScope::default() };
    let rule = RuleRef { kind: LearningKind::AgentPlaybook, id: "3".to_owned() };
    let month = Timestamp(NOW - 30 * 86_400);
    let mut times = Vec::new();
    for part in 0..4 {
        let started = Instant::now();
        for _ in 0..ROUNDS {
            match part {
                0 => assert!(!store.playbook_counts(&org, &scope).await.unwrap().user.is_empty()),
                1 => assert_eq!(store.version_counts(&org, &scope).await.unwrap().len(), 5),
                2 => assert_eq!(store.rule_uses(&org, &rule).await.unwrap().wordings.len(), 1),
                _ => {
                    let found =
                        store.judged_sessions(&org, &rule, month, Peers::WithRules, 200_000).await.unwrap();
                    assert!(!found.sessions.is_empty());
                }
            }
        }
        times.push(format!("{:.1}", started.elapsed().as_secs_f64() * 1000.0 / f64::from(ROUNDS)));
    }
    println!("{rows} | {}", times.join(" | "));
}
