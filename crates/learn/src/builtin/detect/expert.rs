//! What an expert would have said and the agent did not: one rule for each gap, none for other wording.

use std::collections::HashSet;

use reflexio_search::fusion::Speaker;

use super::{DropReason, Dropped, Rule, Signal};
use crate::builtin::reading::{Reading, Said, beginning, quoted, telling_terms};
use crate::builtin::text::{as_sentence, sentences, shortened};

/// A turn with more gaps than this was answered by another conversation.
const MOST_GAPS: usize = 8;
const LONGEST_CHARS: usize = 320;

pub(super) fn gaps(reading: &Reading<'_>, rules: &mut Vec<Rule>, dropped: &mut Dropped) {
    for (at, said) in reading.said.iter().enumerate() {
        if said.turn.expert_content.trim().is_empty() || said.speaker == Speaker::User {
            continue;
        }
        let request = reading.user_before(at);
        for gap in gaps_of(said, dropped).into_iter().take(MOST_GAPS) {
            rules.push(Rule {
                signal: Signal::ExpertGap,
                turn: at,
                also: request.into_iter().collect(),
                request,
                trigger: None,
                instruction: gap.instruction,
                pitfall: Some(gap.pitfall),
                span: gap.span,
            });
        }
    }
}

struct Gap {
    instruction: String,
    pitfall: String,
    span: String,
}

fn gaps_of(said: &Said<'_>, dropped: &mut Dropped) -> Vec<Gap> {
    let agent: Vec<(&str, HashSet<String>)> =
        said.sentences.iter().map(|sentence| (sentence.text, telling(sentence.text))).collect();
    let everything: HashSet<String> = agent.iter().flat_map(|(_, terms)| terms.iter().cloned()).collect();
    let mut gaps: Vec<Gap> = Vec::new();
    let mut continued = false;
    for sentence in sentences(beginning(&said.turn.expert_content)) {
        let terms = telling(sentence);
        if is_covered(sentence, &terms, &agent, &everything) {
            dropped.add(DropReason::StyleOnly);
            continued = false;
            continue;
        }
        // "They must be unopened." means nothing without the sentence before it.
        match gaps.last_mut().filter(|_| continued && leans_back(sentence)) {
            Some(last) => {
                last.instruction = shortened(&format!("{} {sentence}", last.instruction), LONGEST_CHARS);
                last.span = format!("{} {sentence}", last.span);
            }
            None => gaps.push(gap(sentence, &terms, &agent)),
        }
        continued = true;
    }
    gaps
}

/// Whether the agent said it too: nearly all telling words are there, with the same numbers and the same sign.
fn is_covered(
    sentence: &str,
    terms: &HashSet<String>,
    agent: &[(&str, HashSet<String>)],
    everything: &HashSet<String>,
) -> bool {
    let numbers_match = terms.iter().filter(|term| is_number(term)).all(|term| everything.contains(term));
    let (words, missing) = (terms.len(), terms.iter().filter(|term| !everything.contains(*term)).count());
    if words == 0 || (missing * 5 <= words && numbers_match) {
        let nearest = nearest(terms, agent);
        return words == 0 || nearest.is_none_or(|(text, _)| is_negative(text) == is_negative(sentence));
    }
    false
}

fn gap(sentence: &str, terms: &HashSet<String>, agent: &[(&str, HashSet<String>)]) -> Gap {
    let instruction = if sentence.ends_with('?') {
        format!("Ask the user: {sentence}")
    } else if speaks_to_the_agent(sentence) {
        as_sentence(sentence)
    } else {
        format!("Tell the user: {}", as_sentence(sentence))
    };
    let pitfall = match nearest(terms, agent).filter(|(_, shared)| *shared > 0) {
        Some((text, _)) => format!("The agent only said: {}", quoted(text)),
        None => "The agent left this out.".to_owned(),
    };
    Gap { instruction: shortened(&instruction, LONGEST_CHARS), pitfall, span: sentence.to_owned() }
}

/// "Ask the passenger for …" is an order already; "You can return it" is what the user should hear.
fn speaks_to_the_agent(sentence: &str) -> bool {
    const PEOPLE: [&str; 9] =
        ["customer", "customers", "user", "passenger", "client", "caller", "patient", "guest", "their"];
    const ORDERS: [&str; 14] = [
        "ask",
        "verify",
        "offer",
        "explain",
        "apologise",
        "apologize",
        "escalate",
        "decide",
        "get",
        "find",
        "start",
        "read",
        "collect",
        "confirm",
    ];
    let words = crate::builtin::text::words(sentence);
    let first = words.first().map_or("", |word| word.lower.as_str());
    let to_the_user = words.iter().any(|word| matches!(word.lower.as_str(), "you" | "your" | "you'll"));
    let about_people = words.iter().any(|word| PEOPLE.contains(&word.lower.as_str()));
    about_people || (ORDERS.contains(&first) && !to_the_user)
}

fn nearest<'a>(terms: &HashSet<String>, agent: &[(&'a str, HashSet<String>)]) -> Option<(&'a str, usize)> {
    let mut best: Option<(&'a str, usize)> = None;
    for (text, said) in agent {
        let shared = said.intersection(terms).count();
        if best.is_none_or(|(_, had)| shared > had) {
            best = Some((text, shared));
        }
    }
    best
}

/// Telling words without courtesies, which are style.
fn telling(text: &str) -> HashSet<String> {
    const COURTESY: [&str; 32] = [
        "assist", "certain", "cours", "feel", "free", "glad", "happi", "hello", "help", "hi", "just", "know",
        "let", "pleas", "sure", "thank", "welcom", "great", "sorri", "apolog", "hope", "anyth", "els",
        "need", "yes", "absolut", "wonder", "good", "question", "like", "further", "us",
    ];
    telling_terms(text).into_iter().filter(|term| !COURTESY.contains(&term.as_str())).collect()
}

fn is_number(term: &str) -> bool {
    term.starts_with(|c: char| c.is_ascii_digit())
}

fn is_negative(text: &str) -> bool {
    let words = crate::builtin::text::words(text);
    let negative = |lower: &str| {
        lower.ends_with("n't") || matches!(lower, "not" | "no" | "never" | "cannot" | "without")
    };
    words.iter().any(|word| negative(&word.lower))
}

fn leans_back(sentence: &str) -> bool {
    const BACK: [&str; 7] = ["it ", "they ", "this ", "that ", "these ", "those ", "then "];
    let lower = sentence.to_lowercase();
    BACK.iter().any(|word| lower.starts_with(word))
}
