use crate::fusion::words;

/// Verbs that take something out of consideration.
const REFUSALS: [&str; 8] = ["ignore", "disregard", "forget", "skip", "without", "dont", "no", "not"];
/// What is taken out: what is known about the person who asks.
const PERSONAL: [&[&str]; 15] = [
    &["my", "profile"],
    &["my", "preferences"],
    &["my", "history"],
    &["my", "past", "conversations"],
    &["my", "previous", "conversations"],
    &["my", "personal", "context"],
    &["my", "personal", "information"],
    &["my", "personal", "data"],
    &["personal", "context"],
    &["personalization"],
    &["personalisation"],
    &["personalized", "context"],
    &["what", "you", "know", "about", "me"],
    &["what", "you", "remember", "about", "me"],
    &["anything", "you", "know", "about", "me"],
];
/// So many words may stand between the two: "don't use any of my past conversations".
const REACH: usize = 6;

/// Whether a query says that what is known about its asker must be left out of the answer. Only English is
/// understood, and only plain words: a query that merely mentions a profile keeps it.
pub fn opts_out_of_personal_context(query: &str) -> bool {
    // "don't" and "don’t" are one word here.
    let joined: String = query.chars().filter(|c| !matches!(c, '\'' | '’')).collect();
    let words = words(&joined);
    (0..words.len())
        .any(|at| refuses(&words, at) && (at + 1..=at + REACH).any(|place| is_personal(&words, place)))
}

fn refuses(words: &[String], at: usize) -> bool {
    words.get(at).is_some_and(|word| REFUSALS.contains(&word.as_str()))
}

fn is_personal(words: &[String], at: usize) -> bool {
    let rest = words.get(at..).unwrap_or_default();
    PERSONAL.iter().any(|phrase| {
        rest.len() >= phrase.len() && rest.iter().zip(*phrase).all(|(word, wanted)| word == wanted)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_refusals_opt_out() {
        for query in [
            "Recommend a laptop, but don't use my profile",
            "Answer without personalization please",
            "ignore what you know about me: which plan is cheapest?",
            "Do not look at any of my past conversations. What is a refund?",
            "Don’t use my preferences",
        ] {
            assert!(opts_out_of_personal_context(query), "{query}");
        }
    }

    #[test]
    fn mentions_do_not() {
        for query in [
            "How do I change my profile?",
            "my preferences are not saved",
            "what do you know about me",
            "no refund came",
            "",
        ] {
            assert!(!opts_out_of_personal_context(query), "{query}");
        }
    }
}
