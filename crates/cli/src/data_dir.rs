use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use reflexio_store_sqlite::{Options, SqliteStore};

use crate::failure::Failure;

/// Where the server keeps its data.
#[derive(Debug, Args)]
pub(crate) struct DataDirArg {
    /// The data folder [default: ~/.reflexio].
    #[arg(long, value_name = "DIR", env = "REFLEXIO_DATA_DIR")]
    pub(crate) data_dir: Option<PathBuf>,
}

impl DataDirArg {
    pub(crate) fn folder(&self) -> anyhow::Result<DataDir> {
        let given = self.data_dir.clone().filter(|path| !path.as_os_str().is_empty());
        let folder = given.or_else(|| std::env::home_dir().map(|home| home.join(".reflexio")));
        folder.map(DataDir).ok_or_else(|| {
            Failure::usage("there is no home folder to keep data in").hint("give --data-dir").into()
        })
    }
}

/// A folder with (or for) a database and a lock.
#[derive(Debug, Clone)]
pub(crate) struct DataDir(PathBuf);

impl DataDir {
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.0.join("reflexio.db")
    }

    pub(crate) fn lock_file(&self) -> PathBuf {
        self.0.join("server.lock")
    }

    /// Conversations are private: the folder is made for its owner only.
    pub(crate) fn create(&self) -> anyhow::Result<()> {
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&self.0).with_context(|| format!("cannot make the data folder {}", self.0.display()))
    }

    /// Opens the database, making it if it is not there.
    pub(crate) fn open_or_create(&self) -> anyhow::Result<SqliteStore> {
        self.create()?;
        open(&self.database())
    }

    /// The same for a server, which searches a lot: it starts with the indexes that the last one saved.
    pub(crate) fn open_for_serving(&self) -> anyhow::Result<SqliteStore> {
        self.create()?;
        open_with(&self.database(), &Options { restore: true, ..Options::default() })
    }

    /// Opens a database that must be there.
    pub(crate) fn open(&self) -> anyhow::Result<SqliteStore> {
        let database = self.database();
        if !database.exists() {
            return Err(Failure::not_found(format!("there is no database in {}", self.0.display()))
                .hint("name the folder of the server with --data-dir; `reflexio serve` makes a new one")
                .into());
        }
        open(&database)
    }
}

pub(crate) fn open(database: &Path) -> anyhow::Result<SqliteStore> {
    open_with(database, &Options::default())
}

fn open_with(database: &Path, options: &Options) -> anyhow::Result<SqliteStore> {
    SqliteStore::open(database, options).with_context(|| format!("cannot open {}", database.display()))
}
