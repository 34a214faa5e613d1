//! Do or don't: what a text tells to do, and what not. The words of each language are data (`*.cues`).

mod table;

use std::collections::BTreeSet;

use reflexio_search::{is_stop_word, terms};

use table::Table;

/// A negation is undone by a word this close behind it.
const UNDONE_WITHIN: usize = 3;
/// How many words a negation denies, if no punctuation ends it before.
const SCOPE: usize = 8;

/// What a text affirms and denies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stance {
    affirmed: BTreeSet<String>,
    denied: BTreeSet<String>,
    /// Whether anything negates at all, even with nothing telling behind it.
    negative: bool,
    /// Terms of the opposites of what it says.
    opposed: BTreeSet<String>,
}

impl Stance {
    pub fn of(text: &str) -> Self {
        let words = words(text);
        let plain: Vec<String> = words.iter().filter_map(Token::word).cloned().collect();
        Reader { table: Table::of(&plain), stance: Self::default(), denied_left: 0 }.read(&words)
    }

    /// Whether something in the text says not.
    pub fn is_negative(&self) -> bool {
        self.negative
    }

    /// Whether it denies anything or says a word that has an opposite. Two texts that do not never contradict.
    pub(crate) fn may_oppose(&self) -> bool {
        !self.denied.is_empty() || !self.opposed.is_empty()
    }

    /// Whether two texts of the same thing tell opposite things: one denies most of what the other affirms, or they
    /// say nearly the same but for a pair of opposites.
    pub fn contradicts(&self, other: &Self) -> bool {
        self.denies(other) || other.denies(self) || self.opposes(other)
    }

    fn denies(&self, other: &Self) -> bool {
        let both = |term: &&String| other.affirmed.contains(*term) && !other.denied.contains(*term);
        let shared = self.denied.iter().filter(both).count();
        shared > 0 && shared * 2 >= self.denied.len() && self.is_about_the_same(other)
    }

    fn opposes(&self, other: &Self) -> bool {
        let against = |a: &Self, b: &Self| a.opposed.iter().any(|term| b.says(term) && !a.says(term));
        against(self, other) && against(other, self) && self.is_about_the_same(other)
    }

    fn says(&self, term: &str) -> bool {
        self.affirmed.contains(term) || self.denied.contains(term)
    }

    /// Half of what the shorter one says is said by the other too.
    fn is_about_the_same(&self, other: &Self) -> bool {
        let (mine, theirs) = (self.telling(), other.telling());
        let shared = mine.intersection(&theirs).count();
        shared > 0 && shared * 2 >= mine.len().min(theirs.len())
    }

    fn telling(&self) -> BTreeSet<&String> {
        self.affirmed.union(&self.denied).filter(|term| !is_stop_word(term)).collect()
    }
}

struct Reader {
    table: &'static Table,
    stance: Stance,
    /// How many of the next words stand under a negation.
    denied_left: usize,
}

impl Reader {
    fn read(mut self, words: &[Token]) -> Stance {
        for (at, token) in words.iter().enumerate() {
            match token {
                Token::Break => self.denied_left = 0,
                Token::Word(word) => self.take(word, words.get(at + 1..).unwrap_or_default()),
            }
        }
        self.stance
    }

    fn take(&mut self, word: &str, rest: &[Token]) {
        for opposite in self.table.opposites.get(word).into_iter().flatten() {
            self.stance.opposed.extend(terms(opposite));
        }
        let shuns = self.table.shunning.contains(word);
        if self.is_negation(word) {
            if !self.is_undone(rest) {
                self.deny();
            }
        } else if shuns && self.denied_left == 0 {
            self.deny();
        }
        let said = if self.denied_left > 0 { &mut self.stance.denied } else { &mut self.stance.affirmed };
        let negates = self.table.negation.contains(word) || word.ends_with("n't") || shuns;
        if !negates {
            said.extend(
                terms(word)
                    .into_iter()
                    .filter(|term| !is_stop_word(term) || self.table.opposites.contains_key(term.as_str())),
            );
        }
        self.denied_left = self.denied_left.saturating_sub(1);
    }

    fn deny(&mut self) {
        self.stance.negative = true;
        self.denied_left = SCOPE + 1;
    }

    fn is_negation(&self, word: &str) -> bool {
        self.table.negation.contains(word) || word.ends_with("n't")
    }

    fn is_undone(&self, rest: &[Token]) -> bool {
        let next = |at: usize| rest.get(at).and_then(Token::word).map_or("", String::as_str);
        let undoes = |word: &str| self.table.undoing.contains(word) || self.table.shunning.contains(word);
        self.table.harmless.contains(next(0)) || (0..UNDONE_WITHIN).map(next).any(undoes)
    }
}

enum Token {
    Word(String),
    /// Punctuation that ends what a negation denies.
    Break,
}

impl Token {
    fn word(&self) -> Option<&String> {
        match self {
            Self::Word(word) => Some(word),
            Self::Break => None,
        }
    }
}

/// Lower case words that keep their apostrophes and hyphens, and the breaks between them.
fn words(text: &str) -> Vec<Token> {
    let mut found = Vec::new();
    for piece in text.to_lowercase().replace('’', "'").split_whitespace() {
        let inner = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '-');
        for word in piece.split(|c| !inner(c)).map(|word| word.trim_matches(['\'', '-'])) {
            if !word.is_empty() {
                found.push(Token::Word(word.to_owned()));
            }
        }
        if piece.ends_with(['.', ',', ';', ':', '!', '?']) {
            found.push(Token::Break);
        }
    }
    found
}

#[cfg(test)]
mod tests;
