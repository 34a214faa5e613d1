//! Any text as lines of a Markdown list, and back. Nothing is lost: what Markdown would read otherwise is escaped.

/// How much is escaped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Care {
    /// What Markdown would read otherwise.
    Usual,
    /// The first letter of each line too: it looks like code, and it is none.
    Code,
}

/// One line of a text, without its line break.
pub(super) fn escaped(line: &str, care: Care) -> String {
    if line.is_empty() {
        return "\\".to_owned();
    }
    let last = line.chars().count() - 1;
    let mut text = String::with_capacity(line.len());
    for (at, letter) in line.chars().enumerate() {
        let at_an_edge = letter.is_whitespace() && (at == 0 || at == last);
        let begins_a_block =
            at == 0 && letter.is_ascii_punctuation() && !matches!(letter, '"' | '\'' | '(' | '$');
        if is_unprintable(letter) || at_an_edge || (at == 0 && care == Care::Code) {
            text.push_str(&format!("\\u{{{:x}}}", u32::from(letter)));
        } else if letter == '\\' || begins_a_block {
            text.extend(['\\', letter]);
        } else {
            text.push(letter);
        }
    }
    text
}

/// Editors and readers of lines would change or lose these.
fn is_unprintable(letter: char) -> bool {
    letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}' | '\u{feff}')
}

pub(super) fn unescaped(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        line.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some((letter, after)) = by_number(rest) {
            line.push(letter);
            rest = after;
        } else if let Some(letter) = rest.chars().next() {
            line.push(letter);
            rest = &rest[letter.len_utf8()..];
        }
    }
    line.push_str(rest);
    line
}

/// `u{2028}` and what follows it.
fn by_number(text: &str) -> Option<(char, &str)> {
    let (digits, after) = text.strip_prefix("u{")?.split_once('}')?;
    Some((char::from_u32(u32::from_str_radix(digits, 16).ok()?)?, after))
}

/// The lines of a text as items of a list. A line that is an item below another one stays so.
pub(super) fn items(text: &str, care: Care) -> String {
    let mut list = String::new();
    for line in text.split('\n') {
        match nested(line).filter(|_| care == Care::Usual) {
            Some((indent, item)) => list.push_str(&format!("{indent}- {}\n", escaped(item, care))),
            None => list.push_str(&format!("- {}\n", escaped(line, care))),
        }
    }
    list
}

/// An item below another one: its indentation and its text.
fn nested(line: &str) -> Option<(&str, &str)> {
    let text = line.trim_start_matches(' ');
    let indent = &line[..line.len() - text.len()];
    let item = text.strip_prefix("- ")?;
    (!indent.is_empty()).then_some((indent, item))
}

/// What one line of a list says, or how it goes on with the line before.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    Item(String),
    GoesOn(String),
}

pub(super) fn read(line: &str) -> Line {
    let text = line.trim_start_matches([' ', '\t']);
    let indent = &line[..line.len() - text.len()];
    let item = ["- ", "* ", "+ "].iter().find_map(|bullet| text.strip_prefix(bullet));
    match item.map(|item| unescaped(item.trim())) {
        Some(item) if indent.is_empty() => Line::Item(item),
        Some(item) => Line::Item(format!("{indent}- {item}")),
        None if indent.is_empty() && is_numbered(text) => Line::Item(unescaped(text.trim())),
        None => Line::GoesOn(unescaped(text.trim())),
    }
}

/// `1. ` or `1) `: the number is part of what a person wrote.
fn is_numbered(text: &str) -> bool {
    let rest = text.trim_start_matches(|letter: char| letter.is_ascii_digit());
    rest.len() < text.len() && (rest.starts_with(". ") || rest.starts_with(") "))
}
