use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::sync::Arc;

use reflexio_client::{Client, Options};
use tempfile::TempDir;

use super::run::{Run, command, folder, reflexio};
use super::wait_for;

/// A running `reflexio serve` on a free port. It is killed when the test ends.
pub(crate) struct Server {
    pub(crate) url: String,
    folder: Arc<TempDir>,
    process: Child,
}

impl Server {
    pub(crate) fn start() -> Self {
        Self::start_with(&[])
    }

    pub(crate) fn start_with(arguments: &[&str]) -> Self {
        Self::start_in(Arc::new(folder()), arguments)
    }

    /// On a folder that outlives the server.
    pub(crate) fn start_in(folder: Arc<TempDir>, arguments: &[&str]) -> Self {
        Self::start_with_environment(folder, arguments, &[])
    }

    pub(crate) fn start_with_environment(
        folder: Arc<TempDir>,
        arguments: &[&str],
        environment: &[(&str, &str)],
    ) -> Self {
        let ready = folder.path().join("ready");
        // A server that was killed could not take its file away.
        let _ = std::fs::remove_file(&ready);
        let mut process = spawn(folder.path(), arguments, environment);
        let url = wait_for("a server", || {
            if let Some(status) = process.try_wait().expect("a status") {
                panic!("the server ended with {status}: {}", errors(&mut process));
            }
            std::fs::read_to_string(&ready).ok()
        });
        Self { url: url.trim().to_owned(), folder, process }
    }

    pub(crate) fn folder(&self) -> Arc<TempDir> {
        Arc::clone(&self.folder)
    }

    pub(crate) fn data_dir(&self) -> PathBuf {
        data_dir(self.folder.path())
    }

    /// A command that talks to this server.
    pub(crate) fn reflexio(&self, arguments: &str) -> Run {
        reflexio(arguments).env("REFLEXIO_URL", &self.url).env("REFLEXIO_DATA_DIR", self.data_dir())
    }

    pub(crate) fn client(&self) -> Client {
        Client::new(Options::new(self.url.as_str())).expect("a client")
    }

    /// SIGKILL, as when the machine fails.
    pub(crate) fn kill(&mut self) {
        self.process.kill().expect("a signal");
        self.process.wait().expect("an end");
    }

    /// SIGTERM; answers how it ended and what it had logged.
    pub(crate) fn stop(mut self) -> (ExitStatus, String) {
        self.ask_to_stop();
        let status = wait_for("the server to stop", || self.process.try_wait().expect("a status"));
        (status, errors(&mut self.process))
    }

    pub(crate) fn ask_to_stop(&self) {
        let id = self.process.id().to_string();
        let status = Command::new("kill").args(["-TERM", &id]).status().expect("kill");
        assert!(status.success());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

pub(crate) fn data_dir(folder: &Path) -> PathBuf {
    folder.join("data")
}

fn spawn(folder: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Child {
    let mut command = command();
    command.args(["serve", "--port", "0", "--ready-file"]).arg(folder.join("ready"));
    command.arg("--data-dir").arg(data_dir(folder)).args(arguments);
    command.envs(environment.iter().copied());
    command.spawn().expect("the server starts")
}

fn errors(process: &mut Child) -> String {
    let mut text = String::new();
    if let Some(mut pipe) = process.stderr.take() {
        let _ = pipe.read_to_string(&mut text);
    }
    text
}
