//! A journal as a file of JSON lines: the first line says which run it is, every other one is an entry.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use playbook_engine::{Entry, Tool};
use serde::{Deserialize, Serialize};

use super::{Journal, JournalError};

/// What must be known to go on with a run besides its entries.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    pub run: String,
    /// The files of the program, as they were named.
    pub files: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// What servers offered when the run began.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<Tool>,
}

/// A file that belongs to one process as long as this lives.
#[derive(Debug)]
pub struct FileJournal {
    header: Header,
    stored: Mutex<Stored>,
}

#[derive(Debug)]
struct Stored {
    file: File,
    /// Entries in the file.
    count: u64,
}

impl FileJournal {
    /// Makes a new file; one that is there is left alone and is an error.
    pub fn create(path: &Path, header: Header) -> Result<Self, JournalError> {
        let mut options = OpenOptions::new();
        options.read(true).append(true).create_new(true);
        // Conversations are private.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(path).map_err(unavailable)?;
        lock(&file)?;
        let mut line = serde_json::to_vec(&header).map_err(|error| damaged(1, &error))?;
        line.push(b'\n');
        file.write_all(&line).and_then(|()| file.sync_all()).map_err(unavailable)?;
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            // The name of the file must survive a crash as well.
            File::open(folder).and_then(|folder| folder.sync_all()).map_err(unavailable)?;
        }
        Ok(Self { header, stored: Mutex::new(Stored { file, count: 0 }) })
    }

    /// Opens a file that is there. What a crash left of the last line is cut off.
    pub fn open(path: &Path) -> Result<Self, JournalError> {
        let mut file = OpenOptions::new().read(true).append(true).open(path).map_err(unavailable)?;
        lock(&file)?;
        let whole = cut_to_lines(&mut file).map_err(unavailable)?;
        let (header, entries) = read(&mut file, whole)?;
        Ok(Self { header, stored: Mutex::new(Stored { file, count: entries.len() as u64 }) })
    }

    /// Which run it is.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The header of a file, without taking it.
    pub fn peek(path: &Path) -> Result<Header, JournalError> {
        let mut line = String::new();
        let file = File::open(path).map_err(unavailable)?;
        BufReader::new(file).read_line(&mut line).map_err(unavailable)?;
        serde_json::from_str(&line).map_err(|error| damaged(1, &error))
    }
}

fn lock(file: &File) -> Result<(), JournalError> {
    file.try_lock().map_err(|error| match error {
        TryLockError::WouldBlock => JournalError::Busy,
        TryLockError::Error(error) => unavailable(error),
    })
}

/// Drops bytes after the last line break; says how long the file is then.
fn cut_to_lines(file: &mut File) -> io::Result<u64> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.read_to_end(&mut bytes)?;
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    if whole < bytes.len() {
        file.set_len(whole as u64)?;
        file.sync_all()?;
    }
    Ok(whole as u64)
}

fn read(file: &mut File, whole: u64) -> Result<(Header, Vec<Entry>), JournalError> {
    file.seek(SeekFrom::Start(0)).map_err(unavailable)?;
    let mut lines = BufReader::new(file.take(whole)).lines();
    let first = lines.next().ok_or_else(|| JournalError::Damaged("it is empty".to_owned()))?;
    let header = serde_json::from_str(&first.map_err(unavailable)?).map_err(|error| damaged(1, &error))?;
    let mut entries = Vec::new();
    for (at, line) in lines.enumerate() {
        let line = line.map_err(unavailable)?;
        entries.push(serde_json::from_str(&line).map_err(|error| damaged(at + 2, &error))?);
    }
    Ok((header, entries))
}

fn damaged(line: usize, error: &serde_json::Error) -> JournalError {
    JournalError::Damaged(format!("line {line}: {error}"))
}

#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
fn unavailable(error: io::Error) -> JournalError {
    JournalError::Unavailable(error.to_string())
}

#[async_trait]
impl Journal for FileJournal {
    async fn read(&self) -> Result<Vec<Entry>, JournalError> {
        let mut stored = self.stored.lock().unwrap_or_else(PoisonError::into_inner);
        let whole = stored.file.metadata().map_err(unavailable)?.len();
        let (_, entries) = read(&mut stored.file, whole)?;
        Ok(entries)
    }

    /// One write and one sync for everything: blocking for some milliseconds is all a terminal notices.
    async fn append(&self, position: u64, entries: &[Entry]) -> Result<(), JournalError> {
        let mut lines = Vec::new();
        for entry in entries {
            serde_json::to_writer(&mut lines, entry)
                .map_err(|error| JournalError::Unavailable(error.to_string()))?;
            lines.push(b'\n');
        }
        let mut stored = self.stored.lock().unwrap_or_else(PoisonError::into_inner);
        if stored.count != position {
            return Err(JournalError::Moved { expected: position, found: stored.count });
        }
        stored.file.write_all(&lines).and_then(|()| stored.file.sync_data()).map_err(unavailable)?;
        stored.count += entries.len() as u64;
        Ok(())
    }
}
