use std::ops::Range;

/// About ninety words: long enough for one thought, short enough that a long page cannot win by having
/// every word of the question somewhere.
const LONGEST_CHARS: usize = 550;

/// Cuts a text into passages: whole sentences and lines, as many as fit. Only a sentence that is too long
/// by itself is cut, between words where there are any.
pub fn passages(text: &str) -> Vec<Range<usize>> {
    cut(text, LONGEST_CHARS)
}

pub(super) fn cut(text: &str, longest: usize) -> Vec<Range<usize>> {
    let mut cutter =
        Cutter { text, longest, found: Vec::new(), start: Mark::default(), sentence: None, word: None };
    let mut previous = ' ';
    for (chars, (byte, c)) in text.char_indices().enumerate() {
        let here = Mark { byte, chars };
        if c == '\n' || (c.is_whitespace() && ends_sentence(previous)) || ends_unspaced_sentence(previous) {
            cutter.sentence = Some(here);
        } else if c.is_whitespace() {
            cutter.word = Some(here);
        }
        cutter.make_room(here);
        previous = c;
    }
    cutter.end(text.len());
    cutter.found
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Mark {
    byte: usize,
    chars: usize,
}

struct Cutter<'a> {
    text: &'a str,
    longest: usize,
    found: Vec<Range<usize>>,
    start: Mark,
    /// Where the last whole sentence, and the last whole word, ended.
    sentence: Option<Mark>,
    word: Option<Mark>,
}

impl Cutter<'_> {
    fn make_room(&mut self, here: Mark) {
        while here.chars - self.start.chars >= self.longest {
            let after_start = |mark: &Mark| *mark > self.start;
            let to =
                self.sentence.filter(after_start).or_else(|| self.word.filter(after_start)).unwrap_or(here);
            self.end(to.byte);
            self.start = to;
        }
    }

    fn end(&mut self, to: usize) {
        let Some(piece) = self.text.get(self.start.byte..to) else { return };
        let begin = self.start.byte + (piece.len() - piece.trim_start().len());
        let end = begin + piece.trim().len();
        if begin < end {
            self.found.push(begin..end);
        }
    }
}

fn ends_sentence(c: char) -> bool {
    matches!(c, '.' | '!' | '?')
}

fn ends_unspaced_sentence(c: char) -> bool {
    matches!(c, '。' | '！' | '？')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pieces(text: &str, longest: usize) -> Vec<&str> {
        cut(text, longest).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn whole_sentences_stay_together() {
        assert_eq!(pieces("One two. Three four. Five.", 16), ["One two.", "Three four.", "Five."]);
        assert_eq!(pieces("One two. Three four. Five.", 21), ["One two. Three four.", "Five."]);
        assert_eq!(pieces("# Title\nA line\nAnother", 15), ["# Title\nA line", "Another"]);
    }

    #[test]
    fn a_sentence_that_is_too_long_is_cut_between_words() {
        assert_eq!(pieces("aaaa bbbb cccc dddd", 10), ["aaaa bbbb", "cccc dddd"]);
        assert_eq!(pieces("aaaaaaaaaaaa", 5), ["aaaaa", "aaaaa", "aa"]);
        assert_eq!(pieces("退款政策。订单状态。", 6), ["退款政策。", "订单状态。"]);
    }

    #[test]
    fn a_short_text_is_one_passage_and_an_empty_one_none() {
        assert_eq!(pieces(" A turn. ", 550), ["A turn."]);
        assert!(passages(" \n ").is_empty());
    }

    proptest! {
        #[test]
        fn passages_are_ordered_short_and_lose_nothing(text in "(\\PC|[ .!?\n]){0,300}", longest in 1usize..40) {
            let ranges = cut(&text, longest);
            let mut kept = String::new();
            let mut last = 0;
            for range in ranges {
                prop_assert!(range.start >= last && range.start < range.end);
                last = range.end;
                prop_assert!(text[range.clone()].chars().count() <= longest);
                kept.push_str(&text[range]);
            }
            let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            prop_assert_eq!(letters(&kept), letters(&text));
        }
    }
}
