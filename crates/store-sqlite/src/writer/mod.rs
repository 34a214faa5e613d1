#[cfg(test)]
mod tests;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use reflexio_store as store;
use reflexio_types::OrgId;
use rusqlite::Connection;
use tokio::sync::mpsc::error::TryRecvError;
use tokio::sync::{mpsc, oneshot};

use crate::error::{Fault, Result, repeat};
use crate::fts::{Index, IndexLog};
use crate::nearest::{Changes, Live, sidecar};
use crate::purge::{self, Progress};

/// More callers than this wait before they can even hand in their task.
const LONGEST_QUEUE: usize = 1024;

/// What one commit may hold.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) tasks: usize,
    /// Tasks that arrive later wait for the next commit, so that the first ones are answered soon.
    pub(crate) time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { tasks: 256, time: Duration::from_millis(4) }
    }
}

/// What a task may do: run statements, and note what has to change in the text indexes.
pub(crate) struct Tx<'a> {
    pub(crate) sql: &'a Connection,
    pub(crate) index: &'a mut IndexLog,
}

impl Tx<'_> {
    /// Takes rows that were deleted out of the index of their table.
    pub(crate) fn forget(&mut self, index: Index, org: &OrgId, keys: &[i64]) -> Result<()> {
        let text = format!("SELECT EXISTS (SELECT 1 FROM {})", index.rows().0);
        let some_left: bool = self.sql.prepare_cached(&text)?.query_row([], |row| row.get(0))?;
        if some_left {
            keys.iter().for_each(|key| self.index.remove(index, org, *key));
        } else {
            self.index.clear(index);
        }
        Ok(())
    }
}

/// The thread that does all writing. It runs the tasks that wait for it in one transaction, commits
/// once, and only then answers them. A task that fails is undone alone.
pub(crate) struct Writer {
    inbox: Option<mpsc::Sender<Box<dyn Task>>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    pub(crate) fn start(connection: Connection, live: Arc<Live>, limits: Limits) -> Result<Self> {
        let (inbox, tasks) = mpsc::channel(LONGEST_QUEUE);
        let thread = std::thread::Builder::new()
            .name("sqlite-writer".to_owned())
            .spawn(move || serve(&connection, &live, tasks, limits))?;
        Ok(Self { inbox: Some(inbox), thread: Some(thread) })
    }

    /// Runs `work` in a transaction; what it did is durable when this returns `Ok`.
    pub(crate) async fn write<T, F>(&self, work: F) -> store::Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&mut Tx<'_>) -> Result<T> + Send + 'static,
    {
        let Some(inbox) = &self.inbox else { return Err(store::Error::Closed) };
        let (reply, answer) = oneshot::channel();
        let call = Call { work: Some(work), outcome: None, reply };
        inbox.send(Box::new(call)).await.map_err(|_| store::Error::Closed)?;
        metrics::gauge!("reflexio_store_write_queue_depth")
            .set((inbox.max_capacity() - inbox.capacity()) as f64);
        answer.await.map_err(|_| store::Error::Closed)?
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.inbox = None;
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the writer thread panicked");
        }
    }
}

trait Task: Send {
    /// Does the work; says why it failed.
    fn run(&mut self, tx: &mut Tx<'_>) -> Result<(), store::Error>;

    /// Tells the caller how it went; `lost` says why the transaction did not become durable.
    fn answer(self: Box<Self>, lost: Option<&store::Error>);
}

struct Call<F, T> {
    work: Option<F>,
    outcome: Option<store::Result<T>>,
    reply: oneshot::Sender<store::Result<T>>,
}

impl<F, T> Task for Call<F, T>
where
    T: Send,
    F: FnOnce(&mut Tx<'_>) -> Result<T> + Send,
{
    fn run(&mut self, tx: &mut Tx<'_>) -> Result<(), store::Error> {
        let Some(work) = self.work.take() else { return Ok(()) };
        let outcome = catch_unwind(AssertUnwindSafe(|| work(tx)))
            .unwrap_or_else(|_| Err(store::Error::Internal("a write task panicked".into()).into()))
            .map_err(store::Error::from);
        let failure = outcome.as_ref().err().map(repeat);
        self.outcome = Some(outcome);
        failure.map_or(Ok(()), Err)
    }

    fn answer(self: Box<Self>, lost: Option<&store::Error>) {
        let answer = match (self.outcome, lost) {
            (Some(Err(own)), _) => Err(own),
            (_, Some(lost)) => Err(repeat(lost)),
            (Some(Ok(value)), None) => Ok(value),
            (None, None) => Err(store::Error::Closed),
        };
        // A caller that went away does not want the answer.
        drop(self.reply.send(answer));
    }
}

fn serve(connection: &Connection, live: &Live, mut inbox: mpsc::Receiver<Box<dyn Task>>, limits: Limits) {
    while let Some(first) = next_task(connection, &mut inbox) {
        let mut tasks = vec![first];
        let started = Instant::now();
        let committed =
            commit_batch(connection, live, &mut tasks, &mut inbox, limits).map_err(store::Error::from);
        let lost = committed.map(|changes| live.apply(changes)).err();
        if let Some(error) = &lost {
            undo(connection);
            tracing::error!(error = %error, source = ?std::error::Error::source(error), tasks = tasks.len(), "write batch lost");
        }
        metrics::histogram!("reflexio_store_commit_seconds").record(started.elapsed().as_secs_f64());
        metrics::histogram!("reflexio_store_commit_batch_size").record(tasks.len() as f64);
        metrics::gauge!("reflexio_store_write_queue_depth").set(inbox.len() as f64);
        tasks.into_iter().for_each(|task| task.answer(lost.as_ref()));
    }
    if let Err(error) = purge::fold_log(connection) {
        tracing::warn!(?error, "the write-ahead log could not be folded into the database");
    }
}

/// How long the log is left alone that somebody reads. A task that arrives meanwhile waits as long at most.
const BLOCKED: Duration = Duration::from_millis(5);

/// Waits for a task. As long as there is none, goes on with the erasing that is left to do.
fn next_task(connection: &Connection, inbox: &mut mpsc::Receiver<Box<dyn Task>>) -> Option<Box<dyn Task>> {
    loop {
        match inbox.try_recv() {
            Ok(task) => return Some(task),
            Err(TryRecvError::Disconnected) => return None,
            Err(TryRecvError::Empty) => {}
        }
        match purge::step(connection) {
            Ok(Progress::More) => {}
            Ok(Progress::Blocked) => std::thread::sleep(BLOCKED),
            Ok(Progress::Done) => return inbox.blocking_recv(),
            Err(error) => {
                tracing::warn!(?error, "erased words could not be taken out of an index");
                return inbox.blocking_recv();
            }
        }
    }
}

/// Runs the first task and those that follow it closely, then commits. An error means nothing is stored.
fn commit_batch(
    connection: &Connection,
    live: &Live,
    tasks: &mut Vec<Box<dyn Task>>,
    inbox: &mut mpsc::Receiver<Box<dyn Task>>,
    limits: Limits,
) -> Result<Changes> {
    let deadline = Instant::now() + limits.time;
    if let Err(error) = run(connection, "BEGIN IMMEDIATE") {
        // The others would wait as long for the same answer.
        while tasks.len() < limits.tasks
            && let Ok(task) = inbox.try_recv()
        {
            tasks.push(task);
        }
        return Err(error);
    }
    let mut log = IndexLog::default();
    let mut next = 0;
    while let Some(task) = tasks.get_mut(next) {
        run_task(connection, &mut log, task.as_mut())?;
        next += 1;
        if next < limits.tasks
            && Instant::now() < deadline
            && let Ok(task) = inbox.try_recv()
        {
            tasks.push(task);
        }
    }
    if live.is_saved() && !log.is_empty() {
        sidecar::invalidate(connection, live)?;
    }
    let changes = log.apply(connection, live)?;
    run(connection, "COMMIT")?;
    Ok(changes)
}

/// Runs one task so that its failure leaves the others alone. An error means the transaction is gone.
fn run_task(connection: &Connection, log: &mut IndexLog, task: &mut dyn Task) -> Result<()> {
    run(connection, "SAVEPOINT task")?;
    let mark = log.mark();
    if let Err(failure) = task.run(&mut Tx { sql: connection, index: log }) {
        log.undo_to(mark);
        // SQLite ends the whole transaction by itself when, for example, the disk is full.
        if connection.is_autocommit() {
            return Err(Fault::Store(failure));
        }
        run(connection, "ROLLBACK TO task")?;
    }
    run(connection, "RELEASE task")
}

fn undo(connection: &Connection) {
    if !connection.is_autocommit()
        && let Err(error) = run(connection, "ROLLBACK")
    {
        tracing::error!(?error, "a write batch could not be rolled back");
    }
}

fn run(connection: &Connection, statement: &str) -> Result<()> {
    connection.prepare_cached(statement)?.execute([])?;
    Ok(())
}
