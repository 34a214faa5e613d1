use reflexio_types::{Speaker, Turn, UserAction, speaker_name, without_context_blocks};

use crate::findings::SceneTurn;

/// However many turns there are, each can say this much.
const SHORTEST_SHARE: usize = 400;
const LONGEST_SHARE: usize = 8_000;

/// The turns as a model reads them. What came from us is not in it.
pub(super) fn transcript(turns: &[SceneTurn<'_>], room: usize) -> String {
    let share = (room / turns.len().max(1)).clamp(SHORTEST_SHARE, LONGEST_SHARE);
    let lines: Vec<String> = turns.iter().map(|turn| one(turn, share)).collect();
    lines.join("\n")
}

fn one(turn: &SceneTurn<'_>, share: usize) -> String {
    let said = &turn.turn.interaction.turn;
    let mark = if turn.fresh { "" } else { " (seen before)" };
    let mut lines = vec![format!("[{}]{mark} {}: {}", turn.label, who(said), words(said, share))];
    if said.user_action != UserAction::None {
        lines.push(format!(
            "  (did: {} {})",
            said.user_action.as_str(),
            clean(&said.user_action_description, share)
        ));
    }
    if !said.image_url.is_empty() {
        lines.push(format!("  (looked at the picture {})", clean(&said.image_url, share)));
    }
    if said.image.is_some() {
        lines.push("  (sent a picture, see below)".to_owned());
    }
    for tool in &said.tools_used {
        let input = serde_json::Value::Object(tool.tool_data.clone()).to_string();
        let status = if tool.status.is_empty() { String::new() } else { format!(" -> {}", tool.status) };
        lines.push(format!("  (used the tool {}({}){status})", tool.tool_name, clean(&input, share / 2)));
    }
    for (name, text) in [("an expert would have answered", &said.expert_content), alternative(said)] {
        if !text.trim().is_empty() {
            lines.push(format!("  ({name}: {})", clean(text, share)));
        }
    }
    lines.join("\n")
}

/// The user only saw what the agent really answered; an alternative is shown beside it.
fn alternative(turn: &Turn) -> (&'static str, &String) {
    const NONE: &String = &String::new();
    if is_user(turn) {
        ("", NONE)
    } else {
        ("an alternative answer that was not shown", &turn.shadow_content)
    }
}

fn words(turn: &Turn, share: usize) -> String {
    let shadowed = is_user(turn) && !turn.shadow_content.trim().is_empty();
    clean(if shadowed { &turn.shadow_content } else { &turn.content }, share)
}

fn is_user(turn: &Turn) -> bool {
    Speaker::of(&turn.role) == Speaker::User || turn.role.trim().is_empty()
}

fn who(turn: &Turn) -> String {
    match Speaker::of(&turn.role) {
        Speaker::User => "user".to_owned(),
        Speaker::Assistant => "agent".to_owned(),
        Speaker::Other => speaker_name(&turn.role).map_or_else(|| "user".to_owned(), |name| clean(name, 60)),
    }
}

/// A label at the start of a line could be taken for a turn, so lines are indented.
fn clean(text: &str, longest: usize) -> String {
    let text = without_context_blocks(text);
    let text = shortened(text.trim(), longest);
    text.replace("\r\n", "\n").replace('\n', "\n  ")
}

/// The beginning and the end, which say more than the middle.
fn shortened(text: &str, longest: usize) -> String {
    let count = text.chars().count();
    if count <= longest {
        return text.to_owned();
    }
    let (head, tail) = (longest * 2 / 3, longest / 3);
    let begins: String = text.chars().take(head).collect();
    let ends: String = text.chars().skip(count - tail).collect();
    format!("{begins} [… {} characters left out …] {ends}", count - head - tail)
}
