//! What happens in a run, one line each.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use playbook_run::engine::{DecidedBy, Entry, Evaluated, Waiting};

/// Knows which playbooks the numbers in entries stand for.
#[derive(Default)]
pub(super) struct Trace(Mutex<BTreeMap<u64, (String, usize)>>);

impl Trace {
    pub(super) fn lines(&self, entries: &[Entry]) -> Vec<String> {
        let mut frames = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        entries.iter().filter_map(|entry| line(&mut frames, entry)).collect()
    }
}

fn line(frames: &mut BTreeMap<u64, (String, usize)>, entry: &Entry) -> Option<String> {
    if let Entry::Entered { frame, call } = entry {
        frames.insert(*frame, (call.name.clone(), call.depth));
    }
    let indent = |frame: &u64| "  ".repeat(frames.get(frame).map_or(0, |(_, depth)| *depth));
    let name = |frame: &u64| frames.get(frame).map_or("", |(name, _)| name.as_str());
    Some(match entry {
        Entry::Entered { frame, call } => format!("{}{}", &indent(frame)[2..], call.text),
        Entry::Step { frame, step } => format!("{}{} {step}", indent(frame), name(frame)),
        Entry::Set { frame, variable, value } => {
            format!("{}${variable} = {}", indent(frame), serde_json::to_string(value).unwrap_or_default())
        }
        Entry::Decided { frame, step, is_true, by } => {
            let why = match &**by {
                DecidedBy::Expression => String::new(),
                DecidedBy::Model { why, .. } => format!(" by the model: {why}"),
            };
            format!("{}{step} is {is_true}{why}", indent(frame))
        }
        Entry::Asked { steps, .. } => format!("asks the model for {}", steps.join(", ")),
        Entry::Refused { problem, .. } => format!("the answer was refused: {problem}"),
        Entry::Applied { frame, notes } => {
            let labels = notes.iter().map(|note| match &note.rule {
                Some(rule) => format!("{} (rule {rule})", note.label),
                None => note.label.clone(),
            });
            format!("{}applied {}", indent(frame), labels.collect::<Vec<_>>().join(", "))
        }
        Entry::ToolCalled { tool, .. } => format!("calls the tool {tool}"),
        Entry::Waiting { r#for: Waiting::Timer, .. } => "waits".to_owned(),
        Entry::TimerSet { timer, why, .. } => format!("timer {timer}: {why}"),
        Entry::Fired { trigger, because } => format!("trigger {trigger}: {because}"),
        Entry::HeldBack { trigger, because } => format!("trigger {trigger} held back: {because}"),
        Entry::Evaluated { outcome, .. } => match &**outcome {
            Evaluated::Failed(why) => format!("an expression failed: {why}"),
            Evaluated::Value(_) | Evaluated::Text(_) => return None,
        },
        Entry::Returned { frame, value } => format!(
            "{}{} -> {}",
            &indent(frame)[2..],
            name(frame),
            serde_json::to_string(value).unwrap_or_default()
        ),
        Entry::Failed { frame, reason } => format!("{}{} failed: {reason}", &indent(frame)[2..], name(frame)),
        Entry::BudgetReached { limit, most } => format!("the limit of {most} {limit} is reached"),
        Entry::Input { .. }
        | Entry::Heard { .. }
        | Entry::Described { .. }
        | Entry::Said { .. }
        | Entry::Accepted { .. }
        | Entry::Recalling { .. }
        | Entry::Waiting { .. }
        | Entry::TimerEnded { .. }
        | Entry::Python { .. }
        | Entry::Unhandled { .. }
        | Entry::Finished { .. } => return None,
    })
}
