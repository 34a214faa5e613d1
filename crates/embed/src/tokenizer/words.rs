//! A word while it is being read.

use super::LONGEST_WORD;

/// Collects characters up to the longest word the vocabulary is asked for.
#[derive(Debug, Default)]
pub(super) struct Word {
    text: String,
    length: usize,
}

impl Word {
    pub(super) fn push(&mut self, c: char) {
        self.length += 1;
        if self.length <= LONGEST_WORD {
            self.text.push(c);
        }
    }

    /// Hands the word over, if there is one, and begins the next. A word that is too long becomes one character that
    /// no vocabulary has, which makes it unknown.
    pub(super) fn finish(&mut self, visit: &mut impl FnMut(&str) -> bool) -> bool {
        let goes_on = match self.length {
            0 => true,
            1..=LONGEST_WORD => visit(&self.text),
            _ => visit("\u{fffd}"),
        };
        self.text.clear();
        self.length = 0;
        goes_on
    }
}
