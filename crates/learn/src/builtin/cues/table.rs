use std::collections::{HashMap, HashSet};
use std::hash::BuildHasherDefault;
use std::sync::LazyLock;

use super::pattern::{Hit, Pattern, Place, Sentence};
use super::vocabulary::{Role, Vocabulary, WordHasher, WordId};
use super::{Language, parse};
use crate::builtin::text::Word;

pub(in crate::builtin) type Words = HashSet<String, BuildHasherDefault<WordHasher>>;

/// The cues and word lists of one language.
#[derive(Debug, Default)]
pub(in crate::builtin) struct Table {
    pub(super) patterns: Vec<Pattern>,
    pub(super) vocabulary: Vocabulary,
    /// The patterns that can begin with a word, by its number.
    pub(super) by_first_word: Vec<Vec<usize>>,
    pub(super) sets: HashMap<String, Words, BuildHasherDefault<WordHasher>>,
    /// `section/word` → what stands for it.
    pub(super) pairs: HashMap<String, HashMap<String, String>, BuildHasherDefault<WordHasher>>,
    /// Lines that mean nothing; a test keeps this empty.
    pub(super) problems: Vec<String>,
    pub(super) empty: Words,
}

impl Table {
    pub(in crate::builtin) fn of(language: Language) -> &'static Table {
        static ENGLISH: LazyLock<Table> = LazyLock::new(|| parse::table(include_str!("en.cues")));
        static GERMAN: LazyLock<Table> = LazyLock::new(|| parse::table(include_str!("de.cues")));
        static SPANISH: LazyLock<Table> = LazyLock::new(|| parse::table(include_str!("es.cues")));
        match language {
            Language::English => &ENGLISH,
            Language::German => &GERMAN,
            Language::Spanish => &SPANISH,
        }
    }

    pub(in crate::builtin) fn set(&self, name: &str) -> &Words {
        self.sets.get(name).unwrap_or(&self.empty)
    }

    pub(in crate::builtin) fn has(&self, set: &str, word: &str) -> bool {
        self.set(set).contains(word)
    }

    /// The infinitive of an irregular form.
    pub(in crate::builtin) fn form(&self, word: &str) -> Option<&str> {
        self.pronoun("forms", word)
    }

    pub(in crate::builtin) fn pronoun(&self, section: &str, word: &str) -> Option<&str> {
        self.pairs.get(section)?.get(word).map(String::as_str)
    }

    /// German writes every noun with a capital, so there a capital tells nothing.
    pub(in crate::builtin) fn names_have_capitals(&self) -> bool {
        !self.has("option", "nouns-have-capitals")
    }

    /// Every cue in a sentence, in order.
    pub(in crate::builtin) fn find(&'static self, text: &str, words: &[Word]) -> Vec<Hit> {
        // A quoted word is mentioned, not said: no cue may contain it.
        let id = |word: &Word| if word.quoted { WordId::UNKNOWN } else { self.vocabulary.id(&word.lower) };
        let ids: Vec<WordId> = words.iter().map(id).collect();
        let roles: Vec<Role> = ids.iter().map(|id| self.vocabulary.role(*id)).collect();
        let sentence = Sentence { text, words, ids: &ids, roles: &roles };
        let mut hits = Vec::new();
        for (at, id) in ids.iter().enumerate() {
            let candidates =
                id.index().and_then(|index| self.by_first_word.get(index)).map_or(&[][..], Vec::as_slice);
            if candidates.is_empty() {
                continue;
            }
            let place = place_of(&sentence, at);
            for pattern in candidates.iter().filter_map(|&index| self.patterns.get(index)) {
                if pattern.place > place {
                    continue;
                }
                if let Some((end, captures)) = pattern.matches(&sentence, at) {
                    hits.push(Hit {
                        class: pattern.class,
                        topic: pattern.topic.as_deref(),
                        template: pattern.template.as_deref(),
                        weight: pattern.weight,
                        words: at..end,
                        captures,
                    });
                }
            }
        }
        hits
    }
}

/// Whether only fillers ("no", "please", "and also") stand between this word and the beginning.
fn place_of(sentence: &Sentence<'_>, at: usize) -> Place {
    let coordinated = at > 0 && sentence.is(at, Role::SUBJECT) && sentence.is(at - 1, Role::COORDINATES);
    let mut place = Place::SentenceStart;
    for before in (0..at).rev() {
        if sentence.is(before, Role::MARK) {
            place = Place::ClauseStart;
        } else if !sentence.is(before, Role::FILLS) {
            let begins = place == Place::ClauseStart || coordinated || sentence.is(before, Role::JOINS);
            return if begins { Place::ClauseStart } else { Place::Anywhere };
        }
    }
    Place::SentenceStart
}

#[cfg(test)]
mod tests {
    use super::super::Class;
    use super::*;
    use crate::builtin::text::words;

    #[test]
    fn every_line_of_every_table_means_something() {
        for language in Language::ALL {
            let table = Table::of(language);
            assert!(table.problems.is_empty(), "{language:?}: {:?}", table.problems);
            assert!(table.patterns.len() > 20, "{language:?}");
        }
    }

    #[track_caller]
    fn classes(text: &str) -> Vec<Class> {
        Table::of(Language::English).find(text, &words(text)).into_iter().map(|hit| hit.class).collect()
    }

    #[test]
    fn cues_are_found_at_the_beginning_of_a_clause_only_where_the_table_says_so() {
        assert!(classes("Please never use emojis").contains(&Class::Standing));
        assert!(!classes("It will never use emojis").contains(&Class::Standing));
        assert!(classes("Thanks, but please don't call").contains(&Class::Correction));
    }

    #[test]
    fn quoted_words_are_no_cue() {
        assert!(!classes("He wrote \"never use emojis\" on it").contains(&Class::Standing));
    }
}
