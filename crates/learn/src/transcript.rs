//! Turns as a model reads them. What came from us is not in it, and no text can pass for more than it is: only what is
//! written here begins a line.

use reflexio_types::{Speaker, Turn, UserAction, speaker_name, without_context_blocks};

/// However many turns there are, each can say this much.
pub const SHORTEST_SHARE: usize = 400;
const LONGEST_SHARE: usize = 8_000;

/// A turn and the name by which an answer refers to it.
#[derive(Debug, Clone, Copy)]
pub struct Line<'a> {
    pub label: &'a str,
    /// Stands behind the label.
    pub mark: &'static str,
    pub turn: &'a Turn,
}

/// What to do with an answer that the agent could have given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alternative {
    /// The user only saw what the agent really answered; the alternative is shown beside it.
    Beside,
    /// It is the answer that is being looked at.
    Instead,
    /// Only what was said counts.
    LeftOut,
}

/// What each of so many turns may say, in characters, if all together have this room.
pub fn share(turns: usize, room: usize) -> usize {
    (room / turns.max(1)).clamp(SHORTEST_SHARE, LONGEST_SHARE)
}

/// One turn after the other, each with its share of the room. What an expert would have said is told only where the
/// answers themselves are looked at.
pub fn transcript(lines: &[Line<'_>], alternative: Alternative, room: usize) -> String {
    let share = share(lines.len(), room);
    let lines: Vec<String> = lines.iter().map(|line| one(line, alternative, share)).collect();
    lines.join("\n")
}

fn one(line: &Line<'_>, alternative: Alternative, share: usize) -> String {
    let said = line.turn;
    let words = clean(words(said, alternative), share);
    let mut lines = vec![format!("[{}]{} {}: {words}", line.label, line.mark, who(said))];
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
    let (expert, shadow) = match alternative {
        Alternative::Instead => (said.expert_content.as_str(), None),
        Alternative::Beside => ("", said.alternative()),
        Alternative::LeftOut => ("", None),
    };
    let answers = [
        ("an expert would have answered", expert),
        ("an alternative answer that was not shown", shadow.unwrap_or_default()),
    ];
    for (name, text) in answers.into_iter().filter(|(_, text)| !text.trim().is_empty()) {
        lines.push(format!("  ({name}: {})", clean(text, share)));
    }
    lines.join("\n")
}

fn words(turn: &Turn, alternative: Alternative) -> &str {
    let replaces = turn.is_of_user() || alternative == Alternative::Instead;
    let shadowed = replaces && !turn.shadow_content.trim().is_empty();
    if shadowed { &turn.shadow_content } else { &turn.content }
}

fn who(turn: &Turn) -> String {
    match Speaker::of(&turn.role) {
        Speaker::User => "user".to_owned(),
        Speaker::Assistant => "agent".to_owned(),
        Speaker::Other => speaker_name(&turn.role).map_or_else(|| "user".to_owned(), |name| clean(name, 60)),
    }
}

/// A label at the start of a line could be taken for a turn, so lines are indented.
pub fn clean(text: &str, longest: usize) -> String {
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
