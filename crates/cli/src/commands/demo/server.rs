//! The server of a demo: this program once more, in a folder of its own, going on when the demo has ended.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use tempfile::TempDir;

use crate::data_dir::DataDirArg;
use crate::failure::Failure;
use crate::lock::ServerLock;

/// Longer than any machine takes to start.
const LONGEST_START: Duration = Duration::from_secs(30);
/// Longer than requests under way take to finish.
const LONGEST_END: Duration = Duration::from_secs(40);
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// Tells a folder of a demo from others, so that `--stop` removes no data that somebody needs.
const MARK: &str = "reflexio-demo";
const LOG: &str = "server.log";
const READY: &str = "address";

/// It ends with this value, and its folder with it, unless it is left running.
pub(super) struct DemoServer {
    pub(super) url: String,
    folder: TempDir,
    child: Option<Child>,
    process: u32,
}

impl DemoServer {
    pub(super) async fn start(port: u16) -> anyhow::Result<Self> {
        let folder = tempfile::Builder::new().prefix("reflexio-demo-").tempdir()?;
        fs::write(folder.path().join(MARK), "made by `reflexio demo`\n")?;
        let child = spawn(folder.path(), port)?;
        let process = child.id();
        let mut server = Self { url: String::new(), folder, child: Some(child), process };
        server.url = server.ready().await?;
        Ok(server)
    }

    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn process(&self) -> u32 {
        self.process
    }

    async fn ready(&mut self) -> anyhow::Result<String> {
        let address = self.folder().join(READY);
        let deadline = Instant::now() + LONGEST_START;
        loop {
            if let Ok(url) = fs::read_to_string(&address) {
                return Ok(url.trim().to_owned());
            }
            let ended = match &mut self.child {
                Some(child) => child.try_wait()?.is_some(),
                None => true,
            };
            if ended || Instant::now() >= deadline {
                return Err(self.why());
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// What the server said about it itself.
    fn why(&self) -> anyhow::Error {
        let log = fs::read_to_string(self.folder().join(LOG)).unwrap_or_default();
        let said = |start: &str| log.lines().find_map(|line| line.strip_prefix(start)).map(str::to_owned);
        let message = said("error: ").unwrap_or_else(|| "it did not start in time".to_owned());
        let failure = Failure::failed(format!("the server of the demo: {message}"));
        match message.contains("in use") {
            true => failure.hint("leave --port away to take a free one").into(),
            false => failure.details(log.lines().map(str::to_owned).collect()).into(),
        }
    }

    /// It goes on when this program ends, and its folder stays.
    pub(super) fn leave_running(mut self) {
        self.child = None;
        self.folder.disable_cleanup(true);
    }
}

impl Drop for DemoServer {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            // It holds nothing that has to be finished, and it may be gone already.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn spawn(folder: &Path, port: u16) -> anyhow::Result<Child> {
    let log = File::create(folder.join(LOG))?;
    let mut command = Command::new(std::env::current_exe().context("cannot find this program")?);
    command
        .args(["--color", "never", "serve", "--port", &port.to_string(), "--data-dir"])
        .arg(folder)
        .arg("--ready-file")
        .arg(folder.join(READY))
        .stdin(Stdio::null())
        .stdout(log.try_clone()?)
        .stderr(log);
    // The demo is the same everywhere: no key, no model, no settings of somebody's own server.
    let settings = std::env::vars_os().map(|(name, _)| name).filter(|name| {
        let name = name.to_string_lossy();
        (name.starts_with("REFLEXIO_") && name != "REFLEXIO_MODEL_DIR")
            || name.starts_with("OTEL_")
            || name.ends_with("_API_KEY")
            || name.ends_with("_BASE_URL")
    });
    for name in settings {
        command.env_remove(name);
    }
    // An interrupt at the terminal is for the demo, which stops the server itself.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.spawn().context("cannot start a server")
}

/// Stops the server of a demo and removes its folder.
pub(super) async fn stop(folder: &Path) -> anyhow::Result<()> {
    if !folder.join(MARK).is_file() {
        return Err(Failure::not_found(format!("{} is not the folder of a demo", folder.display()))
            .hint("`reflexio demo` prints the command that stops it")
            .into());
    }
    let data = DataDirArg { data_dir: Some(PathBuf::from(folder)) }.folder()?;
    let deadline = Instant::now() + LONGEST_END;
    let mut asked = false;
    // Whoever holds the lock is the server; when it can be taken, the server is gone.
    while ServerLock::take(&data).is_err() {
        if !asked {
            terminate(&fs::read_to_string(data.lock_file())?)?;
            asked = true;
        }
        if Instant::now() >= deadline {
            return Err(Failure::failed("the server of the demo does not stop").into());
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
    fs::remove_dir_all(folder).with_context(|| format!("cannot remove {}", folder.display()))
}

#[cfg(unix)]
fn terminate(process: &str) -> anyhow::Result<()> {
    let number = process.trim().parse::<i32>().ok().and_then(rustix::process::Pid::from_raw);
    let process = number.ok_or_else(|| Failure::failed("the lock of the server names no process"))?;
    Ok(rustix::process::kill_process(process, rustix::process::Signal::TERM)?)
}

#[cfg(not(unix))]
fn terminate(process: &str) -> anyhow::Result<()> {
    Err(Failure::failed(format!("end process {} yourself, then stop the demo again", process.trim())).into())
}
