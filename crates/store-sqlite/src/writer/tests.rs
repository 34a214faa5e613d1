use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

use reflexio_store::Error;
use tempfile::TempDir;
use tokio::task::JoinSet;

use super::*;
use crate::{Options, schema};

/// A writer that commits only when its inbox is empty, and how often it did.
struct Bench {
    folder: TempDir,
    writer: Arc<Writer>,
    commits: Arc<AtomicUsize>,
}

impl Bench {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let mut connection =
            schema::open_writer(&folder.path().join("test.db"), &Options::default()).unwrap();
        let commits = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&commits);
        connection
            .commit_hook(Some(move || {
                counter.fetch_add(1, Ordering::SeqCst);
                false
            }))
            .unwrap();
        let limits = Limits { tasks: 10_000, time: Duration::from_secs(3600) };
        Self { folder, writer: Arc::new(Writer::start(connection, Arc::default(), limits).unwrap()), commits }
    }

    /// Keeps the writer busy until something is sent, so that what follows lands in one batch.
    async fn hold(&self, tasks: &mut JoinSet<store::Result<()>>) -> Sender<()> {
        let (release, held) = channel();
        let (started, running) = oneshot::channel();
        let writer = Arc::clone(&self.writer);
        tasks.spawn(async move { writer.write(move |_| wait(started, &held)).await });
        running.await.unwrap();
        release
    }

    /// Hands in a task and returns once it is in the queue.
    async fn submit(
        &self,
        tasks: &mut JoinSet<store::Result<()>>,
        work: impl FnOnce(&mut Tx<'_>) -> Result<()> + Send + 'static,
    ) {
        let before = self.queued();
        let writer = Arc::clone(&self.writer);
        tasks.spawn(async move { writer.write(work).await });
        while self.queued() == before {
            tokio::task::yield_now().await;
        }
    }

    fn queued(&self) -> usize {
        self.writer.inbox.as_ref().map_or(0, |inbox| inbox.max_capacity() - inbox.capacity())
    }

    /// What another connection sees.
    fn stored(&self) -> Vec<String> {
        let connection = schema::open_reader(&self.folder.path().join("test.db")).unwrap();
        let mut statement = connection.prepare("SELECT org_id FROM stalls ORDER BY org_id").unwrap();
        let rows = statement.query_map([], |row| row.get(0)).unwrap();
        rows.collect::<rusqlite::Result<_>>().unwrap()
    }
}

fn wait(started: oneshot::Sender<()>, held: &Receiver<()>) -> Result<()> {
    started.send(()).unwrap();
    held.recv().unwrap();
    Ok(())
}

fn store_name(tx: &mut Tx<'_>, name: &str) -> Result<()> {
    tx.sql.execute("INSERT INTO stalls (org_id, body) VALUES (?, '{}')", [name])?;
    Ok(())
}

async fn outcomes(tasks: JoinSet<store::Result<()>>) -> (usize, Vec<Error>) {
    let (good, bad): (Vec<_>, Vec<_>) = tasks.join_all().await.into_iter().partition(Result::is_ok);
    (good.len(), bad.into_iter().filter_map(Result::err).collect())
}

#[tokio::test]
async fn tasks_that_wait_are_committed_together() {
    let bench = Bench::new();
    let mut tasks = JoinSet::new();
    let release = bench.hold(&mut tasks).await;
    for n in 0..100 {
        bench.submit(&mut tasks, move |tx| store_name(tx, &format!("org{n:03}"))).await;
    }
    let before = bench.commits.load(Ordering::SeqCst);
    release.send(()).unwrap();
    let (good, bad) = outcomes(tasks).await;
    assert_eq!((good, bad.len(), bench.stored().len()), (101, 0, 100));
    assert_eq!(bench.commits.load(Ordering::SeqCst) - before, 1);
}

#[tokio::test]
async fn a_task_that_fails_or_panics_is_undone_alone() {
    let bench = Bench::new();
    let mut tasks = JoinSet::new();
    let release = bench.hold(&mut tasks).await;
    bench.submit(&mut tasks, |tx| store_name(tx, "first")).await;
    bench
        .submit(&mut tasks, |tx| {
            store_name(tx, "failing")?;
            tx.index.remove(Index::Profiles, &OrgId::new("acme"), 1);
            Err(Error::Changed { what: "it" }.into())
        })
        .await;
    bench
        .submit(&mut tasks, |tx| {
            store_name(tx, "panicking")?;
            std::panic::panic_any("on purpose");
        })
        .await;
    bench.submit(&mut tasks, |tx| store_name(tx, "first")).await;
    bench.submit(&mut tasks, |tx| store_name(tx, "last")).await;
    release.send(()).unwrap();
    let (good, bad) = outcomes(tasks).await;
    assert_eq!((good, bad.len()), (3, 3), "{bad:?}");
    assert!(bad.iter().any(|error| matches!(error, Error::Changed { what: "it" })));
    assert_eq!(bench.stored(), ["first", "last"]);
}

#[tokio::test]
async fn no_task_is_answered_before_the_commit() {
    let bench = Bench::new();
    let (mut early, mut late) = (JoinSet::new(), JoinSet::new());
    let release = bench.hold(&mut late).await;
    bench.submit(&mut early, |tx| store_name(tx, "early")).await;
    let (started, running) = oneshot::channel();
    let (finish, held) = channel();
    bench.submit(&mut late, move |_| wait(started, &held)).await;
    release.send(()).unwrap();
    running.await.unwrap();
    // The early task has run, in the same batch as the one that runs now.
    assert!(early.try_join_next().is_none());
    assert!(bench.stored().is_empty());
    finish.send(()).unwrap();
    assert_eq!(outcomes(early).await.0, 1);
    assert_eq!(bench.stored(), ["early"]);
    assert_eq!(outcomes(late).await.0, 2);
}

#[tokio::test]
async fn when_the_database_ends_the_transaction_the_whole_batch_is_told() {
    let bench = Bench::new();
    let mut tasks = JoinSet::new();
    let release = bench.hold(&mut tasks).await;
    bench.submit(&mut tasks, |tx| store_name(tx, "before")).await;
    bench
        .submit(&mut tasks, |tx| {
            tx.sql.execute_batch("ROLLBACK")?;
            Err(Error::Full.into())
        })
        .await;
    release.send(()).unwrap();
    let (good, bad) = outcomes(tasks).await;
    assert_eq!((good, bad.len()), (0, 3));
    assert!(bad.iter().all(|error| matches!(error, Error::Full)), "{bad:?}");
    assert!(bench.stored().is_empty());
    bench.writer.write(|tx| store_name(tx, "after")).await.unwrap();
    assert_eq!(bench.stored(), ["after"]);
}

#[tokio::test]
async fn what_is_queued_is_finished_before_the_writer_closes() {
    let bench = Bench::new();
    let mut tasks = JoinSet::new();
    let release = bench.hold(&mut tasks).await;
    bench.submit(&mut tasks, |tx| store_name(tx, "queued")).await;
    release.send(()).unwrap();
    let Bench { folder, writer, commits } = bench;
    assert_eq!(outcomes(tasks).await.0, 2);
    drop(Arc::into_inner(writer).unwrap());
    assert!(commits.load(Ordering::SeqCst) > 0);
    // Folded into the database: the log is gone with the last connection.
    assert!(!folder.path().join("test.db-wal").exists());
}
