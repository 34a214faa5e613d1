//! What a resumed run asks for again.

use std::sync::Arc;

use super::Run;
use super::frame::{Body, Frame};
use super::state::Open;
use crate::code::OpKind;
use crate::effect::Effect;

impl Run {
    /// Everything the run waits for, asked for again.
    pub fn outstanding(&self) -> Vec<Effect> {
        if self.state.outcome.is_some() {
            return Vec::new();
        }
        let timers =
            self.state.timers.iter().map(|(timer, found)| Effect::SetTimer { timer: *timer, due: found.due });
        let mut effects: Vec<Effect> = timers.collect();
        let frame = self.state.frames.last();
        let playbook = frame.and_then(|frame| self.code.playbook(frame.playbook()?));
        let op = frame.and_then(|frame| playbook?.ops.get(frame.pc));
        let step = playbook.zip(op).map(|(playbook, op)| playbook.step_id(op.step));
        match (&self.state.open, frame) {
            (Some(Open::Model { request, purpose, .. }), _) => {
                effects.push(Effect::AskModel(Box::new(self.request(*request, *purpose))));
            }
            (Some(Open::Tool { call }), Some(Frame { body: Body::Tool { tool, args }, .. })) => {
                let name = self.code.tools.get(*tool).map(|tool| tool.name.clone()).unwrap_or_default();
                effects.push(Effect::CallTool { call: *call, tool: name, args: args.clone() });
            }
            (Some(Open::User), _) => {
                effects.push(Effect::WaitForUser {
                    playbook: playbook.map(|playbook| playbook.name.clone()),
                    step,
                });
            }
            (Some(Open::Approval { approval }), _) => {
                let text = playbook.zip(op).and_then(|(playbook, op)| playbook.steps.get(op.step));
                let text = text.map_or_else(|| Arc::from(""), |step| Arc::clone(&step.text));
                let who = op.and_then(|op| {
                    if let OpKind::Approve { who } = &op.kind {
                        who.as_deref().map(str::to_owned)
                    } else {
                        None
                    }
                });
                effects.push(Effect::AskApproval { approval: *approval, who, text });
            }
            (Some(Open::Recall { recall }), _) => {
                if let (Some(playbook), Some(step)) = (playbook, step) {
                    effects.push(self.recall_effect(*recall, playbook, step));
                }
            }
            (Some(Open::Timer { .. } | Open::Tool { .. }) | None, _) => {}
        }
        effects
    }
}
