//! Text into words: cleaned, lower case, without accents, ideographs and punctuation on their own.

use std::iter;

use unicode_normalization::UnicodeNormalization;

use super::tables::{DROPPED, IDEOGRAPH, MARK, PUNCTUATION};
use super::words::Word;

/// Calls `visit` with each word until it returns `false`. A word that is too long is given as one unknown character.
pub(super) fn words(text: &str, mut visit: impl FnMut(&str) -> bool) {
    let mut word = Word::default();
    let decomposed = text.chars().filter(|c| !is_dropped(*c)).flat_map(spaced).nfd();
    for c in decomposed.filter(|c| !is_mark(*c)).flat_map(char::to_lowercase) {
        let punctuation = is_punctuation(c);
        if (punctuation || c.is_whitespace()) && !word.finish(&mut visit) {
            return;
        }
        if punctuation {
            word.push(c);
            if !word.finish(&mut visit) {
                return;
            }
        } else if !c.is_whitespace() {
            word.push(c);
        }
    }
    word.finish(&mut visit);
}

/// White space as a blank, an ideograph between blanks.
fn spaced(c: char) -> impl Iterator<Item = char> {
    let ideograph = is_ideograph(c);
    let blank = ideograph.then_some(' ');
    blank.into_iter().chain(iter::once(if c.is_whitespace() { ' ' } else { c })).chain(blank)
}

fn is_dropped(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_control() && !matches!(c, '\t' | '\n' | '\r') } else { inside(&DROPPED, c) }
}

fn is_ideograph(c: char) -> bool {
    c >= '\u{3400}' && inside(&IDEOGRAPH, c)
}

fn is_mark(c: char) -> bool {
    c >= '\u{300}' && inside(&MARK, c)
}

fn is_punctuation(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_punctuation() } else { inside(&PUNCTUATION, c) }
}

/// See `tables`: an odd number of bounds is at or below a member.
fn inside(bounds: &[u32], c: char) -> bool {
    bounds.partition_point(|bound| *bound <= u32::from(c)) % 2 == 1
}
