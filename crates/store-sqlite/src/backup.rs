use std::fs::File;
use std::path::{Path, PathBuf};

use reflexio_store::{Error, Result};
use rusqlite::Connection;
use rusqlite::backup::{Backup, StepResult};
use tokio::sync::mpsc;

use crate::error::{Fault, Result as Outcome};
use crate::{readers, schema};

/// 4 MiB at a time, so that progress can be shown.
const PAGES_PER_STEP: i32 = 1024;

/// How many pages are done, of how many.
type Progress = (u64, u64);

/// Copies the database as it is now into a file that appears only when it is complete.
pub(crate) async fn backup(
    from: &Path,
    to: &Path,
    progress: &(dyn Fn(u64, u64) + Send + Sync),
) -> Result<()> {
    let (from, to) = (from.to_owned(), to.to_owned());
    let (tell, mut told) = mpsc::channel(16);
    let work = tokio::task::spawn_blocking(move || copy_into_place(&from, &to, &tell));
    while let Some((done, total)) = told.recv().await {
        progress(done, total);
    }
    Ok(work.await.map_err(|error| Error::Internal(Box::new(error)))??)
}

fn copy_into_place(from: &Path, to: &Path, tell: &mpsc::Sender<Progress>) -> Outcome<()> {
    if to.try_exists()? {
        return Err(Fault::duplicate("file", &to.display()));
    }
    let partial = beside(to, ".partial");
    remove_if_there(&partial)?;
    let copied = copy(from, &partial, tell).and_then(|()| {
        File::open(&partial)?.sync_all()?;
        std::fs::rename(&partial, to)?;
        sync_folder(to)
    });
    if copied.is_err() {
        remove_if_there(&partial)?;
    }
    copied
}

fn copy(from: &Path, to: &Path, tell: &mpsc::Sender<Progress>) -> Outcome<()> {
    let source = schema::open_reader(from)?;
    let mut target = Connection::open(to)?;
    // While the snapshot is held, the copy does not start over when somebody writes.
    readers::snapshot(&source, |source| {
        source.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
        let backup = Backup::new(source, &mut target)?;
        loop {
            let step = backup.step(PAGES_PER_STEP)?;
            let (total, left) = (backup.progress().pagecount, backup.progress().remaining);
            let gone = tell
                .blocking_send((u64::from((total - left).unsigned_abs()), u64::from(total.unsigned_abs())));
            if gone.is_err() {
                return Err(Error::Closed.into());
            }
            if step == StepResult::Done {
                return Ok(());
            }
            if step != StepResult::More {
                return Err(Error::Busy.into());
            }
        }
    })
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

fn remove_if_there(path: &Path) -> Outcome<()> {
    for ending in ["", "-wal", "-shm", "-journal"] {
        match std::fs::remove_file(beside(path, ending)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
    }
    Ok(())
}

fn sync_folder(of: &Path) -> Outcome<()> {
    let folder =
        of.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
    Ok(File::open(folder)?.sync_all()?)
}
