use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use playbook_lang::Program;
use playbook_run::engine::{Entry, Learned, Message, Speaker, State, Value};
use playbook_run::{Drafted, Host, Tools, Verdict};

use super::input::Input;
use super::memory::Memory;
use super::trace::Trace;
use crate::output::Output;

/// The user at a terminal, or a pipe.
pub(super) struct Terminal<'a> {
    out: &'a Output,
    input: Input,
    tools: Option<(&'a Tools, &'a Program)>,
    trace: Option<Trace>,
    memory: Option<&'a Memory>,
    is_interactive: bool,
    /// A prompt stands in the last line.
    is_prompted: AtomicBool,
    draft: Mutex<Draft>,
}

/// Words that were shown before they were said.
#[derive(Default)]
struct Draft {
    words: String,
    /// The cursor stands behind them.
    is_open: bool,
}

impl<'a> Terminal<'a> {
    pub(super) fn new(
        out: &'a Output,
        input: Input,
        tools: Option<(&'a Tools, &'a Program)>,
        is_verbose: bool,
        memory: Option<&'a Memory>,
    ) -> Self {
        let is_interactive = input.reads_stdin() && io::stdin().is_terminal() && !out.is_json();
        let trace = is_verbose.then(Trace::default);
        let is_prompted = AtomicBool::new(false);
        Self { out, input, tools, trace, memory, is_interactive, is_prompted, draft: Mutex::default() }
    }

    /// What was said before this process. It goes to standard error: whoever collects what agents say has it.
    pub(super) fn show_past(&self, state: &State, entries: &[Entry]) {
        let dim = self.out.style_errors().dim();
        for message in state.transcript() {
            let who = if message.from == Speaker::User { "user" } else { "agent" };
            self.out.note(dim.apply_to(format!("{who}: {}", message.text)));
        }
        if let Some(trace) = &self.trace {
            // Later entries speak of playbooks that were entered before.
            let _ = trace.lines(entries);
        }
    }

    fn prompt(&self) {
        if self.is_interactive && !self.input.has_given() && !self.is_prompted.swap(true, Ordering::Relaxed) {
            let _ = write!(io::stderr().lock(), "{} ", self.out.style_errors().green().bold().apply_to(">"));
        }
    }

    fn draft(&self) -> MutexGuard<'_, Draft> {
        self.draft.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the line of a draft, for whatever else is printed.
    fn end_line(&self) {
        if std::mem::take(&mut self.draft().is_open) {
            let _ = writeln!(io::stdout().lock());
        }
    }

    fn take_back(&self) {
        self.end_line();
        if !std::mem::take(&mut self.draft().words).is_empty() {
            self.out.note(self.out.style_errors().dim().apply_to("(taken back: this was not said)"));
        }
    }

    /// Says the rest of what was shown already; false if it was something else.
    fn finish_draft(&self, text: &str) -> bool {
        let mut draft = self.draft();
        let Some(rest) = text.strip_prefix(draft.words.as_str()).filter(|_| !draft.words.is_empty()) else {
            return false;
        };
        // Only its beginning was shown, and other lines stand behind it: it is said whole.
        let is_cut = !rest.is_empty() && !draft.is_open;
        if draft.is_open {
            let _ = writeln!(io::stdout().lock(), "{}", self.out.style().cyan().apply_to(rest));
        }
        *draft = Draft::default();
        !is_cut
    }

    /// Something is printed while the user may be typing.
    fn interrupt_prompt(&self) {
        self.end_line();
        if self.is_prompted.swap(false, Ordering::Relaxed) {
            let _ = writeln!(io::stderr().lock());
        }
    }

    async fn heard(&self) -> Option<String> {
        self.prompt();
        let text = self.input.next().await;
        // The line break came with the user's own.
        self.is_prompted.store(false, Ordering::Relaxed);
        text
    }
}

#[async_trait]
impl Host for Terminal<'_> {
    async fn say(&self, message: &Message) {
        if self.out.is_json() {
            return;
        }
        if message.to == "user" && self.finish_draft(&message.text) {
            return;
        }
        self.interrupt_prompt();
        let style = self.out.style().cyan();
        let text = if message.to == "user" {
            message.text.clone()
        } else {
            format!("(to {}) {}", message.to, message.text)
        };
        // Nobody reads it: the journal has it.
        let _ = self.out.line(style.apply_to(text));
    }

    fn wants_drafts(&self) -> bool {
        self.is_interactive && io::stdout().is_terminal()
    }

    fn draft(&self, drafted: Drafted<'_>) {
        let words = match drafted {
            Drafted::Words(words) => words,
            Drafted::TakenBack => return self.take_back(),
        };
        if !self.draft().is_open {
            self.interrupt_prompt();
            self.draft().words.clear();
        }
        let mut stdout = io::stdout().lock();
        let _ = write!(stdout, "{}", self.out.style().cyan().apply_to(words));
        let _ = stdout.flush();
        let mut draft = self.draft();
        draft.words.push_str(words);
        draft.is_open = true;
    }

    async fn told(&self, entries: &[Entry]) {
        if entries.iter().any(|entry| matches!(entry, Entry::Refused { .. })) {
            self.take_back();
        }
        let Some(trace) = &self.trace else { return };
        self.interrupt_prompt();
        let dim = self.out.style_errors().dim();
        for line in trace.lines(entries) {
            let _ = writeln!(io::stderr().lock(), "{}", dim.apply_to(line));
        }
    }

    async fn user(&self) -> Option<String> {
        self.heard().await
    }

    async fn unhandled(&self, _message: &str) {
        self.out.note("no playbook is for this message");
    }

    async fn tool(&self, name: &str, args: &[(String, Value)]) -> Result<Value, String> {
        match self.tools {
            Some((tools, program)) => tools.call(program, name, args).await,
            None => Err(format!("there is no tool `{name}`")),
        }
    }

    async fn recall(&self, _playbook: &str, _step: &str, query: &str) -> Vec<Learned> {
        match self.memory {
            Some(memory) => memory.recall(query).await,
            None => Vec::new(),
        }
    }

    async fn approve(&self, who: Option<&str>, text: &str) -> Option<Verdict> {
        self.interrupt_prompt();
        let who = who.unwrap_or("somebody");
        self.out.note(format_args!("{who} must approve: {text} [y/N]"));
        let answer = self.heard().await?;
        let is_granted = matches!(answer.to_ascii_lowercase().as_str(), "y" | "yes" | "approve" | "approved");
        Some(Verdict { is_granted, by: who.to_owned() })
    }
}
