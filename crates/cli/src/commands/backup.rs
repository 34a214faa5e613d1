use std::path::PathBuf;

use clap::Args;
use reflexio_store::Maintenance;
use serde_json::json;

use crate::context::Context;
use crate::data_dir::DataDirArg;
use crate::failure::Failure;
use crate::output::Progress;

/// Arguments of `backup`.
#[derive(Debug, Args)]
pub(crate) struct Backup {
    /// The file to write; it must not exist yet.
    file: PathBuf,
    #[command(flatten)]
    data: DataDirArg,
}

impl Backup {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        if self.file.exists() {
            let message = format!("{} already exists", self.file.display());
            return Err(Failure::failed(message).hint("give a name that is free").into());
        }
        let store = self.data.folder()?.open()?;
        let progress = Progress::new(&context.out, "copying", Some(0));
        store.backup(&self.file, &|done, total| progress.set(done, total)).await?;
        drop(progress);
        #[cfg(unix)]
        std::fs::set_permissions(&self.file, std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
        let bytes = std::fs::metadata(&self.file)?.len();
        let file = self.file.display().to_string();
        let words = format!("wrote {file} ({})", indicatif::HumanBytes(bytes));
        Ok(context.out.done(&json!({"file": file, "bytes": bytes}), || words)?)
    }
}
