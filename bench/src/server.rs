use std::fs::File;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use rustix::process::{Pid, Signal, kill_process};
use tokio::process::{Child, Command};

use crate::connection::{Call, Connection};

/// A server that needs longer than this to begin or to end is broken.
const PATIENCE: Duration = Duration::from_secs(60);
/// How exactly the moment of the first answer is known; timers are no finer.
const LOOK_AGAIN: Duration = Duration::from_millis(1);

/// A server that this program started. Dropping it kills it.
pub(crate) struct Server {
    child: Child,
    id: u32,
    address: SocketAddr,
    first_answer: Duration,
}

impl Server {
    /// Starts a server on the store in `folder` and waits until it has answered once, its store included.
    pub(crate) async fn start(program: &Path, folder: &Path) -> anyhow::Result<Self> {
        Self::start_with(program, folder, |_| {}).await
    }

    /// The same, with more arguments or an environment.
    pub(crate) async fn start_with(
        program: &Path,
        folder: &Path,
        change: impl FnOnce(&mut Command),
    ) -> anyhow::Result<Self> {
        let files = Files::within(folder);
        files.forget_last_run()?;
        let mut command = files.command(program)?;
        change(&mut command);
        let started = Instant::now();
        let mut child = command.spawn().with_context(|| format!("cannot start `{}`", program.display()))?;
        let id = child.id().context("the server has no process id")?;
        let address =
            tokio::time::timeout(PATIENCE, first_answer(&mut child, &files)).await.with_context(|| {
                format!("the server does not answer; its log ends:\n{}", files.end_of_log())
            })??;
        Ok(Self { child, id, address, first_answer: started.elapsed() })
    }

    pub(crate) fn id(&self) -> u32 {
        self.id
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// From before the process was started until it had answered.
    pub(crate) fn first_answer(&self) -> Duration {
        self.first_answer
    }

    /// Asks it to end, and waits until it has.
    pub(crate) async fn stop(mut self) -> anyhow::Result<Duration> {
        let started = Instant::now();
        let process = i32::try_from(self.id).ok().and_then(Pid::from_raw).context("no process id")?;
        kill_process(process, Signal::TERM).context("cannot ask the server to end")?;
        let status =
            tokio::time::timeout(PATIENCE, self.child.wait()).await.context("the server does not end")??;
        anyhow::ensure!(status.success(), "the server ended with {status}");
        Ok(started.elapsed())
    }

    /// Ends it in the middle of what it does, as a crash would.
    pub(crate) async fn crash(mut self) -> anyhow::Result<()> {
        Ok(self.child.kill().await?)
    }
}

/// Looks for the address in the ready file, then asks there.
async fn first_answer(child: &mut Child, files: &Files) -> anyhow::Result<SocketAddr> {
    loop {
        if let Some(address) = files.address()
            && let Ok(mut connection) = Connection::open(address).await
            && connection.send(&Call::get("/health")).await?.is_success()
        {
            return Ok(address);
        }
        if let Some(status) = child.try_wait()? {
            anyhow::bail!("the server ended with {status}; its log ends:\n{}", files.end_of_log());
        }
        tokio::time::sleep(LOOK_AGAIN).await;
    }
}

/// Where a server in this folder has its things.
struct Files {
    data: PathBuf,
    ready: PathBuf,
    log: PathBuf,
}

impl Files {
    fn within(folder: &Path) -> Self {
        Self { data: folder.join("data"), ready: folder.join("ready"), log: folder.join("server.log") }
    }

    /// An address from the last run would answer too early, or never.
    fn forget_last_run(&self) -> std::io::Result<()> {
        if self.ready.exists() { std::fs::remove_file(&self.ready) } else { Ok(()) }
    }

    /// Nothing of the environment reaches the server, so that it runs with its defaults.
    fn command(&self, program: &Path) -> anyhow::Result<Command> {
        let log = File::create(&self.log)?;
        let mut command = Command::new(program);
        command.args(["serve", "--host", "127.0.0.1", "--port", "0"]);
        command.arg("--data-dir").arg(&self.data).arg("--ready-file").arg(&self.ready);
        command.env_clear().stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log).kill_on_drop(true);
        Ok(command)
    }

    fn address(&self) -> Option<SocketAddr> {
        let url = std::fs::read_to_string(&self.ready).ok()?;
        url.trim().strip_prefix("http://")?.trim_end_matches('/').parse().ok()
    }

    fn end_of_log(&self) -> String {
        let text = std::fs::read_to_string(&self.log).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        lines.iter().skip(lines.len().saturating_sub(10)).copied().collect::<Vec<_>>().join("\n")
    }
}

/// The bytes of a store on disk, write-ahead log included.
pub(crate) fn stored_bytes(folder: &Path) -> anyhow::Result<u64> {
    let entries = std::fs::read_dir(Files::within(folder).data)?;
    entries.map(|entry| Ok(entry?.metadata()?.len())).sum()
}
