//! Models behind a local program: it reads the prompt on its standard input and prints the answer.
//!
//! A model's name can come from whoever may edit a configuration; which programs run is for the operator alone.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};
use tokio::time::timeout;

use crate::error::{Error, Result, bounded};
use crate::message::{Message, Speaker, without_images};
use crate::request::{Answer, Finish, Request};
use crate::wire::fault::classify_words;

/// What programs may run, and in which surroundings.
#[derive(Debug, Clone, Default)]
pub struct CommandSettings {
    /// Command lines that may run. A line stands for itself; one that ends in ` *` also for itself with any further
    /// arguments.
    pub allowed: Vec<String>,
    /// The whole environment of the program: nothing is inherited, so that it sees no secret of the server.
    pub environment: Vec<(String, String)>,
    /// Where it runs.
    pub directory: Option<PathBuf>,
}

impl CommandSettings {
    /// The words of an allowed command line.
    pub(crate) fn admit(&self, line: &str) -> Result<Vec<String>> {
        let Some(wanted) = words(line).filter(|words| !words.is_empty()) else {
            return Err(Error::Misconfigured(format!(
                "`command:{line}` cannot be read: a quote is not closed"
            )));
        };
        let matches = |allowed: &String| {
            let Some(mut allowed) = words(allowed) else { return false };
            if allowed.last().is_some_and(|word| word == "*") && allowed.len() > 1 {
                allowed.pop();
                return wanted.starts_with(&allowed);
            }
            allowed == wanted
        };
        if self.allowed.iter().any(matches) {
            return Ok(wanted);
        }
        Err(Error::Misconfigured(format!(
            "`command:{line}` is not among the commands that the operator allowed"
        )))
    }
}

/// Splits at blanks; single and double quotes hold words together. None when a quote is not closed.
fn words(line: &str) -> Option<Vec<String>> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for letter in line.chars() {
        match quote {
            Some(open) if letter == open => quote = None,
            Some(_) => word.get_or_insert_default().push(letter),
            None if letter == '"' || letter == '\'' => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            None if letter.is_whitespace() => words.extend(word.take()),
            None => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

pub(crate) struct Limit {
    pub(crate) total: Duration,
    pub(crate) largest_answer: usize,
}

/// Runs the program once. It is killed when it takes too long, prints too much, or nobody waits any more.
pub(crate) async fn ask(
    settings: &CommandSettings,
    limit: &Limit,
    label: &str,
    words: &[String],
    request: &Request,
) -> Result<Answer> {
    let Some((program, arguments)) = words.split_first() else {
        return Err(Error::Misconfigured(format!("`{label}` names no program")));
    };
    let mut command = Command::new(program);
    command.args(arguments).env_clear().envs(settings.environment.iter().map(|(key, value)| (key, value)));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    if let Some(directory) = &settings.directory {
        command.current_dir(directory);
    }
    let child =
        command.spawn().map_err(|error| Error::Misconfigured(format!("`{label}` cannot run: {error}")))?;
    let run = timeout(limit.total, converse(child, prompt_text(request), limit.largest_answer)).await;
    let run = run.map_err(|_| Error::Timeout { model: label.to_owned(), after: limit.total })?;
    let printed = run.map_err(|error| Error::unavailable(label, format!("it broke: {error}")))?;
    printed.answer(label, limit.largest_answer)
}

struct Printed {
    out: String,
    complaint: String,
    success: bool,
    too_much: bool,
}

impl Printed {
    fn answer(self, label: &str, largest: usize) -> Result<Answer> {
        if self.too_much {
            return Err(Error::invalid(label, format!("it is larger than {largest} bytes"), &self.out));
        }
        if self.success {
            return Ok(Answer { text: self.out, finish: Finish::Complete, usage: None });
        }
        // Some programs complain where they should answer.
        let said = if self.complaint.trim().is_empty() { &self.out } else { &self.complaint };
        let stalled = classify_words(label, said).or_else(|| classify_words(label, &self.out));
        Err(stalled.unwrap_or_else(|| {
            Error::unavailable(label, format!("it failed: {}", bounded(said.trim(), 500)))
        }))
    }
}

async fn converse(mut child: Child, prompt: String, largest: usize) -> std::io::Result<Printed> {
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let feed = async move {
        if let Some(mut stdin) = stdin {
            // A program that does not want the rest closes its input, which is its right.
            let _ = stdin.write_all(prompt.as_bytes()).await;
        }
    };
    let ((), out, complaint) = tokio::join!(feed, read(stdout, largest), read(stderr, 64 << 10));
    let (out, complaint) = (out?, complaint?);
    let too_much = out.len() > largest;
    let success = if too_much { false } else { child.wait().await?.success() };
    Ok(Printed { out: lossy(&out), complaint: lossy(&complaint), success, too_much })
}

/// At most one byte more than `largest`.
async fn read(pipe: Option<impl AsyncRead + Unpin>, largest: usize) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Some(pipe) = pipe {
        pipe.take(largest as u64 + 1).read_to_end(&mut bytes).await?;
    }
    Ok(bytes)
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The conversation as one text: plain when it is one message, with speakers when there are more.
fn prompt_text(request: &Request) -> String {
    let messages = without_images(&request.messages);
    let spoken = |message: &Message| match message.speaker {
        Speaker::System => message.joined_text(),
        Speaker::User | Speaker::Assistant => {
            format!("[{}]\n{}", message.speaker.as_str(), message.joined_text())
        }
    };
    let turns = messages.iter().filter(|message| message.speaker != Speaker::System).count();
    let texts: Vec<String> = if turns > 1 {
        messages.iter().map(spoken).collect()
    } else {
        messages.iter().map(Message::joined_text).collect()
    };
    texts.join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_allowed_command_lines_run() {
        let settings = CommandSettings {
            allowed: vec!["claude -p".to_owned(), "my-model --fast *".to_owned()],
            ..CommandSettings::default()
        };
        assert_eq!(settings.admit("claude  -p").expect("allowed"), ["claude", "-p"]);
        assert_eq!(settings.admit("my-model --fast 'a b'").expect("allowed"), ["my-model", "--fast", "a b"]);
        for line in ["claude", "claude -p --tools all", "my-model", "rm -rf x", "'claude -p'", "claude '-p"] {
            assert!(matches!(settings.admit(line), Err(Error::Misconfigured(_))), "{line}");
        }
        assert!(
            CommandSettings::default().admit("claude -p").is_err(),
            "nothing is allowed unless somebody says so"
        );
        let star = CommandSettings { allowed: vec!["*".to_owned()], ..CommandSettings::default() };
        assert!(star.admit("rm -rf x").is_err(), "a star alone allows nothing");
    }
}
