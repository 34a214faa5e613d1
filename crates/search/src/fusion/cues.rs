/// Whether someone asks to be treated in some way from now on. Only English is understood.
pub fn is_standing_request(text: &str) -> bool {
    let ends = |c: char| matches!(c, '.' | '!' | '?' | '\n');
    text.split(ends).any(|sentence| {
        let words = words(sentence);
        begins_as_rule(&words) || (0..words.len()).any(|at| states_preference(&words[at..]))
    })
}

fn begins_as_rule(words: &[String]) -> bool {
    const BEGINNINGS: [&[&str]; 6] = [
        &["always"],
        &["never"],
        &["from", "now", "on"],
        &["going", "forward"],
        &["in", "future"],
        &["in", "the", "future"],
    ];
    let words = if begins(words, &["please"]) { &words[1..] } else { words };
    BEGINNINGS.iter().any(|beginning| begins(words, beginning)) && !begins(words, &["never", "mind"])
}

fn states_preference(words: &[String]) -> bool {
    const PREFERENCES: [&[&str]; 9] = [
        &["i", "prefer"],
        &["i", "d", "prefer"],
        &["i", "would", "prefer"],
        &["i", "d", "rather"],
        &["i", "would", "rather"],
        &["when", "i", "ask"],
        &["whenever", "i", "ask"],
        &["every", "time", "i", "ask"],
        &["sure", "to", "always"],
    ];
    PREFERENCES.iter().any(|preference| begins(words, preference))
}

/// Whether the asker asks about themselves.
pub(super) fn is_first_person(words: &[String]) -> bool {
    words.iter().any(|word| matches!(word.as_str(), "i" | "my" | "me" | "mine" | "myself" | "we" | "our"))
}

/// Whether the question is about what the assistant said: "did you recommend …", "you mentioned …".
pub(super) fn is_about_assistant(words: &[String]) -> bool {
    const REACH: usize = 6;
    let after = |at: usize, reach: usize| words[at + 1..].iter().take(reach);
    words.iter().enumerate().filter(|(_, word)| *word == "you").any(|(at, _)| {
        let asked = at > 0 && matches!(words[at - 1].as_str(), "did" | "had" | "have");
        after(at, 1).any(|word| has_told(word))
            || (asked && after(at, REACH).any(|word| has_told(word) || tells(word)))
    })
}

fn has_told(word: &str) -> bool {
    matches!(
        word,
        "advised"
            | "explained"
            | "gave"
            | "given"
            | "mentioned"
            | "proposed"
            | "provided"
            | "recommended"
            | "said"
            | "suggested"
            | "told"
    )
}

fn tells(word: &str) -> bool {
    matches!(
        word,
        "advise"
            | "explain"
            | "give"
            | "mention"
            | "propose"
            | "provide"
            | "recommend"
            | "say"
            | "suggest"
            | "tell"
    )
}

/// Lower case, cut at everything that is no letter or digit: "I'd" is two words.
pub(crate) fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

fn begins(words: &[String], with: &[&str]) -> bool {
    words.len() >= with.len() && words.iter().zip(with).all(|(word, wanted)| word == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_and_preferences_are_standing_requests() {
        for text in [
            "Always answer in French.",
            "Thanks! Please never call me before nine",
            "From now on, use metric units",
            "I’d prefer tables",
            "Whenever I ask about prices, show taxes.",
            "Make sure to always add a link",
        ] {
            assert!(is_standing_request(text), "{text}");
        }
    }

    #[test]
    fn telling_about_habits_is_no_standing_request() {
        for text in ["I always loved it", "Never mind.", "It will never work", "", "Do you prefer tea?"] {
            assert!(!is_standing_request(text), "{text}");
        }
    }

    #[test]
    fn questions_tell_whom_they_are_about() {
        #[track_caller]
        fn check(question: &str, asker: bool, assistant: bool) {
            let words = words(question);
            assert_eq!(
                (is_first_person(&words), is_about_assistant(&words)),
                (asker, assistant),
                "{question}"
            );
        }
        check("When does my lease end?", true, false);
        check("When did Ann move?", false, false);
        check("How did you recommend that I cook rice?", true, true);
        check("the book you mentioned", false, true);
        check("What do you suggest?", false, false);
        check("you", false, false);
    }
}
