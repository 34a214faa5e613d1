//! Whether what the agent did helped: "that didn't work", "that fixed it".

use super::guards::{Kind, objection};
use super::{DropReason, Dropped, Rule, Signal};
use crate::builtin::cues::Class;
use crate::builtin::reading::{Reading, Said, Sentence, quoted};
use crate::builtin::situation::request_before;
use crate::builtin::text::{as_sentence, shortened};

const LONGEST_APPROACH_CHARS: usize = 240;

/// Learns from the first sentence that judges the agent's last answer; whether there was one.
pub(super) fn outcomes(
    reading: &Reading<'_>,
    at: usize,
    said: &Said<'_>,
    rules: &mut Vec<Rule>,
    dropped: &mut Dropped,
) -> bool {
    let failed = said.sentences.iter().take(2).find(|sentence| judges(sentence, Class::Failure));
    let failed = failed.filter(|_| is_reaction(said));
    let confirmed =
        said.sentences.iter().find(|sentence| judges(sentence, Class::Confirmation) && !is_negated(sentence));
    let (sentence, signal) = match (failed, confirmed) {
        (Some(sentence), _) => (sentence, Signal::Failure),
        (None, Some(_)) if said.has(Class::Sarcasm) => {
            dropped.add(DropReason::Sarcasm);
            return false;
        }
        (None, Some(sentence)) => (sentence, Signal::Confirmation),
        (None, None) => return false,
    };
    let agent = reading.agent_before(at);
    let Some((agent, approach)) = agent.and_then(|at| Some((at, approach(reading.get(at)?)?))) else {
        dropped.add(DropReason::NoContext);
        return false;
    };
    let asked = reading.get(agent).is_some_and(Said::ends_in_question);
    if signal == Signal::Confirmation && (asked || !reading.get(agent).is_some_and(is_procedure)) {
        dropped.add(DropReason::NoContext);
        return true;
    }
    let request = request_before(reading, at);
    let (instruction, pitfall) = if signal == Signal::Failure {
        let suggested = format!("The agent suggested: {}", quoted(&approach));
        (format!("Do not stop at this, it did not help: {approach}"), Some(suggested))
    } else {
        (format!("Answer like this, it helped: {approach}"), None)
    };
    rules.push(Rule {
        signal,
        turn: at,
        also: std::iter::once(agent).chain(request).collect(),
        request,
        trigger: None,
        instruction: as_sentence(&instruction),
        pitfall,
        span: sentence.text.to_owned(),
    });
    true
}

/// A verdict on the last answer is short; a long message with an error in it opens the next problem.
pub(super) fn is_reaction(said: &Said<'_>) -> bool {
    const MOST_WORDS: usize = 50;
    said.sentences.iter().map(|sentence| sentence.words.len()).sum::<usize>() <= MOST_WORDS
        && said.turn.content.chars().count() <= MOST_WORDS * 8
}

pub(super) fn judges(sentence: &Sentence<'_>, class: Class) -> bool {
    let mut hits = sentence.hits.iter().filter(|hit| hit.class == class);
    hits.any(|hit| objection(sentence, hit, Kind::Fact).is_none())
}

/// "It hasn't worked", "not exactly what I wanted".
pub(super) fn is_negated(sentence: &Sentence<'_>) -> bool {
    let negative = |lower: &str| {
        lower.ends_with("n't") || matches!(lower, "not" | "never" | "nothing" | "but" | "nicht")
    };
    sentence.words.iter().any(|word| negative(&word.lower))
}

/// Whether the agent told how to do something; "just what I needed" after a phone number teaches nothing.
fn is_procedure(agent: &Said<'_>) -> bool {
    const BEFORE_ORDERS: [&str; 7] = ["please", "then", "also", "just", "should", "first", "now"];
    agent.sentences.iter().any(|sentence| {
        sentence.words.iter().enumerate().any(|(at, word)| {
            let before = at.checked_sub(1).and_then(|at| sentence.words.get(at));
            let opens = before
                .is_none_or(|before| before.is_mark() || BEFORE_ORDERS.contains(&before.lower.as_str()));
            opens
                && agent.table.has("verb", &word.lower)
                && !matches!(word.lower.as_str(), "be" | "do" | "let" | "book")
        })
    })
}

/// What the agent proposed: its answer without greetings, regrets and questions.
pub(super) fn approach(agent: &Said<'_>) -> Option<String> {
    const SMALL_TALK: [&str; 14] = [
        "certainly",
        "absolutely",
        "sorry",
        "i am sorry",
        "i'm sorry",
        "thank",
        "sure",
        "of course",
        "great",
        "happy to",
        "i'd be happy",
        "hello",
        "hi",
        "you're welcome",
    ];
    let mut chosen = String::new();
    for sentence in agent.sentences.iter().filter(|sentence| !sentence.question) {
        let lower = sentence.text.to_lowercase();
        let small_talk =
            SMALL_TALK.iter().any(|beginning| lower.starts_with(beginning)) && sentence.text.len() < 60;
        if small_talk || sentence.text.split_whitespace().count() < 2 {
            continue;
        }
        if chosen.len() + sentence.text.len() > LONGEST_APPROACH_CHARS && !chosen.is_empty() {
            break;
        }
        chosen = format!("{chosen} {}", sentence.text);
    }
    let chosen = shortened(&chosen, LONGEST_APPROACH_CHARS);
    (!chosen.is_empty()).then_some(chosen)
}
