//! Whether one text says what another one says. Wording, order and courtesies do not count; numbers and a "not" do.

use std::collections::HashSet;

use super::duplicates::is_negative;
use super::reading::telling_terms;
use super::text::{sentences, words};

/// What a text says, sentence by sentence.
#[derive(Debug, Clone, Default)]
pub struct Substance<'a> {
    sentences: Vec<Statement<'a>>,
    everything: HashSet<String>,
}

#[derive(Debug, Clone)]
struct Statement<'a> {
    text: &'a str,
    terms: HashSet<String>,
}

impl<'a> Substance<'a> {
    pub fn of(text: &'a str) -> Self {
        Self::of_sentences(sentences(text))
    }

    pub(super) fn of_sentences(sentences: impl IntoIterator<Item = &'a str>) -> Self {
        let statement = |text| Statement { text, terms: telling(text) };
        let sentences: Vec<Statement<'a>> = sentences.into_iter().map(statement).collect();
        let everything = sentences.iter().flat_map(|sentence| sentence.terms.iter().cloned()).collect();
        Self { sentences, everything }
    }

    /// The sentences that say anything.
    pub fn statements(&self) -> impl Iterator<Item = &'a str> {
        self.sentences.iter().filter(|sentence| !sentence.terms.is_empty()).map(|sentence| sentence.text)
    }

    /// Whether the text says this too: nearly all telling words are there, with the same numbers and the same sign.
    pub fn covers(&self, statement: &str) -> bool {
        let terms = telling(statement);
        if terms.is_empty() {
            return true;
        }
        let missing = || terms.iter().filter(|term| !self.everything.contains(*term));
        missing().count() * 5 <= terms.len()
            && !missing().any(|term| is_number(term))
            && self.nearest(statement).is_none_or(|nearest| is_negative(nearest) == is_negative(statement))
    }

    /// The sentence that is most about the same thing, if one is.
    pub(super) fn nearest(&self, statement: &str) -> Option<&'a str> {
        let terms = telling(statement);
        let mut best: Option<(&'a str, usize)> = None;
        for sentence in &self.sentences {
            let shared = sentence.terms.intersection(&terms).count();
            if shared > best.map_or(0, |(_, had)| had) {
                best = Some((sentence.text, shared));
            }
        }
        best.map(|(text, _)| text)
    }

    /// Whether an instruction that was drawn from `better` only says in other words what is said here already. What
    /// the words cannot decide is no restatement.
    pub(crate) fn is_restated_by(&self, instruction: &str, better: &Substance<'_>) -> bool {
        let instructed = telling(instruction);
        // Words that neither answer has are those of whoever wrote the instruction ("Tell the user …").
        let mut drawn = instructed.iter().filter(|term| better.everything.contains(*term)).peekable();
        let known = if drawn.peek().is_some() {
            drawn.all(|term| self.everything.contains(term))
        } else {
            instructed.iter().all(|term| self.everything.contains(term))
        };
        let nearest = self.nearest(instruction);
        known
            && nearest.is_none_or(|nearest| is_negative(nearest) == is_negative(instruction))
            && CONDITIONS.iter().all(|word| !has_word(instruction, word) || self.says(word))
    }

    fn says(&self, word: &str) -> bool {
        self.sentences.iter().any(|sentence| has_word(sentence.text, word))
    }
}

/// Words that carry little by themselves and change when a rule holds.
const CONDITIONS: [&str; 14] = [
    "if", "unless", "before", "after", "until", "only", "first", "instead", "when", "without", "except",
    "all", "both", "each",
];

/// Telling words without courtesies, which are style.
fn telling(text: &str) -> HashSet<String> {
    const COURTESY: [&str; 32] = [
        "assist", "certain", "cours", "feel", "free", "glad", "happi", "hello", "help", "hi", "just", "know",
        "let", "pleas", "sure", "thank", "welcom", "great", "sorri", "apolog", "hope", "anyth", "els",
        "need", "yes", "absolut", "wonder", "good", "question", "like", "further", "us",
    ];
    telling_terms(text).into_iter().filter(|term| !COURTESY.contains(&term.as_str())).collect()
}

fn is_number(term: &str) -> bool {
    term.starts_with(|c: char| c.is_ascii_digit())
}

fn has_word(text: &str, word: &str) -> bool {
    words(text).iter().any(|found| found.lower == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(agent: &str, expert: &str, instruction: &str, restated: bool) {
        assert_eq!(
            Substance::of(agent).is_restated_by(instruction, &Substance::of(expert)),
            restated,
            "{instruction}"
        );
    }

    #[test]
    fn an_instruction_that_adds_nothing_is_a_restatement() {
        let agent = "Go to Settings and click Reset Password.";
        let polite = "Certainly! In Settings, please click on Reset Password.";
        check(agent, polite, "Tell the user kindly to click Reset Password in Settings.", true);
        check(agent, polite, "Be friendly.", false);
        check(agent, "Go to Settings > Security.", "Name the Security page.", false);
        check(agent, "Choose 12 characters.", "Say that the password needs 12 characters.", false);
        check(agent, "First click Reset Password.", "Click Reset Password first.", false);
        check(agent, "Never click Reset Password.", "Do not let the user click Reset Password.", false);
        check("", "Ask for the date.", "Ask for the date.", false);
    }

    #[test]
    fn what_is_covered_may_be_said_in_another_order() {
        let answer = Substance::of("You can return electronics within 30 days. Bring the receipt.");
        assert!(answer.covers("Within 30 days, electronics can be returned."));
        assert!(answer.covers("Thanks, happy to help!"));
        assert!(!answer.covers("Within 90 days, electronics can be returned."));
        assert!(!answer.covers("You cannot return electronics within 30 days."));
        assert!(!answer.covers("Refunds go to the original card."));
    }
}
