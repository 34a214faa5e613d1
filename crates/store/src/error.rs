use reflexio_types::JobId;

/// Why the store could not do what it was asked, by what the caller can do about it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The caller may pick another id; nothing was written.
    #[error("{what} `{id}` already exists")]
    Duplicate { what: &'static str, id: String },
    /// Somebody else changed the row first; read again and retry.
    #[error("{what} was changed by somebody else")]
    Changed { what: &'static str },
    /// Another worker has the job, or it is over or gone; stop working on it.
    #[error("job `{0}` is no longer held by this worker")]
    LostLease(JobId),
    /// Nothing was written; works again once there is space.
    #[error("the disk is full")]
    Full,
    /// The database file or its folder cannot be written.
    #[error("the database is read-only")]
    ReadOnly,
    /// Another process holds the database; retry later.
    #[error("the database is busy")]
    Busy,
    /// The file is damaged or not ours; restore a backup.
    #[error("the database is damaged: {0}")]
    Corrupt(String),
    /// Vectors of this kind cannot be searched; choose another model.
    #[error("the model cannot be used: {0}")]
    UnusableModel(String),
    /// The store is shutting down.
    #[error("the store is closed")]
    Closed,
    /// A fault of the database or of this program; details are for the log, not for the caller.
    #[error("storage failed")]
    Internal(#[source] Box<dyn std::error::Error + Send + Sync>),
}

pub type Result<T, E = Error> = std::result::Result<T, E>;
