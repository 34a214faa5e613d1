use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use reflexio_store::{Record, Transfer};
use reflexio_store_sqlite::SqliteStore;
use reflexio_types::OrgId;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::context::Context;
use crate::data_dir::DataDirArg;
use crate::output::Progress;

/// The version of the format, not of the program.
pub(crate) const FORMAT: u32 = 1;

/// The first line of an export.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Header {
    pub(crate) reflexio_export: u32,
    /// The program that wrote it.
    pub(crate) version: String,
    pub(crate) org: String,
}

/// Arguments of `export`.
#[derive(Debug, Args)]
pub(crate) struct Export {
    /// The file to write, or - for standard output.
    #[arg(default_value = "-")]
    file: PathBuf,
    /// Whose rows.
    #[arg(long, default_value = "default")]
    org: String,
    #[command(flatten)]
    data: DataDirArg,
}

impl Export {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let store = self.data.folder()?.open()?;
        if self.file == Path::new("-") {
            let mut out = BufWriter::new(io::stdout());
            self.write(context, &store, &mut out).await?;
            return Ok(());
        }
        let count = self.write_file(context, &store).await?;
        let file = self.file.display().to_string();
        Ok(context
            .out
            .done(&json!({"file": file, "records": count}), || format!("wrote {count} records to {file}"))?)
    }

    /// The file appears when it is complete.
    async fn write_file(&self, context: &Context, store: &SqliteStore) -> anyhow::Result<u64> {
        let folder = self.file.parent().filter(|folder| !folder.as_os_str().is_empty());
        let partial = tempfile::NamedTempFile::new_in(folder.unwrap_or_else(|| Path::new(".")))
            .with_context(|| format!("cannot write {}", self.file.display()))?;
        let mut out = BufWriter::new(partial.as_file());
        let count = self.write(context, store, &mut out).await?;
        drop(out);
        File::sync_all(partial.as_file())?;
        partial.persist(&self.file).with_context(|| format!("cannot write {}", self.file.display()))?;
        Ok(count)
    }

    async fn write(
        &self,
        context: &Context,
        store: &SqliteStore,
        out: &mut (impl Write + Send),
    ) -> anyhow::Result<u64> {
        let progress = Progress::new(&context.out, "exporting", None);
        let version = env!("CARGO_PKG_VERSION").to_owned();
        write_line(out, &Header { reflexio_export: FORMAT, version, org: self.org.clone() })?;
        let mut sink = |record: Record| {
            progress.add(1);
            write_line(out, &record)
        };
        let count = store.export(&OrgId::new(self.org.as_str()), &mut sink).await?;
        out.flush()?;
        Ok(count)
    }
}

fn write_line(out: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    out.write_all(b"\n")
}
