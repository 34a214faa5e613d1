//! Searching, writing and loading at the same time.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use reflexio_store::{
    AgentPlaybookChange, AgentPlaybookFilter, AgentPlaybookSelector, AgentPlaybooks, Maintenance, Scored,
    Vectors,
};
use reflexio_store_sqlite::SqliteStore;
use reflexio_types::{AgentPlaybook, AgentPlaybookBody, AgentPlaybookId, PlaybookStatus, Status, Timestamp};
use support::vectors::{embed_all, embed_some, model, near, number, vector};
use support::{open, org};
use tempfile::TempDir;
use tokio::task::JoinSet;

const WRITERS: u64 = 3;
const EVERY: usize = 100_000;

fn rule(n: u64) -> AgentPlaybook {
    AgentPlaybook {
        id: AgentPlaybookId(0),
        playbook_name: "rule".to_owned(),
        agent_version: "v1".to_owned(),
        created_at: Timestamp(1),
        playbook_status: PlaybookStatus::ALL[n as usize % 3],
        status: Status::Current,
        body: AgentPlaybookBody { content: format!("rule {n}"), ..AgentPlaybookBody::default() },
    }
}

/// One change of a rule; every seventh goes, some get another text, some another status.
async fn change(store: &SqliteStore, id: AgentPlaybookId, n: u64) {
    match n % 7 {
        0 => {
            let one = AgentPlaybookSelector::Ids(vec![id]);
            store.delete_agent_playbooks(&org(), &one, Timestamp(2)).await.unwrap();
        }
        1 | 2 => {
            let content = Some(format!("rule {}", n + 1_000_000));
            let change = AgentPlaybookChange { content, ..AgentPlaybookChange::default() };
            store.update_agent_playbook(&org(), id, &change, None, Timestamp(2)).await.unwrap();
        }
        3 => drop(store.add_agent_playbooks(&org(), vec![rule(n + 2_000_000)], None).await.unwrap()),
        _ => {
            let playbook_status = Some(PlaybookStatus::ALL[(n / 7) as usize % 3]);
            let change = AgentPlaybookChange { playbook_status, ..AgentPlaybookChange::default() };
            store.update_agent_playbook(&org(), id, &change, None, Timestamp(2)).await.unwrap();
        }
    }
}

/// Each writer changes its own rules, a third of all.
fn start_writers(store: &Arc<SqliteStore>, ids: &[AgentPlaybookId], round: u64) -> JoinSet<()> {
    let mut tasks = JoinSet::new();
    for writer in 0..WRITERS {
        let (store, ids) = (Arc::clone(store), ids.to_vec());
        tasks.spawn(async move {
            for (n, id) in (0..).zip(ids).filter(|(n, _)| n % WRITERS == writer) {
                change(&store, id, n * 31 + round).await;
            }
        });
    }
    tasks
}

fn of_status(status: PlaybookStatus) -> AgentPlaybookFilter {
    AgentPlaybookFilter { playbook_status: vec![status], ..AgentPlaybookFilter::default() }
}

/// What was found is what it says it is.
fn is_sound(found: &[Scored<AgentPlaybook>], asked: &[f32], status: PlaybookStatus) {
    let mut ids: Vec<i64> = found.iter().map(|hit| hit.row.id.0).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), found.len(), "each row once");
    assert!(found.is_sorted_by(|a, b| a.cosine >= b.cosine), "the nearest first");
    for hit in found {
        assert_eq!(hit.row.playbook_status, status);
        let own = vector(number(&hit.row.body.content));
        let cosine: f32 = own.iter().zip(asked).map(|(a, b)| a * b).sum();
        let told = hit.cosine.unwrap();
        assert!((told - f64::from(cosine)).abs() < 1e-5, "the vector is of another text: {hit:?}");
    }
}

/// Searches by meaning find all rows, and nothing that is not there.
async fn is_complete(store: &SqliteStore) {
    for status in PlaybookStatus::ALL {
        let asked = vector(7);
        let ask = near(asked.clone(), EVERY);
        let found = store.search_agent_playbooks(&org(), &of_status(status), &ask).await.unwrap();
        is_sound(&found, &asked, status);
        let mut found: Vec<i64> = found.iter().map(|hit| hit.row.id.0).collect();
        let listed = store.agent_playbooks(&org(), &of_status(status), EVERY).await.unwrap();
        let mut listed: Vec<i64> = listed.iter().map(|row| row.id.0).collect();
        found.sort_unstable();
        listed.sort_unstable();
        assert_eq!(found, listed, "{status:?}");
    }
}

async fn ids(store: &SqliteStore) -> Vec<AgentPlaybookId> {
    let rows = store.agent_playbooks(&org(), &AgentPlaybookFilter::default(), EVERY).await.unwrap();
    rows.into_iter().map(|row| row.id).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_is_written_while_the_index_loads_is_neither_lost_nor_a_ghost() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("test.db");
    let store = open(&path);
    store.use_model(Some(&model())).await.unwrap();
    store.add_agent_playbooks(&org(), (0..4000).map(rule).collect(), None).await.unwrap();
    embed_all(&store).await;
    drop(store);
    for round in 0..4 {
        let store = Arc::new(open(&path));
        let ids = ids(&store).await.into_iter().take(300).collect::<Vec<_>>();
        let mut tasks = start_writers(&store, &ids, round);
        for _ in 0..5 {
            store.use_model(Some(&model())).await.unwrap();
            embed_some(&store, 50).await;
        }
        while let Some(done) = tasks.join_next().await {
            done.unwrap();
        }
        embed_all(&store).await;
        is_complete(&store).await;
    }
    let store = open(&path);
    store.use_model(Some(&model())).await.unwrap();
    is_complete(&store).await;
    assert_eq!(store.check_integrity().await.unwrap().problems, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_search_during_writes_finds_only_what_fits_together() {
    let folder = TempDir::new().unwrap();
    let store = Arc::new(open(&folder.path().join("test.db")));
    store.use_model(Some(&model())).await.unwrap();
    store.add_agent_playbooks(&org(), (0..900).map(rule).collect(), None).await.unwrap();
    embed_all(&store).await;
    let done = Arc::new(AtomicBool::new(false));
    let searches = Arc::new(AtomicU64::new(0));
    let mut searchers = JoinSet::new();
    for searcher in 0..2 {
        let (store, done, searches) = (Arc::clone(&store), Arc::clone(&done), Arc::clone(&searches));
        searchers.spawn(async move {
            while !done.load(Ordering::Relaxed) {
                let n = searches.fetch_add(1, Ordering::Relaxed);
                let status = PlaybookStatus::ALL[n as usize % 3];
                let asked = vector(n * 2 + searcher);
                let limit = if n.is_multiple_of(2) { 10 } else { EVERY };
                let ask = near(asked.clone(), limit);
                let found = store.search_agent_playbooks(&org(), &of_status(status), &ask).await.unwrap();
                is_sound(&found, &asked, status);
            }
        });
    }
    let mut writers = start_writers(&store, &ids(&store).await, 0);
    while writers.try_join_next().is_some() || !writers.is_empty() {
        embed_some(&store, 20).await;
        tokio::task::yield_now().await;
    }
    done.store(true, Ordering::Relaxed);
    while let Some(searcher) = searchers.join_next().await {
        searcher.unwrap();
    }
    assert!(searches.load(Ordering::Relaxed) > 0);
    embed_all(&store).await;
    is_complete(&store).await;
}
