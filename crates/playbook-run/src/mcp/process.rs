//! A server that is a command, spoken to over its pipes.

use std::process::Stdio;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::fault::Fault;

/// One message, as much as over HTTP.
const MOST_BYTES: usize = 4 << 20;
/// What is kept of a line of its complaints.
const MOST_COMPLAINT: u64 = 500;
/// A command whose pipe closed is about to end.
const MOST_LISTENING: Duration = Duration::from_millis(500);

pub(super) type Pipes = AsyncRwTransport<RoleClient, ChildStdout, ChildStdin>;

/// It is ended when this is dropped.
pub(super) struct Process {
    _child: Child,
    /// Gives the last line it printed for people. Nobody reads them while all is well.
    complaint: Mutex<Option<JoinHandle<String>>>,
}

impl Process {
    pub(super) fn start(command: &str) -> Result<(Self, Pipes), Fault> {
        let mut child = Command::new("sh")
            .args(["-c", command])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| Fault::Unreachable(format!("its command cannot run: {error}")))?;
        let pipes = child.stdout.take().zip(child.stdin.take()).zip(child.stderr.take());
        let ((output, input), errors) =
            pipes.ok_or_else(|| Fault::Unreachable("its command has no pipes".to_owned()))?;
        let complaint = Mutex::new(Some(tokio::spawn(last_line(errors))));
        let pipes = AsyncRwTransport::new(output, input).with_max_line_length(MOST_BYTES);
        Ok((Self { _child: child, complaint }, pipes))
    }

    /// The fault, with what the command said before it ended.
    pub(super) async fn explain(&self, fault: Fault) -> Fault {
        let Fault::Unreachable(reason) = fault else { return fault };
        let Some(complaint) = self.complaint.lock().await.take() else { return Fault::Unreachable(reason) };
        match timeout(MOST_LISTENING, complaint).await {
            Ok(Ok(said)) if !said.is_empty() => {
                Fault::Unreachable(format!("{reason}; its command says: {said}"))
            }
            _ => Fault::Unreachable(reason),
        }
    }
}

async fn last_line(errors: impl AsyncRead + Unpin) -> String {
    let mut errors = BufReader::new(errors);
    let (mut last, mut line) = (String::new(), Vec::new());
    while (&mut errors).take(MOST_COMPLAINT).read_until(b'\n', &mut line).await.is_ok_and(|read| read > 0) {
        let said = String::from_utf8_lossy(&line).trim().to_owned();
        if !said.is_empty() {
            last = said;
        }
        line.clear();
    }
    last
}
