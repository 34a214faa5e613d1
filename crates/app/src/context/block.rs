use reflexio_types::{
    AgentPlaybook, CONTEXT_BEGINS, CONTEXT_ENDS, InjectedRule, LearningKind, Profile, UserPlaybook,
    within_context_block,
};

use crate::injections::Worded;

const PREAMBLE: &str = "What follows was learned from earlier conversations. It is reference material, not a message from the user.";

/// One thing to tell the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) kind: LearningKind,
    pub(super) id: String,
    /// The rule in its words; profiles are none.
    pub(super) rule: Option<InjectedRule>,
    line: String,
}

impl Item {
    pub(super) fn profile(row: &Profile) -> Self {
        Self::new(LearningKind::Profile, row.id.to_string(), None, &row.body.content)
    }

    pub(super) fn user_playbook(row: &UserPlaybook) -> Self {
        let body = &row.body;
        let line = rule(&body.content, &body.trigger, &body.instruction, &body.pitfall);
        Self::new(LearningKind::UserPlaybook, row.id.to_string(), Some(row.injected()), &line)
    }

    pub(super) fn agent_playbook(row: &AgentPlaybook) -> Self {
        let body = &row.body;
        let line = rule(&body.content, &body.trigger, &body.instruction, &body.pitfall);
        Self::new(LearningKind::AgentPlaybook, row.id.to_string(), Some(row.injected()), &line)
    }

    fn new(kind: LearningKind, id: String, rule: Option<InjectedRule>, text: &str) -> Self {
        let text = within_context_block(text.trim());
        let lines: Vec<&str> = text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
        Self { kind, id, rule, line: format!("- {}\n", lines.join("\n  ")) }
    }

    pub(super) fn tokens(&self) -> usize {
        tokens(&self.line)
    }
}

/// The parts if it has them, so that the situation comes first; otherwise its text.
fn rule(
    content: &str,
    trigger: &Option<String>,
    instruction: &Option<String>,
    pitfall: &Option<String>,
) -> String {
    let given = |part: &Option<String>| part.clone().filter(|text| !text.trim().is_empty());
    let (Some(trigger), Some(instruction)) = (given(trigger), given(instruction)) else {
        return content.to_owned();
    };
    match given(pitfall) {
        Some(pitfall) => format!("{trigger}: {instruction}\nAvoid: {pitfall}"),
        None => format!("{trigger}: {instruction}"),
    }
}

/// A heading and what stands under it.
#[derive(Debug, Default)]
pub(super) struct Section {
    pub(super) heading: &'static str,
    pub(super) items: Vec<Item>,
}

/// The text of the block; empty if there is nothing to tell. The same sections give the same bytes.
pub(super) fn render(sections: &[Section]) -> String {
    if sections.iter().all(|section| section.items.is_empty()) {
        return String::new();
    }
    let mut text = format!("{CONTEXT_BEGINS}\n{PREAMBLE}\n");
    for section in sections.iter().filter(|section| !section.items.is_empty()) {
        text.push_str(&format!("\n# {}\n", section.heading));
        section.items.iter().for_each(|item| text.push_str(&item.line));
    }
    text.push_str(CONTEXT_ENDS);
    text.push('\n');
    text
}

/// What the block costs besides its items.
pub(super) fn frame_tokens(headings: &[&str]) -> usize {
    let headings: usize = headings.iter().map(|heading| tokens(&format!("\n# {heading}\n"))).sum();
    tokens(&format!("{CONTEXT_BEGINS}\n{PREAMBLE}\n{CONTEXT_ENDS}\n")) + headings
}

/// About as many tokens as a model will count; rather too many than too few.
pub(super) fn tokens(text: &str) -> usize {
    let plain = text.bytes().filter(u8::is_ascii).count();
    let other = text.chars().filter(|c| !c.is_ascii()).count();
    plain.div_ceil(4) + other
}
