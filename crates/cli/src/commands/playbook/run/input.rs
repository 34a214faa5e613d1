use std::collections::VecDeque;
use std::io::{self, BufRead};
use std::sync::{Mutex, PoisonError};

use tokio::sync::mpsc;

/// What the user says: first what the command line gave, then lines of standard input.
pub(super) struct Input {
    given: Mutex<VecDeque<String>>,
    lines: Option<tokio::sync::Mutex<mpsc::Receiver<String>>>,
}

impl Input {
    pub(super) fn new(given: Vec<String>, reads_stdin: bool) -> Self {
        Self { given: Mutex::new(given.into()), lines: reads_stdin.then(|| tokio::sync::Mutex::new(lines())) }
    }

    pub(super) fn reads_stdin(&self) -> bool {
        self.lines.is_some()
    }

    pub(super) fn has_given(&self) -> bool {
        !self.given.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// The next message that says something; nothing once the input has ended. Nothing is lost when it is dropped.
    pub(super) async fn next(&self) -> Option<String> {
        if let Some(text) = self.given.lock().unwrap_or_else(PoisonError::into_inner).pop_front() {
            return Some(text);
        }
        let mut lines = self.lines.as_ref()?.lock().await;
        loop {
            let line = lines.recv().await?;
            if !line.trim().is_empty() {
                return Some(line.trim().to_owned());
            }
        }
    }
}

/// Reading blocks, so a thread does it; it ends with the process.
fn lines() -> mpsc::Receiver<String> {
    let (send, receive) = mpsc::channel(1);
    std::thread::spawn(move || {
        for line in io::stdin().lock().lines() {
            let Ok(line) = line else { return };
            if send.blocking_send(line).is_err() {
                return;
            }
        }
    });
    receive
}
