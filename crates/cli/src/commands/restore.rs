use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use reflexio_store::Maintenance;
use serde_json::json;

use crate::context::Context;
use crate::data_dir::{self, DataDir, DataDirArg};
use crate::failure::Failure;
use crate::lock::ServerLock;

/// What SQLite may keep beside a database.
const COMPANIONS: [&str; 2] = ["-wal", "-shm"];

/// Arguments of `restore`.
#[derive(Debug, Args)]
pub(crate) struct Restore {
    /// A file that `backup` wrote.
    file: PathBuf,
    /// Replace a database that is there; it is kept as `reflexio.db.before-restore`.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    data: DataDirArg,
}

impl Restore {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let folder = self.data.folder()?;
        folder.create()?;
        let _lock = ServerLock::take(&folder)?;
        let database = folder.database();
        if database.exists() && !self.force {
            return Err(Failure::failed(format!("{} already holds a database", folder.path().display()))
                .hint("--force replaces it and keeps the old one as reflexio.db.before-restore")
                .into());
        }
        let copy = beside(&database, ".restoring");
        let outcome = self.replace(&folder, &copy).await;
        if outcome.is_err() {
            remove(&copy)?;
        }
        let kept = outcome?;
        let words = match &kept {
            Some(kept) => format!("restored {}; the old one is {}", database.display(), kept.display()),
            None => format!("restored {}", database.display()),
        };
        Ok(context.out.done(&json!({"database": database, "kept": kept}), || words)?)
    }

    /// Nothing is touched before the copy has proved to be a sound database of a version we know.
    async fn replace(&self, folder: &DataDir, copy: &Path) -> anyhow::Result<Option<PathBuf>> {
        remove(copy)?;
        fs::copy(&self.file, copy).with_context(|| format!("cannot copy {}", self.file.display()))?;
        verify(copy).await.with_context(|| format!("{} cannot be restored", self.file.display()))?;
        File::open(copy)?.sync_all()?;
        let database = folder.database();
        let kept = if database.exists() { Some(keep(&database)?) } else { None };
        fs::rename(copy, &database)?;
        sync(folder.path())?;
        Ok(kept)
    }
}

async fn verify(copy: &Path) -> anyhow::Result<()> {
    let store = data_dir::open(copy)?;
    let report = store.check_integrity().await?;
    drop(store);
    if !report.problems.is_empty() {
        return Err(Failure::failed("the backup is damaged").details(report.problems).into());
    }
    if COMPANIONS.iter().any(|ending| beside(copy, ending).exists()) {
        return Err(Failure::failed("the copy could not be closed").into());
    }
    Ok(())
}

/// Puts the old database aside without a moment in which its name stands for nothing.
fn keep(database: &Path) -> anyhow::Result<PathBuf> {
    let kept = beside(database, ".before-restore");
    if kept.exists() {
        return Err(Failure::failed(format!("{} is still there from an earlier restore", kept.display()))
            .hint("move it away or delete it")
            .into());
    }
    // Opening and closing moves the write-ahead log into the file. A damaged database cannot be opened,
    // and then its log is put aside as it is: it must never meet the new one.
    if let Err(error) = data_dir::open(database) {
        tracing::debug!(%error, "the old database cannot be opened");
    }
    for ending in COMPANIONS {
        rename_if_there(&beside(database, ending), &beside(&kept, ending))?;
    }
    if fs::hard_link(database, &kept).is_err() {
        fs::rename(database, &kept)?;
    }
    Ok(kept)
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

fn remove(database: &Path) -> io::Result<()> {
    ["", COMPANIONS[0], COMPANIONS[1]]
        .iter()
        .try_for_each(|ending| absent_is_fine(fs::remove_file(beside(database, ending))))
}

fn rename_if_there(from: &Path, to: &Path) -> io::Result<()> {
    absent_is_fine(fs::rename(from, to))
}

fn absent_is_fine(outcome: io::Result<()>) -> io::Result<()> {
    outcome.or_else(|error| if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) })
}

fn sync(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}
