use std::collections::HashMap;
use std::ops::Range;

use super::cues::{is_about_assistant, is_first_person, words};
use super::passages;
use crate::query::{Node, TextQuery};
use crate::text::{is_stop_word, terms};

/// Whole pages are asked with; beyond so many different terms they repeat themselves.
const MOST_TERMS: usize = 256;
/// A shorter beginning matches nearly everything.
const SHORTEST_PREFIX_CHARS: usize = 3;
/// Longer texts are prose: an upper-case NOT in them stresses, it does not exclude.
const MOST_OPERATED_WORDS: usize = 24;
/// An embedding model reads about two hundred words of English; what comes later needs its own vector.
const LONGEST_QUESTION_CHARS: usize = 700;

/// What a query asks for: its terms, how often each is said, and whom it is about.
#[derive(Debug, Clone, Default)]
pub struct Question {
    index: HashMap<String, usize, foldhash::fast::RandomState>,
    times: Vec<u32>,
    /// The last word, if it may go on: no end of sentence follows it.
    unfinished: Option<String>,
    about_assistant: bool,
    first_person: bool,
}

impl Question {
    pub fn read(text: &str) -> Self {
        let words = words(text);
        let mut question = Self {
            about_assistant: is_about_assistant(&words),
            first_person: is_first_person(&words),
            ..Self::default()
        };
        let asked = asked_terms(text);
        let telling = asked.iter().any(|term| !is_stop_word(term));
        for term in asked.iter().filter(|term| !telling || !is_stop_word(term)) {
            question.add(term);
        }
        question.unfinished = unfinished(text, &asked).filter(|last| question.index.contains_key(last));
        question
    }

    /// Whether what the assistant said is less likely to be the answer than what the asker said.
    pub fn is_about_asker(&self) -> bool {
        self.first_person && !self.about_assistant
    }

    /// The terms as a query, in their order: for asking how rare each of them is.
    pub fn terms(&self) -> TextQuery {
        let mut terms: Vec<(&String, usize)> = self.index.iter().map(|(term, at)| (term, *at)).collect();
        terms.sort_by_key(|(_, at)| *at);
        let leaf = |term: &String| match &self.unfinished {
            Some(start) if start == term => Node::Prefix(term.clone()),
            Some(_) | None => Node::Term(term.clone()),
        };
        TextQuery::any_of(terms.into_iter().map(|(term, _)| leaf(term)).collect())
    }

    /// How often each term was said.
    pub(super) fn times(&self) -> &[u32] {
        &self.times
    }

    /// The terms of a document that were asked for, with their number in the question.
    pub(super) fn find(&self, word: &str) -> Option<usize> {
        self.index.get(word).copied().or_else(|| {
            let start = self.unfinished.as_deref().filter(|start| word.starts_with(start))?;
            self.index.get(start).copied()
        })
    }

    fn add(&mut self, term: &str) {
        if let Some(&at) = self.index.get(term) {
            self.times[at] = self.times[at].saturating_add(1);
        } else if self.times.len() < MOST_TERMS {
            self.index.insert(term.to_owned(), self.times.len());
            self.times.push(1);
        }
    }
}

/// The query to find matching rows with: operators and quotes count in a short text, not in prose.
pub fn text_query(text: &str) -> TextQuery {
    if is_prose(text) {
        TextQuery::parse(&text.to_lowercase().replace('"', " "))
    } else {
        TextQuery::parse(text)
    }
}

/// Whether only rows that match [`text_query`] answer, however near they are: the asker combined words or quoted.
pub fn is_exact(text: &str) -> bool {
    let operated = text.split_whitespace().any(|word| matches!(word, "AND" | "NOT"));
    !is_prose(text) && (operated || text.matches('"').count() > 1)
}

/// The parts of a long question to embed each by itself; a candidate's cosine is the best over them.
pub fn question_passages(text: &str) -> Vec<Range<usize>> {
    passages::cut(text, LONGEST_QUESTION_CHARS)
}

fn is_prose(text: &str) -> bool {
    text.split_whitespace().nth(MOST_OPERATED_WORDS).is_some()
}

/// A last term that is long enough to be a beginning, if nothing ends the word.
fn unfinished(text: &str, asked: &[String]) -> Option<String> {
    let goes_on = text.chars().next_back().is_some_and(char::is_alphanumeric);
    asked.last().filter(|last| goes_on && last.chars().count() >= SHORTEST_PREFIX_CHARS).cloned()
}

fn asked_terms(text: &str) -> Vec<String> {
    let operated = text.split_whitespace().any(|word| word == "NOT");
    if !operated || is_prose(text) {
        return terms(text);
    }
    let query = TextQuery::parse(text);
    let leaves = query.root().map(Node::leaves).unwrap_or_default();
    leaves.into_iter().flat_map(leaf_terms).collect()
}

fn leaf_terms(leaf: &Node) -> Vec<String> {
    match leaf {
        Node::Term(term) | Node::Prefix(term) => vec![term.clone()],
        Node::Phrase(terms) => terms.clone(),
        Node::And(_) | Node::Or(_) | Node::Not(..) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, found: &[&str], missing: &[&str]) {
        let question = Question::read(text);
        for word in found {
            assert!(question.find(word).is_some(), "`{text}` should ask for `{word}`");
        }
        for word in missing {
            assert!(question.find(word).is_none(), "`{text}` should not ask for `{word}`");
        }
    }

    #[test]
    fn telling_words_are_asked_for_and_common_ones_only_alone() {
        check("Where is the refund?", &["refund", "where"], &["the", "is"]);
        check("the", &["the"], &[]);
        check("", &[], &["", "a"]);
    }

    #[test]
    fn the_last_word_goes_on_unless_the_sentence_ends() {
        check("refund poli", &["polici"], &["refunded"]);
        check("refund poli?", &["poli"], &["polici"]);
        check("refund poli ", &["poli"], &["polici"]);
        check("refund po", &["po"], &["polici"]);
    }

    #[test]
    fn excluded_words_are_not_asked_for_but_prose_excludes_nothing() {
        check("refund NOT order ", &["refund"], &["order"]);
        let prose = format!("{} do NOT have an order ", "I want a refund. ".repeat(6));
        check(&prose, &["refund", "order"], &[]);
        assert!(text_query(&prose).matches(&terms("refund of my order")));
        assert!(!text_query("refund NOT order").matches(&terms("refund of my order")));
        assert!(is_exact("refund NOT order") && is_exact("\"my order\"") && is_exact("a AND b"));
        assert!(!is_exact(&prose) && !is_exact("my 5\" screen") && !is_exact("refund OR order"));
    }

    #[test]
    fn repeated_words_are_counted() {
        let question = Question::read("card, card and fee");
        assert_eq!(question.times(), [2, 1]);
    }
}
