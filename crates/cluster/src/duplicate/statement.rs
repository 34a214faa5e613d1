use std::collections::BTreeSet;

use reflexio_search::{is_stop_word, remembered_terms};

use crate::polarity::Stance;

/// Texts are short; what comes after so many terms of a long one is not compared word by word.
const MOST_TERMS: usize = 400;

/// A short text, read once for any number of comparisons.
#[derive(Debug, Clone)]
pub struct Statement {
    text: Box<str>,
    pub(super) vector: Option<Box<[f32]>>,
    pub(super) terms: Vec<String>,
    /// Terms that carry meaning, without repetitions.
    pub(super) telling: BTreeSet<String>,
    /// Every three characters in a row of the terms.
    pub(super) trigrams: BTreeSet<[char; 3]>,
    pub(super) numbers: BTreeSet<String>,
    /// Terms written with a capital inside a sentence.
    pub(super) names: BTreeSet<String>,
    pub(super) stance: Stance,
}

impl Statement {
    pub fn new(text: &str, vector: Option<&[f32]>) -> Self {
        let mut terms = remembered_terms(text);
        terms.truncate(MOST_TERMS);
        Self {
            text: text.trim().into(),
            vector: vector.map(Into::into),
            telling: terms.iter().filter(|term| !is_stop_word(term)).cloned().collect(),
            trigrams: trigrams(&terms),
            numbers: numbers(text),
            names: names(text),
            stance: Stance::of(text),
            terms,
        }
    }

    /// Nothing to compare but the characters.
    pub(super) fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    pub(super) fn is_same_wording(&self, other: &Self) -> bool {
        let same_terms = !self.terms.is_empty() && self.terms == other.terms && self.numbers == other.numbers;
        self.text == other.text || (same_terms && self.stance == other.stance)
    }

    /// Whether it says something that the other does not, and all of that is names.
    pub(super) fn differs_by_names_from(&self, other: &Self) -> bool {
        let mut own = self.telling.difference(&other.telling).peekable();
        own.peek().is_some() && own.all(|term| self.names.contains(term))
    }
}

fn trigrams(terms: &[String]) -> BTreeSet<[char; 3]> {
    let chars: Vec<char> = terms.join(" ").chars().collect();
    chars.array_windows::<3>().copied().collect()
}

/// Numbers as values: `1,000`, `1000` and `1000.` are one number.
fn numbers(text: &str) -> BTreeSet<String> {
    let part_of_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',');
    text.split(|c| !part_of_number(c)).filter_map(number).collect()
}

fn number(piece: &str) -> Option<String> {
    let piece = piece.trim_matches(['.', ',']).replace(',', "");
    let value = piece.trim_start_matches('0');
    (!piece.is_empty()).then(|| if value.is_empty() { "0".to_owned() } else { value.to_owned() })
}

fn names(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut begins_sentence = true;
    for word in text.split_whitespace() {
        let bare = word.trim_start_matches(|c: char| !c.is_alphanumeric());
        if !begins_sentence && bare.chars().next().is_some_and(char::is_uppercase) {
            found.extend(remembered_terms(bare).into_iter().filter(|term| !is_stop_word(term)));
        }
        begins_sentence = word.ends_with(['.', '!', '?', ':']);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_by_value() {
        let read = |text: &str| numbers(text).into_iter().collect::<Vec<_>>();
        assert_eq!(read("pay 1,000 or $2.50, by 05."), ["1000", "2.50", "5"]);
        assert_eq!(read("zero is 0, none here. … ,"), ["0"]);
    }

    #[test]
    fn names_are_capitals_within_a_sentence() {
        let read = |text: &str| names(text).into_iter().collect::<Vec<_>>();
        assert_eq!(read("Please call Max. Then ask (Moritz)"), ["max", "moritz"]);
    }
}
