use crate::builtin::cues::{Class, Hit};
use crate::builtin::output::DropReason;
use crate::builtin::reading::Sentence;

/// What a cue is checked as. A rule may have a condition ("if it is late, …"), a fact with one is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Rule,
    Fact,
}

/// Why the words of a cue are not the user's own statement, if they are not.
pub(super) fn objection(sentence: &Sentence<'_>, hit: &Hit, kind: Kind) -> Option<DropReason> {
    let before = |class: Class| {
        sentence.hits.iter().filter(move |other| other.class == class && other.words.start < hit.words.start)
    };
    let supposed = before(Class::Hypothetical).any(|guard| guard.topic.is_none() || kind == Kind::Fact);
    if supposed {
        return Some(DropReason::Hypothetical);
    }
    if before(Class::Reported).any(|guard| !said_by_the_user(sentence, guard)) {
        return Some(DropReason::Reported);
    }
    (sentence.question && !is_stated_in_question(sentence, hit, kind)).then_some(DropReason::Question)
}

/// "I said …", "I told you …": the user repeats their own words.
fn said_by_the_user(sentence: &Sentence<'_>, guard: &Hit) -> bool {
    let before = sentence.words.get(..guard.words.start).unwrap_or_default();
    before.iter().rev().take(2).any(|word| matches!(word.lower.as_str(), "i" | "ich" | "already" | "i've"))
}

/// "I live in Utrecht, what is the nearest airport?" states something and then asks. "Could you stop …?" and
/// "why do you keep …?" are orders in the form of a question.
fn is_stated_in_question(sentence: &Sentence<'_>, hit: &Hit, kind: Kind) -> bool {
    let first = sentence.words.get(hit.words.start).map_or("", |word| word.lower.as_str());
    let order = kind == Kind::Rule && matches!(first, "can" | "could" | "would" | "why");
    let asks_before = sentence
        .hits
        .iter()
        .any(|other| other.class == Class::Asking && other.words.start <= hit.words.start);
    let clause_follows = end_of_statement(sentence, hit) < sentence.words.len();
    order || (!asks_before && clause_follows)
}

/// In a question, where the statement before it ends: at the comma that the asking part follows.
pub(super) fn end_of_statement(sentence: &Sentence<'_>, hit: &Hit) -> usize {
    let words = &sentence.words;
    if !sentence.question {
        return hit.words.end;
    }
    let lower = |at: usize| words.get(at).map_or("", |word| word.lower.as_str());
    let commas = (hit.words.start + 1..words.len()).filter(|&at| lower(at) == ",");
    let asking = |at: usize| {
        sentence.hits.iter().any(|hit| hit.class == Class::Asking && (at..=at + 3).contains(&hit.words.start))
    };
    let mut first = None;
    for comma in commas {
        if asking(comma) {
            return comma.min(hit.words.end);
        }
        first = first.or(Some(comma));
    }
    first.unwrap_or(hit.words.end).min(hit.words.end)
}
