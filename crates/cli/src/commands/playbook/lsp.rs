use std::path::{Path, PathBuf};

use clap::Args;
use lsp_server::Connection;
use playbook_lang::{Loader, SourceFile};
use playbook_lsp::Files;

use super::disk::{self, Disk};

/// Arguments of `playbook lsp`.
#[derive(Debug, Args)]
#[command(
    after_help = "Diagnostics, hover, go to definition, references, completion, rename, formatting, quick fixes \
                        and an outline. editors/ holds what an editor needs."
)]
pub(crate) struct Lsp {
    /// Speak over standard input and output, which is the only way; editors like to say it.
    #[arg(long)]
    stdio: bool,
}

impl Lsp {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let (connection, threads) = Connection::stdio();
        let outcome = playbook_lsp::serve(&connection, &Folder);
        // The threads end when nobody can send any more.
        drop(connection);
        outcome?;
        Ok(threads.join()?)
    }
}

/// The file system as the language server sees it: names are real paths.
struct Folder;

impl Loader for Folder {
    fn load(&self, importer: &str, path: &str) -> Result<SourceFile, String> {
        let file = Disk::default().load(importer, path)?;
        Ok(SourceFile { name: self.name(Path::new(&file.name)), ..file })
    }
}

impl Files for Folder {
    fn name(&self, path: &Path) -> String {
        let whole = || std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        path.canonicalize().unwrap_or_else(|_| whole()).to_string_lossy().into_owned()
    }

    fn beside(&self, name: &str) -> Vec<SourceFile> {
        let entries = Path::new(name).parent().and_then(|folder| folder.read_dir().ok());
        let mut paths: Vec<PathBuf> =
            entries.into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.retain(|path| path.is_file() && disk::is_playbook_file(path));
        paths.sort();
        let files = paths.iter().filter_map(|path| disk::read(path).ok());
        files.map(|file| SourceFile { name: self.name(Path::new(&file.name)), ..file }).collect()
    }
}
