use std::cell::RefCell;

use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Longer runs are cut: no real word is longer, and an index entry has to stay small.
const LONGEST_TERM_CHARS: usize = 64;

/// Cuts text into the terms that are indexed and searched: lower case, without accents, English words
/// reduced to their stem, and scripts without spaces as overlapping pairs of characters.
///
/// Terms hold only letters, digits and marks, never white space or ASCII punctuation.
pub fn terms(text: &str) -> Vec<String> {
    let mut collector = Collector::default();
    for c in text.nfkd().flat_map(char::to_lowercase) {
        collector.push(c);
    }
    collector.end_word();
    collector.terms
}

/// Words too common to tell documents apart (as stems).
pub fn is_stop_word(term: &str) -> bool {
    const STOP_WORDS: [&str; 66] = [
        "a", "about", "after", "all", "also", "am", "an", "and", "ani", "are", "as", "at", "be", "been",
        "but", "by", "can", "could", "did", "do", "doe", "for", "from", "had", "has", "have", "he", "her",
        "his", "how", "i", "if", "in", "into", "is", "it", "me", "my", "no", "not", "of", "on", "or", "our",
        "she", "so", "that", "the", "their", "them", "there", "they", "this", "to", "was", "we", "were",
        "what", "when", "which", "who", "will", "with", "would", "you", "your",
    ];
    STOP_WORDS.binary_search(&term).is_ok()
}

#[derive(Default)]
struct Collector {
    terms: Vec<String>,
    word: String,
    /// The last character of a run without spaces between words, and whether it already stands in a pair.
    unspaced: Option<(char, bool)>,
}

impl Collector {
    fn push(&mut self, c: char) {
        if is_unspaced(c) {
            self.end_spaced_word();
            self.push_unspaced(c);
        } else if c.is_alphanumeric() || (is_combining_mark(c) && !is_accent(c) && !self.word.is_empty()) {
            self.end_run();
            self.word.push(c);
        } else if !is_combining_mark(c) {
            self.end_word();
        }
    }

    fn push_unspaced(&mut self, c: char) {
        if let Some((previous, _)) = self.unspaced {
            self.terms.push([previous, c].iter().collect());
        }
        self.unspaced = Some((c, self.unspaced.is_some()));
    }

    fn end_word(&mut self) {
        self.end_spaced_word();
        self.end_run();
    }

    fn end_run(&mut self) {
        if let Some((last, false)) = self.unspaced.take() {
            self.terms.push(last.to_string());
        }
    }

    fn end_spaced_word(&mut self) {
        if self.word.is_empty() {
            return;
        }
        let word = std::mem::take(&mut self.word);
        self.terms.push(if word.is_ascii() { stem(&word) } else { shorten(&word) });
    }
}

fn stem(word: &str) -> String {
    thread_local! {
        static STEMMER: RefCell<Stemmer> = RefCell::new(Stemmer::create(Algorithm::English));
    }
    if word.len() > LONGEST_TERM_CHARS || word.bytes().any(|b| b.is_ascii_digit()) {
        return shorten(word);
    }
    STEMMER.with_borrow(|stemmer| stemmer.stem(word).into_owned())
}

fn shorten(word: &str) -> String {
    word.chars().take(LONGEST_TERM_CHARS).collect()
}

/// Marks that only decorate a letter (é = e + mark). Marks of other scripts carry vowels and stay.
fn is_accent(c: char) -> bool {
    ('\u{300}'..='\u{36f}').contains(&c)
}

/// Scripts that put no space between words: Chinese, Japanese, Thai, Lao, Khmer, Burmese.
fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{0e01}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3041}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(terms(text), expected, "{text}");
    }

    #[test]
    fn words_are_lower_cased_stemmed_and_freed_of_accents() {
        check("Refunds were REFUNDED!", &["refund", "were", "refund"]);
        check("Ünïcode café", &["unicod", "cafe"]);
        check("order #12345, e-mail", &["order", "12345", "e", "mail"]);
        check("", &[]);
        check("🙂 …", &[]);
    }

    #[test]
    fn scripts_without_spaces_become_pairs() {
        check("東京都", &["東京", "京都"]);
        check("本", &["本"]);
        check("Tokyo東京は", &["tokyo", "東京", "京は"]);
        check("退款 政策", &["退款", "政策"]);
    }

    #[test]
    fn vowel_signs_stay_with_their_letters() {
        check("नमस्ते दुनिया", &["नमस्ते", "दुनिया"]);
        check("مرحبا بالعالم", &["مرحبا", "بالعالم"]);
    }

    #[test]
    fn the_stop_words_are_sorted() {
        for word in ["a", "the", "your", "is"] {
            assert!(is_stop_word(word), "{word}");
        }
        assert!(!is_stop_word("refund"));
    }

    proptest! {
        #[test]
        fn no_text_makes_a_term_that_an_index_would_cut_again(text in "\\PC*") {
            for term in terms(&text) {
                prop_assert!(!term.is_empty());
                prop_assert!(term.chars().all(|c| !c.is_ascii() || c.is_ascii_alphanumeric()), "{:?}", term);
                prop_assert!(term.chars().all(|c| !c.is_whitespace() && c != '\0'), "{:?}", term);
            }
        }
    }
}
