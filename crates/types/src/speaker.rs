/// Who spoke, as far as a role tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Speaker {
    User,
    Assistant,
    /// A named person, a tool, or a row that nobody said.
    #[default]
    Other,
}

impl Speaker {
    pub fn of(role: &str) -> Self {
        match role.trim().to_lowercase().as_str() {
            "user" | "human" | "customer" => Self::User,
            "assistant" | "agent" | "ai" | "bot" | "model" => Self::Assistant,
            _ => Self::Other,
        }
    }
}

/// The name in a role, if it is one: a role like "user" tells nothing that a question could ask for, a role
/// like "Caroline" has to be indexed and embedded as `Caroline: …`.
pub fn speaker_name(role: &str) -> Option<&str> {
    const NOBODY: [&str; 6] = ["", "system", "tool", "function", "developer", "unknown"];
    let name = role.trim();
    let anonymous = Speaker::of(name) != Speaker::Other || NOBODY.contains(&name.to_lowercase().as_str());
    (!anonymous).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_are_speakers() {
        assert_eq!(speaker_name(" Caroline "), Some("Caroline"));
        for role in ["User", "agent", "Assistant", "system", "", " "] {
            assert_eq!(speaker_name(role), None, "{role}");
        }
        assert_eq!(Speaker::of("AGENT"), Speaker::Assistant);
        assert_eq!(Speaker::of("Caroline"), Speaker::Other);
    }
}
