//! Resuming, replaying and looking back: the inputs of a journal are taken again and must lead to its entries.

use std::collections::VecDeque;
use std::sync::Arc;

use super::{Run, State};
use crate::code::Playbooks;
use crate::effect::Effect;
use crate::event::Event;
use crate::journal::{Entry, Evaluated, PythonOutcome};

/// Entries that are expected to come again.
#[derive(Debug, Default)]
pub(super) struct Replay {
    expected: VecDeque<Entry>,
    diverged: Option<Box<(u64, Entry, Entry)>>,
    /// Stop as soon as everything that was expected has come.
    stops: bool,
    is_stopped: bool,
}

impl Replay {
    /// Whether an entry was expected.
    pub(super) fn expects(&mut self, entry: &Entry, position: u64) -> bool {
        let Some(expected) = self.expected.pop_front() else { return false };
        if expected != *entry && self.diverged.is_none() {
            self.diverged = Some(Box::new((position, expected, entry.clone())));
        }
        if self.expected.is_empty() && self.stops {
            self.is_stopped = true;
        }
        true
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.is_stopped || self.diverged.is_some()
    }

    /// The outcome of an expression, if the journal has it.
    pub(super) fn evaluated(&self) -> Option<(Evaluated, usize)> {
        if let Some(Entry::Evaluated { outcome, calls }) = self.expected.front() {
            return Some(((**outcome).clone(), *calls));
        }
        None
    }

    pub(super) fn python(&self) -> Option<PythonOutcome> {
        if let Some(Entry::Python { outcome, .. }) = self.expected.front() {
            return Some((**outcome).clone());
        }
        None
    }
}

/// A run that goes on.
#[derive(Debug)]
pub struct Resumed {
    pub run: Run,
    /// Entries that were missing at the end of the journal: append them.
    pub entries: Vec<Entry>,
    /// Everything the run waits for, asked for again, and what those entries stand for. Nothing that was said is
    /// said again.
    pub effects: Vec<Effect>,
}

/// A journal that does not belong to this program, or is damaged.
#[derive(Debug, thiserror::Error)]
pub enum ResumeError {
    #[error("the journal is empty")]
    Empty,
    #[error("the journal belongs to another version of the program ({journal}, not {program})")]
    OtherProgram { journal: String, program: String },
    #[error("entry {position} of the journal cannot have happened: expected {expected}, found {found}")]
    Diverged { position: u64, expected: String, found: String },
    #[error("entry {position} of the journal is an event that does not fit: {reason}")]
    Event { position: u64, reason: String },
}

impl Run {
    /// The run whose journal this is, exactly as it was, ready to go on.
    pub fn resume(code: Arc<Playbooks>, journal: &[Entry]) -> Result<Resumed, ResumeError> {
        let mut run = Self::new(code);
        run.replay_all(journal, false)?;
        let entries = std::mem::take(&mut run.entries);
        let new = std::mem::take(&mut run.effects).into_iter();
        let mut effects: Vec<Effect> = new
            .filter(|effect| {
                matches!(effect, Effect::Say(_) | Effect::Unhandled { .. } | Effect::Finished(_))
            })
            .collect();
        effects.extend(run.outstanding());
        Ok(Resumed { run, entries, effects })
    }

    /// The state as it was after the first entries of a journal, at the end of the small step the last one is in.
    pub fn look_back(code: Arc<Playbooks>, journal: &[Entry]) -> Result<State, ResumeError> {
        let mut run = Self::new(code);
        run.replay_all(journal, true)?;
        Ok(run.state)
    }

    /// The run with a state that was stored, instead of replaying everything that led to it.
    #[must_use]
    pub fn restore(code: Arc<Playbooks>, state: State, position: u64) -> Self {
        Self { state, position, ..Self::new(code) }
    }

    fn replay_all(&mut self, journal: &[Entry], stops: bool) -> Result<(), ResumeError> {
        let Some(Entry::Input { event, .. }) = journal.first() else { return Err(ResumeError::Empty) };
        if let Event::Start(start) = &**event
            && start.program != self.code.fingerprint()
        {
            let program = self.code.fingerprint().to_owned();
            return Err(ResumeError::OtherProgram { journal: start.program.clone(), program });
        }
        let is_input = |entry: &Entry| matches!(entry, Entry::Input { .. });
        let mut at = 0;
        while let Some(Entry::Input { at: time, event }) = journal.get(at) {
            let end = journal[at + 1..].iter().position(is_input).map_or(journal.len(), |len| at + 1 + len);
            self.replay.expected = journal[at..end].iter().cloned().collect();
            let is_last = end == journal.len();
            self.replay.stops = stops && is_last;
            let event = self.admit(*time, (**event).clone()).map_err(|refusal| ResumeError::Event {
                position: self.position + 1,
                reason: refusal.to_string(),
            })?;
            self.take(*time, event);
            self.compare(is_last)?;
            at = end;
        }
        self.replay = Replay::default();
        Ok(())
    }

    /// Whether what came is what the journal has.
    fn compare(&mut self, is_last: bool) -> Result<(), ResumeError> {
        let short = |entry: &Entry| serde_json::to_string(entry).unwrap_or_default();
        if let Some(diverged) = self.replay.diverged.take() {
            let (position, expected, found) = *diverged;
            return Err(ResumeError::Diverged { position, expected: short(&expected), found: short(&found) });
        }
        if let Some(left) = self.replay.expected.front() {
            let position = self.position + 1;
            return Err(ResumeError::Diverged {
                position,
                expected: short(left),
                found: "nothing".to_owned(),
            });
        }
        if !is_last && let Some(extra) = self.entries.first() {
            let expected = "the next event".to_owned();
            return Err(ResumeError::Diverged { position: self.position, expected, found: short(extra) });
        }
        Ok(())
    }
}
