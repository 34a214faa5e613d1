use std::path::PathBuf;

use anyhow::Context as _;
use jiff::Timestamp;
use playbook_run::{FileJournal, Header, JournalError};

use crate::data_dir::DataDir;
use crate::failure::Failure;

/// The journals of the runs on this machine.
pub(super) struct Runs(PathBuf);

impl Runs {
    pub(super) fn new(data: &DataDir) -> anyhow::Result<Self> {
        data.create()?;
        let folder = data.path().join("playbook-runs");
        std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        Ok(Self(folder))
    }

    /// A new run gets a name that sorts by time.
    pub(super) fn create(&self, header: Header) -> anyhow::Result<FileJournal> {
        let at = Timestamp::now().strftime("%Y%m%d-%H%M%S").to_string();
        let mut number = u64::from(std::process::id());
        loop {
            let run = format!("{at}-{number}");
            let path = self.path(&run);
            if path.exists() {
                number += 1;
                continue;
            }
            let header = Header { run, ..header };
            return FileJournal::create(&path, header)
                .with_context(|| format!("cannot keep a journal in {}", self.0.display()));
        }
    }

    pub(super) fn open(&self, run: &str) -> anyhow::Result<FileJournal> {
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
        let path = self.path(run);
        if !run.chars().all(is_name) || !path.exists() {
            return Err(Failure::not_found(format!("there is no run `{run}` in {}", self.0.display()))
                .hint("a run says its name when it ends; --data-dir names the folder it was kept in")
                .into());
        }
        FileJournal::open(&path).map_err(|error| {
            if matches!(error, JournalError::Busy) {
                return Failure::failed(format!("run {run} is going on in another process")).into();
            }
            anyhow::Error::new(error).context(format!("run {run}"))
        })
    }

    fn path(&self, run: &str) -> PathBuf {
        self.0.join(format!("{run}.jsonl"))
    }
}
