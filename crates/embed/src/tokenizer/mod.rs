//! BERT's uncased WordPiece tokenizer, equal to the reference on every code point.
//!
//! It reads its text once, from left to right, and stops when the model's window is full: a megabyte costs no more
//! than its first few words.

mod normalize;
mod tables;
mod words;

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use normalize::words;

/// Words longer than this are unknown, as in the reference.
const LONGEST_WORD: usize = 100;
const CONTINUATION: &str = "##";

/// Cuts text into the numbers that the model knows.
#[derive(Debug)]
pub struct Tokenizer {
    starts: Pieces,
    continuations: Pieces,
    /// Bytes of the longest entry: nothing longer needs a lookup.
    longest: usize,
    special: [(&'static str, u32); 5],
}

type Pieces = HashMap<Box<str>, u32, BuildHasherDefault<PieceHasher>>;

impl Tokenizer {
    /// Reads a vocabulary, an entry's number being its place. `None` when one of the five special entries is missing.
    pub fn new<'a>(vocabulary: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        let (mut starts, mut continuations, mut longest) = (Pieces::default(), Pieces::default(), 0);
        for (id, entry) in (0u32..).zip(vocabulary) {
            let (map, text) = match entry.strip_prefix(CONTINUATION) {
                Some(rest) => (&mut continuations, rest),
                None => (&mut starts, entry),
            };
            longest = longest.max(entry.len());
            map.insert(text.into(), id);
        }
        let id = |name| starts.get(name).map(|id| (name, *id));
        let special = [id("[CLS]")?, id("[SEP]")?, id("[UNK]")?, id("[PAD]")?, id("[MASK]")?];
        Some(Self { starts, continuations, longest, special })
    }

    /// The numbers of `text` between the opening and the closing mark, at most `limit` in all.
    pub fn encode(&self, text: &str, limit: usize) -> Vec<u32> {
        let [(_, open), (_, close), ..] = self.special;
        let mut ids = Vec::with_capacity(limit.min(text.len() + 2));
        ids.push(open);
        let full = limit.saturating_sub(1).max(1);
        let mut rest = text;
        while ids.len() < full && !rest.is_empty() {
            let (plain, special, after) = self.next_special(rest);
            self.encode_plain(plain, full, &mut ids);
            ids.extend(special);
            rest = after;
        }
        ids.truncate(full);
        ids.push(close);
        ids
    }

    /// What is before the first special entry spelled out in the text, its number, and what is after it.
    fn next_special<'a>(&self, text: &'a str) -> (&'a str, Option<u32>, &'a str) {
        for (at, _) in text.match_indices('[') {
            let (before, found) = text.split_at(at);
            for (name, id) in self.special {
                if let Some(after) = found.strip_prefix(name) {
                    return (before, Some(id), after);
                }
            }
        }
        (text, None, "")
    }

    fn encode_plain(&self, text: &str, full: usize, ids: &mut Vec<u32>) {
        words(text, |word| {
            self.encode_word(word, ids);
            ids.len() < full
        });
    }

    /// Takes the longest known piece, again and again; a word with an unknown rest is unknown as a whole.
    fn encode_word(&self, word: &str, ids: &mut Vec<u32>) {
        let [_, _, (_, unknown), ..] = self.special;
        let before = ids.len();
        let mut start = 0;
        while start < word.len() {
            let pieces = if start == 0 { &self.starts } else { &self.continuations };
            let mut end = word.len().min(start + self.longest);
            let found = loop {
                if end <= start {
                    break None;
                }
                if word.is_char_boundary(end)
                    && let Some(id) = pieces.get(&word[start..end])
                {
                    break Some(*id);
                }
                end -= 1;
            };
            let Some(id) = found else {
                ids.truncate(before);
                ids.push(unknown);
                return;
            };
            ids.push(id);
            start = end;
        }
    }
}

/// A quick hash of short strings. The vocabulary is ours, so nobody can choose colliding keys.
#[derive(Debug, Default)]
struct PieceHasher(u64);

impl Hasher for PieceHasher {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.0 = (self.0.rotate_left(5) ^ u64::from_le_bytes(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
    }

    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 29)
    }
}

#[cfg(test)]
mod tests;
