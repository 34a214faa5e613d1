//! A wording must help with users who were never seen. One that repeats what users said has learned the examples by heart.

use std::collections::HashSet;

use crate::Task;

/// So many words in a row that also stand in a window are no coincidence.
const WORDS_IN_A_ROW: usize = 7;
/// A number with so many digits belongs to one user.
const DIGITS: usize = 4;
/// A rule that nobody reads to its end is not followed.
const LONGEST: usize = 4_000;

/// What is wrong with a proposed wording, in words that whoever wrote it can act on.
pub(crate) fn objection(task: &Task, parent: &str, proposed: &str) -> Option<String> {
    let proposed = proposed.trim();
    if proposed.is_empty() {
        return Some("it is empty".to_owned());
    }
    if proposed == parent.trim() {
        return Some("it is the wording that is there".to_owned());
    }
    let longest = LONGEST.max(task.incumbent.chars().count() * 2);
    if proposed.chars().count() > longest {
        return Some(format!("it is longer than {longest} characters"));
    }
    let (before, words) = (words(&task.incumbent), words(proposed));
    let told: Vec<Vec<String>> = windows(task).collect();
    let known: HashSet<&[String]> = before.windows(WORDS_IN_A_ROW).collect();
    let said: HashSet<&[String]> = told.iter().flat_map(|text| text.windows(WORDS_IN_A_ROW)).collect();
    let copied = words.windows(WORDS_IN_A_ROW).find(|words| said.contains(words) && !known.contains(words));
    if let Some(copied) = copied {
        return Some(format!("it repeats what was said in a situation: `{}`", copied.join(" ")));
    }
    let told: HashSet<&String> = told.iter().flatten().collect();
    let personal = |word: &&String| {
        (word.chars().filter(char::is_ascii_digit).count() >= DIGITS || word.contains('@'))
            && told.contains(*word)
            && !before.contains(*word)
    };
    words.iter().find(personal).map(|word| format!("it names `{word}`, which belongs to one user"))
}

fn windows(task: &Task) -> impl Iterator<Item = Vec<String>> {
    task.windows
        .iter()
        .flat_map(|window| window.user_turns.iter().chain(&window.ideal))
        .map(|text| words(text))
}

fn words(text: &str) -> Vec<String> {
    let inside = |c: char| c.is_alphanumeric() || c == '@';
    text.split(|c: char| !inside(c)).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Window;

    fn task() -> Task {
        let window = Window {
            user_turns: vec![
                "My order 4471902 never came and I want my money back now, ann@x.example".to_owned(),
            ],
            ideal: vec!["I am sorry. I will check with the carrier today and write to you.".to_owned()],
            session: None,
        };
        Task {
            playbook_id: 1,
            incumbent: "When a parcel is late, apologise. Call 0800 1234.".to_owned(),
            trigger: String::new(),
            agent_context: None,
            windows: vec![window],
        }
    }

    #[test]
    fn a_wording_that_knows_the_examples_by_heart_is_refused() {
        let said = |text: &str| objection(&task(), "parent", text).unwrap_or_default();
        assert_eq!(said("Ask for the order number, then check with the carrier."), "");
        assert_eq!(
            said("When a parcel is late, apologise. Call 0800 1234. Then refund."),
            "",
            "what was there may stay"
        );
        let copied = said("If they say 'my order 4471902 never came and I want', refund.");
        assert!(copied.contains("my order 4471902 never came and i"), "{copied}");
        assert!(said("Answer: I will check with the carrier today and more.").contains("repeats"));
        assert!(said("Refund order 4471902 at once.").contains("`4471902`"));
        assert!(said("Write to ann@x.example today.").contains("ann@x"));
        assert_eq!(said(" "), "it is empty");
        assert_eq!(said(" parent\n"), "it is the wording that is there");
        assert!(said(&"word ".repeat(1_000)).contains("longer than 4000"));
    }
}
