use super::words::{Word, span_range};
use crate::builtin::cues::Table;

/// For whom the user's words are retold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::builtin) enum Voice {
    /// An instruction: "ask for my number" → "ask for the number".
    ToTheAgent,
    /// A fact: "my son is five" → "the user's son is five".
    AboutTheUser,
}

/// Retells words of the user in the third person. Only the table's language tells how; a table without
/// pronouns leaves the words as they were.
pub(in crate::builtin) fn retell(sentence: &str, words: &[Word], voice: Voice, table: &Table) -> String {
    let range = span_range(sentence, words);
    let mut text = String::with_capacity(range.len() + 16);
    let mut at = range.start;
    let mut agree = false;
    for word in words {
        text.push_str(sentence.get(at..word.start).unwrap_or_default());
        let raw = sentence.get(word.start..word.end).unwrap_or_default();
        let replaced = if word.quoted { None } else { pronoun(&word.lower, voice, table) };
        if let Some((replacement, takes_verb)) = replaced {
            text.push_str(replacement);
            agree = takes_verb;
        } else if agree && !is_adverb(&word.lower, table) {
            text.push_str(&third_person(raw, &word.lower, table));
            agree = false;
        } else {
            text.push_str(raw);
        }
        at = word.end;
    }
    text.push_str(sentence.get(at..range.end).unwrap_or_default());
    text.trim().to_owned()
}

/// What stands for a pronoun, and whether the verb after it has to agree.
fn pronoun<'t>(lower: &str, voice: Voice, table: &'t Table) -> Option<(&'t str, bool)> {
    let section = match voice {
        Voice::ToTheAgent => "agent",
        Voice::AboutTheUser => "about",
    };
    let replacement = table.pronoun(section, lower)?;
    let takes_verb = matches!(lower, "i" | "we");
    Some((replacement, takes_verb))
}

/// "I clearly said": the verb comes later.
fn is_adverb(lower: &str, table: &Table) -> bool {
    table.has("adverb", lower)
        || (lower.ends_with("ly") && !matches!(lower, "fly" | "apply" | "reply" | "rely" | "supply"))
}

/// "ask" → "asks" after "the user"; modals and past forms do not change.
fn third_person(raw: &str, lower: &str, table: &Table) -> String {
    if let Some(form) = table.pronoun("verb", lower) {
        return form.to_owned();
    }
    let ends = |endings: &[&str]| endings.iter().any(|ending| lower.ends_with(ending));
    let unchanged = table.has("modal", lower)
        || table.form(lower).is_some()
        || (ends(&["ed"]) && !ends(&["eed"]))
        || ends(&["n't"])
        || !lower.chars().all(char::is_alphabetic)
        || lower.len() < 2;
    if unchanged {
        return raw.to_owned();
    }
    if ends(&["s", "x", "z", "ch", "sh", "o"]) {
        return format!("{raw}es");
    }
    match raw.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ies"),
        _ => format!("{raw}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtin::Language;
    use crate::builtin::text::words;

    #[track_caller]
    fn check(voice: Voice, said: &str, expected: &str) {
        assert_eq!(retell(said, &words(said), voice, Table::of(Language::English)), expected);
    }

    #[test]
    fn facts_are_told_about_the_user() {
        check(Voice::AboutTheUser, "I'm a nurse", "the user is a nurse");
        check(Voice::AboutTheUser, "I always fly first class", "the user always flies first class");
        check(Voice::AboutTheUser, "my son can't eat nuts", "the user's son can't eat nuts");
        check(Voice::AboutTheUser, "We use \"my\" tools.", "the user uses \"my\" tools");
    }

    #[test]
    fn instructions_are_told_to_the_agent() {
        check(Voice::ToTheAgent, "ask for my order number", "ask for the order number");
        check(Voice::ToTheAgent, "wait until I say so", "wait until the user says so");
        check(Voice::ToTheAgent, "what I asked you", "what the user asked you");
        check(Voice::ToTheAgent, "touch parse()!", "touch parse()");
    }
}
