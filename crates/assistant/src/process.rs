//! One run of a program that is not trusted: bounded in time and size, and gone with all its children afterwards.

use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};
use tokio::time::timeout;

use crate::operator::Limit;
use crate::{Error, Result};

/// How much of what a program complains is kept: the end, where the reason stands.
const COMPLAINT: usize = 16 << 10;
/// What a program wrote before it ended is in the pipe; only a child that left the group still holds it open.
const LAST_WORDS: Duration = Duration::from_millis(500);

pub(crate) struct Program {
    pub(crate) file: PathBuf,
    pub(crate) arguments: Vec<String>,
    /// Where it runs.
    pub(crate) folder: PathBuf,
    /// All that it sees.
    pub(crate) environment: Vec<(String, String)>,
}

pub(crate) struct Printed {
    pub(crate) status: ExitStatus,
    pub(crate) out: Vec<u8>,
    pub(crate) complaint: String,
}

/// Runs the program once. When it takes too long, prints too much or nobody waits any more, it is killed with everything it
/// started.
pub(crate) async fn run(program: &Program, input: &[u8], limit: &Limit) -> Result<Printed> {
    let mut command = Command::new(&program.file);
    command.args(&program.arguments).current_dir(&program.folder);
    command.env_clear().envs(program.environment.iter().map(|(key, value)| (key, value)));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.process_group(0).kill_on_drop(true);
    let child =
        command.spawn().map_err(|error| Error::Misconfigured(format!("the script cannot run: {error}")))?;
    let group = Group::of(&child);
    let talked = timeout(limit.total, converse(child, &group, input, limit.largest_answer)).await;
    talked.unwrap_or_else(|_| Err(Error::Failed(format!("it did not answer within {:?}", limit.total))))
}

/// The process group of a program; killed when nobody needs it any more.
struct Group(Option<Pid>);

impl Group {
    fn of(child: &Child) -> Self {
        Self(child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw))
    }

    fn kill(&self) {
        if let Some(leader) = self.0 {
            // Fails when the group is empty, which is what is wanted.
            let _ = kill_process_group(leader, Signal::KILL);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}

async fn converse(mut child: Child, group: &Group, input: &[u8], largest: usize) -> Result<Printed> {
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (mut out, mut complaint) = (Vec::new(), Vec::new());
    let status = {
        let feed = async {
            if let Some(mut stdin) = stdin {
                // A program that does not want the rest closes its input, which is its right.
                let _ = stdin.write_all(input).await;
            }
            Ok(())
        };
        let talk =
            async { tokio::try_join!(feed, read(stdout, &mut out, largest), listen(stderr, &mut complaint)) };
        tokio::pin!(talk);
        let mut silent = false;
        let status = loop {
            tokio::select! {
                said = &mut talk, if !silent => {
                    said?;
                    silent = true;
                }
                status = child.wait() => break status.map_err(|error| broke(&error))?,
            }
        };
        // Children that linger would hold the pipes open.
        group.kill();
        if !silent && let Ok(said) = timeout(LAST_WORDS, &mut talk).await {
            said?;
        }
        status
    };
    Ok(Printed { status, out, complaint: String::from_utf8_lossy(&complaint).into_owned() })
}

/// Reads all that is said, unless it is too much.
async fn read(pipe: Option<impl AsyncRead + Unpin>, out: &mut Vec<u8>, largest: usize) -> Result<()> {
    let Some(mut pipe) = pipe else { return Ok(()) };
    let mut piece = [0; 8 << 10];
    loop {
        let got = pipe.read(&mut piece).await.map_err(|error| broke(&error))?;
        if got == 0 {
            return Ok(());
        }
        if out.len() + got > largest {
            return Err(Error::Unusable(format!("it is larger than {largest} bytes")));
        }
        out.extend_from_slice(piece.get(..got).unwrap_or_default());
    }
}

/// Reads all that is said and keeps the end of it.
async fn listen(pipe: Option<impl AsyncRead + Unpin>, kept: &mut Vec<u8>) -> Result<()> {
    let Some(mut pipe) = pipe else { return Ok(()) };
    let mut piece = [0; 4 << 10];
    loop {
        let got = pipe.read(&mut piece).await.map_err(|error| broke(&error))?;
        if got == 0 {
            return Ok(());
        }
        kept.extend_from_slice(piece.get(..got).unwrap_or_default());
        let surplus = kept.len().saturating_sub(COMPLAINT);
        kept.drain(..surplus);
    }
}

fn broke(error: &std::io::Error) -> Error {
    Error::Failed(format!("it broke: {error}"))
}
