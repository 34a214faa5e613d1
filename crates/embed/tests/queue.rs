//! The queue and the cache before an embedder that the test holds back and releases.

#![expect(clippy::expect_used, reason = "a helper of a test fails the test")]

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use reflexio_embed::{Embedder, Error, Priority, QueryCache, Queue, QueueOptions, Result};
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// Embeds a text as its length, writes down every call, and lets calls pass one by one.
struct Gate {
    calls: Mutex<Vec<Vec<String>>>,
    pass: Semaphore,
    panics: AtomicBool,
}

impl Gate {
    fn closed() -> Arc<Self> {
        Arc::new(Self { calls: Mutex::default(), pass: Semaphore::new(0), panics: AtomicBool::new(false) })
    }

    fn open() -> Arc<Self> {
        let gate = Self::closed();
        gate.pass.add_permits(1_000_000);
        gate
    }

    fn calls(&self) -> Vec<String> {
        self.calls.lock().expect("calls").iter().map(|call| call.join(" ")).collect()
    }

    async fn until_calls(&self, count: usize) {
        until(|| self.calls().len() == count).await;
    }
}

#[async_trait]
impl Embedder for Gate {
    fn id(&self) -> &str {
        "gate"
    }

    fn dimension(&self) -> usize {
        1
    }

    async fn embed(&self, texts: &[String], _priority: Priority) -> Result<Vec<Vec<f32>>> {
        self.calls.lock().expect("calls").push(texts.to_vec());
        self.pass.acquire().await.expect("open").forget();
        assert!(!self.panics.load(Ordering::Relaxed), "told to panic");
        if texts.iter().any(|text| text == "bad") {
            return Err(Error::Misconfigured("bad".to_owned()));
        }
        Ok(texts.iter().map(|text| vec![text.len() as f32]).collect())
    }
}

async fn until(condition: impl Fn() -> bool) {
    timeout(Duration::from_secs(10), async {
        while !condition() {
            tokio::task::yield_now().await;
        }
    })
    .await
    .expect("in time");
}

fn queue(gate: &Arc<Gate>, options: QueueOptions) -> Arc<Queue> {
    Arc::new(Queue::start(Arc::clone(gate) as Arc<dyn Embedder>, options))
}

fn one_worker() -> QueueOptions {
    QueueOptions { workers: 1, query_workers: 0, batch: 2, waiting_queries: 4, waiting_batches: 3 }
}

fn ask(
    queue: &Arc<Queue>,
    texts: &[&str],
    priority: Priority,
) -> tokio::task::JoinHandle<Result<Vec<Vec<f32>>>> {
    let (queue, texts) = (Arc::clone(queue), texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>());
    tokio::spawn(async move { queue.embed(&texts, priority).await })
}

#[tokio::test]
async fn a_query_overtakes_backfill_that_came_before_it() {
    let gate = Gate::closed();
    let queue = queue(&gate, one_worker());
    let backfill = ask(&queue, &["a", "b", "c", "d", "e", "f"], Priority::Backfill);
    gate.until_calls(1).await;
    let query = ask(&queue, &["query"], Priority::Query);
    until(|| queue.waiting() == (1, 4)).await;
    gate.pass.add_permits(10);
    assert_eq!(query.await.expect("ran").expect("a vector"), [[5.0]]);
    assert_eq!(backfill.await.expect("ran").expect("vectors").len(), 6);
    assert_eq!(gate.calls(), ["a b", "query", "c d", "e f"]);
}

#[tokio::test]
async fn a_reserved_worker_serves_queries_while_backfill_runs() {
    let gate = Gate::closed();
    let queue = queue(&gate, QueueOptions { query_workers: 1, ..one_worker() });
    let _backfill = ask(&queue, &["a", "b", "c", "d"], Priority::Backfill);
    gate.until_calls(1).await;
    let _query = ask(&queue, &["query"], Priority::Query);
    gate.until_calls(2).await;
    assert_eq!(gate.calls(), ["a b", "query"]);
}

#[tokio::test]
async fn queries_that_wait_share_a_call_and_each_gets_its_own_vectors() {
    let gate = Gate::closed();
    let queue = queue(&gate, one_worker());
    let first = ask(&queue, &["1"], Priority::Query);
    gate.until_calls(1).await;
    let waiting: Vec<_> = ["22", "333", "4444"].map(|text| ask(&queue, &[text], Priority::Query)).into();
    until(|| queue.waiting().0 == 3).await;
    gate.pass.add_permits(10);
    assert_eq!(first.await.expect("ran").expect("a vector"), [[1.0]]);
    for (query, expected) in waiting.into_iter().zip([2.0, 3.0, 4.0]) {
        assert_eq!(query.await.expect("ran").expect("a vector"), [[expected]]);
    }
    assert_eq!(gate.calls(), ["1", "22 333", "4444"]);
}

#[tokio::test]
async fn a_full_queue_refuses_queries_and_holds_backfill_back() {
    let gate = Gate::closed();
    let queue = queue(&gate, one_worker());
    let running = ask(&queue, &["running"], Priority::Query);
    gate.until_calls(1).await;
    let queries: Vec<_> = (0..4).map(|_| ask(&queue, &["q"], Priority::Query)).collect();
    until(|| queue.waiting().0 == 4).await;
    let refused = queue.embed(&["one more".to_owned()], Priority::Query).await;
    assert!(matches!(refused, Err(Error::QueueFull(4))), "{refused:?}");
    let backfill = ask(&queue, &["x"; 20], Priority::Backfill);
    until(|| queue.waiting().1 == 6).await;
    assert!(!backfill.is_finished());
    gate.pass.add_permits(100);
    assert_eq!(backfill.await.expect("ran").expect("vectors").len(), 20);
    for query in queries.into_iter().chain([running]) {
        query.await.expect("ran").expect("a vector");
    }
}

#[tokio::test]
async fn what_nobody_waits_for_is_not_embedded() {
    let gate = Gate::closed();
    let queue = queue(&gate, one_worker());
    let first = ask(&queue, &["1"], Priority::Query);
    gate.until_calls(1).await;
    let gone = ask(&queue, &["gone"], Priority::Query);
    until(|| queue.waiting().0 == 1).await;
    gone.abort();
    assert!(gone.await.is_err());
    let last = ask(&queue, &["last"], Priority::Backfill);
    gate.pass.add_permits(10);
    last.await.expect("ran").expect("a vector");
    first.await.expect("ran").expect("a vector");
    assert_eq!(gate.calls(), ["1", "last"]);
}

#[tokio::test]
async fn an_error_or_a_panic_fails_its_callers_and_the_queue_goes_on() {
    let gate = Gate::open();
    let queue = queue(&gate, one_worker());
    let failed = queue.embed(&["bad".to_owned()], Priority::Query).await;
    assert!(matches!(failed, Err(Error::Misconfigured(_))), "{failed:?}");
    gate.panics.store(true, Ordering::Relaxed);
    let broken = queue.embed(&["a".to_owned()], Priority::Query).await;
    assert!(
        matches!(&broken, Err(Error::InvalidAnswer { reason, .. }) if reason == "it panicked"),
        "{broken:?}"
    );
    gate.panics.store(false, Ordering::Relaxed);
    assert_eq!(queue.embed(&["abc".to_owned()], Priority::Backfill).await.expect("a vector"), [[3.0]]);
}

#[tokio::test]
async fn dropping_the_queue_stops_its_workers() {
    let gate = Gate::open();
    let queue = queue(&gate, one_worker());
    queue.embed(&["a".to_owned()], Priority::Query).await.expect("a vector");
    drop(queue);
    until(|| Arc::strong_count(&gate) == 1).await;
}

#[tokio::test]
async fn a_repeated_query_is_answered_from_memory_and_backfill_is_not() {
    let gate = Gate::open();
    let cache = QueryCache::new(Arc::clone(&gate) as Arc<dyn Embedder>, 2);
    let ask = async |texts: &[&str], priority| {
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        cache.embed(&texts, priority).await.expect("vectors")
    };
    assert_eq!(ask(&["a", "bb"], Priority::Query).await, [[1.0], [2.0]]);
    assert_eq!(ask(&["bb", "ccc", "a"], Priority::Query).await, [[2.0], [3.0], [1.0]]);
    ask(&["a"], Priority::Backfill).await;
    assert_eq!(gate.calls(), ["a bb", "ccc", "a"]);
}
