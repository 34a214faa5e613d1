use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use tempfile::TempDir;

use crate::args::Options;
use crate::plan::Plan;

/// What every benchmark is given.
pub(crate) struct Bench {
    /// The server's program.
    pub(crate) program: PathBuf,
    pub(crate) work_dir: PathBuf,
    pub(crate) plan: Plan,
    pub(crate) seed: u64,
    deadline: Instant,
}

impl Bench {
    pub(crate) fn new(options: &Options) -> anyhow::Result<Self> {
        let program = options.server.clone().map_or_else(beside_this_program, Ok)?;
        let program = program.canonicalize().with_context(|| {
            format!(
                "there is no server program at `{}`: build it, or name it with --server",
                program.display()
            )
        })?;
        std::fs::create_dir_all(&options.work_dir)
            .with_context(|| format!("cannot make the folder `{}`", options.work_dir.display()))?;
        Ok(Self {
            program,
            work_dir: options.work_dir.canonicalize()?,
            plan: if options.quick { Plan::quick() } else { Plan::full() },
            seed: options.seed,
            deadline: Instant::now() + Duration::from_secs(options.max_seconds),
        })
    }

    /// A new folder for one store. Dropping it removes it.
    pub(crate) fn folder(&self) -> anyhow::Result<TempDir> {
        tempfile::Builder::new()
            .prefix("store-")
            .tempdir_in(&self.work_dir)
            .with_context(|| format!("cannot make a folder in `{}`", self.work_dir.display()))
    }

    /// How long stores may still grow.
    pub(crate) fn time_left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    /// Numbers of a program that was built for debugging say nothing.
    pub(crate) fn is_debug_build(&self) -> bool {
        self.program.parent().and_then(Path::file_name).is_some_and(|folder| folder == "debug")
    }
}

fn beside_this_program() -> anyhow::Result<PathBuf> {
    Ok(std::env::current_exe().context("cannot tell where this program is")?.with_file_name("reflexio"))
}
