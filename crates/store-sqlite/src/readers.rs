use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use reflexio_store as store;
use rusqlite::Connection;
use tokio::sync::Semaphore;

use crate::error::Result;
use crate::schema;

/// A few connections that only read. They see what was committed when their read began.
pub(crate) struct Readers {
    pool: Arc<Pool>,
    permits: Arc<Semaphore>,
}

impl Readers {
    pub(crate) fn open(path: &Path, count: usize) -> Result<Self> {
        let count = count.max(1);
        let idle = (0..count).map(|_| schema::open_reader(path)).collect::<Result<Vec<_>>>()?;
        Ok(Self { pool: Arc::new(Pool { idle: Mutex::new(idle) }), permits: Arc::new(Semaphore::new(count)) })
    }

    /// Runs `work` on a thread that may block; all its statements see one snapshot.
    pub(crate) async fn read<T, F>(&self, work: F) -> store::Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T> + Send + 'static,
    {
        let permit = Arc::clone(&self.permits).acquire_owned().await.map_err(|_| store::Error::Closed)?;
        let pool = Arc::clone(&self.pool);
        let outcome = tokio::task::spawn_blocking(move || {
            let outcome = pool.lend(work);
            drop(permit);
            outcome
        });
        let outcome = outcome.await.map_err(|error| store::Error::Internal(Box::new(error)))?;
        Ok(outcome?)
    }
}

struct Pool {
    idle: Mutex<Vec<Connection>>,
}

impl Pool {
    fn lend<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let taken = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let Some(connection) = taken else { return Err(store::Error::Closed.into()) };
        let lent = Lent { pool: self, connection: Some(connection) };
        let Some(connection) = &lent.connection else { return Err(store::Error::Closed.into()) };
        snapshot(connection, work)
    }
}

/// Brings the connection back, even after a panic.
struct Lent<'a> {
    pool: &'a Pool,
    connection: Option<Connection>,
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        let mut idle = self.pool.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.extend(self.connection.take());
    }
}

/// Several statements, one state of the database.
pub(crate) fn snapshot<T>(connection: &Connection, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
    let transaction = connection.unchecked_transaction()?;
    let value = work(&transaction)?;
    transaction.finish()?;
    Ok(value)
}
