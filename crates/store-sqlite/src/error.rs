use reflexio_store as store;
use rusqlite::ErrorCode;
use rusqlite::ffi::SQLITE_IOERR_SHMSIZE;

/// What can go wrong inside a task: the database's word or our own.
#[derive(Debug)]
pub(crate) enum Fault {
    Sqlite(rusqlite::Error),
    Store(store::Error),
}

pub(crate) type Result<T, E = Fault> = std::result::Result<T, E>;

impl Fault {
    pub(crate) fn duplicate(what: &'static str, id: &impl ToString) -> Self {
        Self::Store(store::Error::Duplicate { what, id: id.to_string() })
    }
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<store::Error> for Fault {
    fn from(error: store::Error) -> Self {
        Self::Store(error)
    }
}

impl From<serde_json::Error> for Fault {
    fn from(error: serde_json::Error) -> Self {
        Self::Store(store::Error::Internal(Box::new(error)))
    }
}

impl From<std::io::Error> for Fault {
    fn from(error: std::io::Error) -> Self {
        use std::io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem, StorageFull};
        let kind = error.kind();
        Self::Store(if kind == StorageFull {
            store::Error::Full
        } else if kind == ReadOnlyFilesystem || kind == PermissionDenied {
            store::Error::ReadOnly
        } else {
            store::Error::Internal(Box::new(error))
        })
    }
}

impl From<Fault> for store::Error {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Sqlite(error) => translate(&error),
            Fault::Store(error) => error,
        }
    }
}

/// The same error once more: one failed commit is the answer to many tasks.
pub(crate) fn repeat(error: &store::Error) -> store::Error {
    match error {
        store::Error::Duplicate { what, id } => store::Error::Duplicate { what, id: id.clone() },
        store::Error::Changed { what } => store::Error::Changed { what },
        store::Error::LostLease(job) => store::Error::LostLease(*job),
        store::Error::Full => store::Error::Full,
        store::Error::ReadOnly => store::Error::ReadOnly,
        store::Error::Busy => store::Error::Busy,
        store::Error::Corrupt(text) => store::Error::Corrupt(text.clone()),
        store::Error::UnusableModel(text) => store::Error::UnusableModel(text.clone()),
        store::Error::Closed => store::Error::Closed,
        store::Error::Internal(source) => store::Error::Internal(source.to_string().into()),
    }
}

pub(crate) fn translate(error: &rusqlite::Error) -> store::Error {
    if let rusqlite::Error::FromSqlConversionFailure(..) | rusqlite::Error::InvalidColumnType(..) = error {
        return store::Error::Corrupt(format!("a stored value cannot be read: {error}"));
    }
    if error.sqlite_error().is_some_and(|cause| cause.extended_code == SQLITE_IOERR_SHMSIZE) {
        return store::Error::Full;
    }
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => store::Error::Full,
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::CannotOpen) => {
            store::Error::ReadOnly
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => store::Error::Busy,
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            store::Error::Corrupt(error.to_string())
        }
        _ => store::Error::Internal(error.to_string().into()),
    }
}
