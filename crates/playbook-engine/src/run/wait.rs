//! Speaking, listening and waiting.

use std::sync::Arc;

use super::Run;
use super::state::{Open, State, Timer, Wakes};
use crate::code::{Op, PlaybookCode};
use crate::effect::{Effect, Message, Speaker};
use crate::journal::{Entry, Waiting};

impl Run {
    /// Says something where the run stands.
    pub(super) fn say(&mut self, to: &str, text: String) {
        let number = State::take_number(&mut self.state.next.message);
        let (playbook, step) = self.where_said();
        let to = if matches!(to, "user" | "human" | "User" | "") { "user" } else { to };
        let message = Arc::new(Message {
            id: format!("m{number}"),
            from: Speaker::Agent,
            to: to.to_owned(),
            text,
            playbook,
            step,
        });
        self.state.transcript.push(Arc::clone(&message));
        self.ask_for(Entry::Said { message: Arc::clone(&message) }, Effect::Say(message));
    }

    fn where_said(&self) -> (Option<String>, Option<Arc<str>>) {
        let Some(frame) = self.state.frames.last() else { return (None, None) };
        let Some(playbook) = frame.playbook().and_then(|id| self.code.playbook(id)) else {
            return (None, None);
        };
        let step = playbook.ops.get(frame.pc).map(|op| playbook.step_id(op.step));
        (Some(playbook.name.clone()), step)
    }

    /// Takes a message of the user into the conversation.
    pub(super) fn hear(&mut self, text: String) -> String {
        let number = State::take_number(&mut self.state.next.message);
        let id = format!("m{number}");
        let message = Arc::new(Message {
            id: id.clone(),
            from: Speaker::User,
            to: "agent".to_owned(),
            text,
            playbook: None,
            step: None,
        });
        self.state.transcript.push(Arc::clone(&message));
        self.tell(Entry::Heard { message });
        self.state.unjudged = (!self.candidates().is_empty()).then(|| id.clone());
        id
    }

    /// Waits until the user has said something. Says whether that is so.
    pub(super) fn has_heard(&mut self) -> bool {
        let Some(frame) = self.state.frames.last() else { return false };
        if frame.heard.is_some() {
            return true;
        }
        let frame_id = frame.id;
        if let Some(text) = self.state.inbox.pop_front() {
            let id = self.hear(text);
            if let Some(frame) = self.state.frames.last_mut() {
                frame.heard = Some(id);
            }
            return true;
        }
        self.state.open = Some(Open::User);
        let (playbook, step) = self.where_said();
        let effect = Effect::WaitForUser { playbook, step };
        self.ask_for(Entry::Waiting { frame: Some(frame_id), r#for: Waiting::User }, effect);
        false
    }

    pub(super) fn wait_for_user_step(&mut self) {
        if self.has_heard() {
            if let Some(frame) = self.state.frames.last_mut() {
                frame.heard = None;
            }
            self.next();
        }
    }

    pub(super) fn wait_seconds(&mut self, seconds: u64) {
        let Some(frame) = self.state.frames.last_mut() else { return };
        if std::mem::take(&mut frame.is_time_over) {
            return self.next();
        }
        let frame = frame.id;
        // An interruption is over, and the time is still running.
        let wakes = Wakes::Frame(frame);
        let known = self.state.timers.iter().find(|(_, timer)| timer.wakes == wakes).map(|(id, _)| *id);
        let timer = known.unwrap_or_else(|| {
            let due = self.state.now.saturating_add(seconds.saturating_mul(1_000));
            self.set_timer(Timer { due, wakes }, "a step waits")
        });
        self.state.open = Some(Open::Timer { timer });
        self.tell(Entry::Waiting { frame: Some(frame), r#for: Waiting::Timer });
    }

    pub(super) fn approve(&mut self, playbook: &PlaybookCode, op: &Op, who: Option<&str>) {
        let Some(frame) = self.state.frames.last_mut() else { return };
        match frame.approval.take() {
            Some(Ok(())) => return self.next(),
            Some(Err(reason)) => return self.fail_step(&reason),
            None => {}
        }
        let frame = frame.id;
        let approval = self.number();
        self.state.open = Some(Open::Approval { approval });
        let text = playbook.steps.get(op.step).map_or_else(|| Arc::from(""), |step| Arc::clone(&step.text));
        let effect = Effect::AskApproval { approval, who: who.map(str::to_owned), text };
        self.ask_for(Entry::Waiting { frame: Some(frame), r#for: Waiting::Approval }, effect);
    }
}
