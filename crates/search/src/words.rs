use std::cell::RefCell;
use std::collections::HashMap;

use crate::text::terms;

/// When a thread knows so many words, it forgets them all and starts again.
const MOST_KNOWN: usize = 16 << 10;
/// Longer words are rarely seen twice.
const LONGEST_KNOWN: usize = 32;

type Known = HashMap<Box<str>, Box<[String]>, foldhash::fast::RandomState>;

/// [`terms`], which most of the time goes into when rows are ranked, with a memory: what is between two spaces
/// makes the same terms wherever it stands, and people use the same words again and again.
pub fn remembered_terms(text: &str) -> Vec<String> {
    let mut found = Vec::with_capacity(text.len() / 6);
    each_term(text, |term| found.push(term.to_owned()));
    found
}

/// Shows each of [`remembered_terms`] in order.
pub fn each_term(text: &str, mut see: impl FnMut(&str)) {
    thread_local! {
        static KNOWN: RefCell<Known> = RefCell::new(Known::default());
    }
    KNOWN.with_borrow_mut(|known| {
        for word in text.split_ascii_whitespace() {
            each_term_of(known, word, &mut see);
        }
    });
}

fn each_term_of(known: &mut Known, word: &str, see: &mut impl FnMut(&str)) {
    if let Some(terms) = known.get(word) {
        return terms.iter().for_each(|term| see(term));
    }
    let terms = terms(word);
    terms.iter().for_each(|term| see(term));
    if word.len() <= LONGEST_KNOWN {
        if known.len() >= MOST_KNOWN {
            known.clear();
        }
        known.insert(word.into(), terms.into());
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn remembered_terms_are_the_same(text in prop_oneof!["\\PC{0,60}", "([a-zé́ \t\n\u{a0}東京しक्ष!-]{1,6} ?){0,12}"]) {
            prop_assert_eq!(remembered_terms(&text), terms(&text));
            prop_assert_eq!(remembered_terms(&text), terms(&text));
        }
    }
}
