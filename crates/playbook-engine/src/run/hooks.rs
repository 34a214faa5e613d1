//! Playbooks hooked on calls: before, after, and when one fails.

use std::sync::Arc;

use playbook_lang::Value;

use super::Run;
use super::frame::{Body, CallOutcome, Frame, ReturnsTo};
use super::state::Firing;
use crate::code::{Callee, Moment, Playbooks};

impl Run {
    /// The arguments of the call that was just made, for a playbook that is hooked on it.
    fn arguments_of_call(&self) -> Vec<(String, Value)> {
        let Some(frame) = self.state.frames.last() else { return Vec::new() };
        match &frame.body {
            Body::Tool { args, .. } => args.clone(),
            Body::Python { named, .. } => named.clone(),
            Body::Playbook(_) => {
                frame.locals.iter().map(|(name, value)| (name.to_string(), value.clone())).collect()
            }
        }
    }

    /// Playbooks that begin before another is called run first; one that returns `False` forbids the call.
    pub(super) fn hook_before(&mut self, callee: &Callee, code: &Playbooks) {
        let name = code.callee_name(callee).to_owned();
        let hooks = code.triggers.hooks(Moment::Before, &name);
        let args = if hooks.is_empty() { Vec::new() } else { self.arguments_of_call() };
        for &trigger in hooks.iter().rev() {
            let because = format!("before calling {name}");
            let firing = Firing { trigger, instance: None, because, args: args.clone(), steps: Vec::new() };
            self.fire_as(firing, ReturnsTo::Veto);
        }
    }

    /// Hooks after a call. `None` if one of them takes over what the call would have given.
    pub(super) fn after_call(&mut self, frame: &Frame, outcome: CallOutcome) -> Option<CallOutcome> {
        let code = Arc::clone(&self.code);
        let name = match &frame.body {
            Body::Tool { tool, .. } => code.tools.get(*tool).map_or("", |tool| tool.name.as_str()),
            Body::Playbook(_) | Body::Python { .. } => frame
                .playbook()
                .and_then(|id| code.playbook(id))
                .map_or("", |playbook| playbook.name.as_str()),
        };
        let reason = match &outcome {
            Ok(value) => {
                for &trigger in code.triggers.hooks(Moment::After, name) {
                    let because = format!("after calling {name}");
                    let args = vec![("result".to_owned(), value.clone())];
                    let firing = Firing { trigger, instance: None, because, args, steps: Vec::new() };
                    self.state.firings.push_back(firing);
                }
                return Some(outcome);
            }
            Err(reason) => reason,
        };
        for &trigger in code.triggers.hooks(Moment::Failed, name) {
            let because = format!("{name} failed: {reason}");
            let args = vec![("error".to_owned(), Value::Text(reason.clone()))];
            let firing = Firing { trigger, instance: None, because, args, steps: Vec::new() };
            if self.fire_as(firing, frame.returns_to.clone()) {
                return None;
            }
        }
        Some(outcome)
    }
}
