use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};

use anyhow::Context as _;

use crate::data_dir::DataDir;
use crate::failure::Failure;

/// The right to serve a data folder, or to replace what is in it. The system gives it back when the
/// process ends, however it ends.
pub(crate) struct ServerLock {
    _file: File,
}

impl ServerLock {
    pub(crate) fn take(folder: &DataDir) -> anyhow::Result<Self> {
        let path = folder.lock_file();
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&path).with_context(|| format!("cannot open {}", path.display()))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(held(folder, &mut file).into()),
            Err(TryLockError::Error(error)) => {
                return Err(error).with_context(|| format!("cannot lock {}", path.display()));
            }
        }
        // The number only helps people; the lock itself is what counts.
        let _ = file
            .set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| write!(file, "{}", std::process::id()));
        Ok(Self { _file: file })
    }
}

fn held(folder: &DataDir, file: &mut File) -> Failure {
    let mut owner = String::new();
    let _ = file.read_to_string(&mut owner);
    let owner = owner.trim().parse::<u32>().map_or_else(|_| String::new(), |id| format!(" (process {id})"));
    Failure::failed(format!("another server{owner} is using {}", folder.path().display()))
        .hint("stop it first, or give another folder with --data-dir")
}
