use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;

/// A file that is there exactly while the server listens.
pub(super) struct ReadyFile(PathBuf);

impl ReadyFile {
    /// One of an earlier run says nothing about this one.
    pub(super) fn new(path: &Path) -> anyhow::Result<Self> {
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(error).with_context(|| format!("cannot replace {}", path.display()))
            }
            _ => Ok(Self(path.to_owned())),
        }
    }

    /// Whoever waits for the file never sees half of it.
    pub(super) fn write(self, url: &str) -> anyhow::Result<Self> {
        let folder = self.0.parent().filter(|folder| !folder.as_os_str().is_empty());
        let write = || -> io::Result<()> {
            let mut file = tempfile::NamedTempFile::new_in(folder.unwrap_or_else(|| Path::new(".")))?;
            writeln!(file, "{url}")?;
            file.persist(&self.0)?;
            Ok(())
        };
        write().with_context(|| format!("cannot write {}", self.0.display()))?;
        Ok(self)
    }
}

impl Drop for ReadyFile {
    fn drop(&mut self) {
        // Another server may have replaced it by now, or a person removed it.
        let _ = fs::remove_file(&self.0);
    }
}
