//! Names: what people write in headings, the identifiers they become, and the key under which both are found.

use crate::tree::AgentKind;

/// The class name of an agent's heading: words capitalised and joined, unless it is CamelCase already.
#[must_use]
pub fn camel(name: &str) -> String {
    let is_camel = name.chars().next().is_some_and(|first| first.is_ascii_uppercase())
        && name.chars().all(|char| char.is_ascii_alphanumeric());
    if is_camel {
        return name.to_owned();
    }
    name.split(|char: char| char.is_whitespace() || char == '_' || char == '-').map(capitalised).collect()
}

fn capitalised(word: &str) -> String {
    let mut chars = word.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars.flat_map(char::to_lowercase)).collect(),
        None => String::new(),
    }
}

/// The form under which names are compared: `Greet the customer`, `greet_the_customer` and `GreetTheCustomer`
/// are one playbook.
#[must_use]
pub fn key(name: &str) -> String {
    if name.is_ascii() {
        let key: Vec<u8> = name
            .bytes()
            .filter(|byte| !byte.is_ascii_whitespace() && *byte != b'_' && *byte != b'-')
            .map(|byte| byte.to_ascii_lowercase())
            .collect();
        return match String::from_utf8(key) {
            Ok(key) if !key.is_empty() => key,
            _ => name.trim().to_owned(),
        };
    }
    let keeps = |char: &char| !char.is_whitespace() && *char != '_' && *char != '-';
    let key: String = name.chars().filter(keeps).flat_map(char::to_lowercase).collect();
    // A title made of separators only is still a name.
    if key.is_empty() { name.trim().to_owned() } else { key }
}

/// Name and type of an agent's heading; the type as written if it is unknown.
pub fn agent_header(title: &str) -> (&str, Result<AgentKind, &str>) {
    let Some((name, kind)) = title.split_once(':') else { return (title.trim(), Ok(AgentKind::Ai)) };
    let kind = match kind.trim() {
        "AI" => Ok(AgentKind::Ai),
        "Human" => Ok(AgentKind::Human),
        "MCP" => Ok(AgentKind::Mcp),
        other => Err(other),
    };
    (name.trim(), kind)
}

/// Whether a text is a Python identifier.
#[must_use]
pub fn is_identifier(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|first| first.is_alphabetic() || first == '_')
        && chars.all(|char| char.is_alphanumeric() || char == '_')
}

/// The length of the identifier at the beginning of a text.
pub(crate) fn identifier_len(text: &str) -> usize {
    let ascii = text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
    let is_plain = text.as_bytes().get(ascii).is_none_or(u8::is_ascii);
    if is_plain {
        return if text.bytes().next().is_some_and(|first| first.is_ascii_digit()) { 0 } else { ascii };
    }
    let mut chars = text.char_indices();
    match chars.next() {
        Some((_, first)) if first.is_alphabetic() || first == '_' => {}
        _ => return 0,
    }
    chars.find(|(_, char)| !(char.is_alphanumeric() || *char == '_')).map_or(text.len(), |(at, _)| at)
}
