//! A correction without a cue: the user states something, and the agent's next words are "you're right".

use super::{Rule, Signal};
use crate::builtin::cues::Class;
use crate::builtin::reading::{Reading, Said, Sentence, quoted};
use crate::builtin::situation::request_before;
use crate::builtin::text::{Voice, Word, as_sentence, retell};

const FEWEST_WORDS: usize = 3;
/// What may stand before the statement.
const OPENERS: [&str; 9] = ["actually", "no", "sorry", "but", "well", "and", ",", "-", ":"];
/// A sentence that begins so corrects nothing.
const AGREEMENT: [&str; 12] =
    ["yes", "yeah", "yep", "ok", "okay", "thanks", "thank", "great", "sure", "fine", "sounds", "perfect"];

pub(super) fn admitted(reading: &Reading<'_>, at: usize, said: &Said<'_>, rules: &mut Vec<Rule>) -> bool {
    let (Some(agent), Some(answer)) = (reading.agent_before(at), reading.agent_after(at)) else {
        return false;
    };
    let confirms = reading.get(agent).is_some_and(|agent| agent.confirms() || agent.ends_in_question());
    if !answer.has(Class::Concession) || confirms || refuses(answer) {
        return false;
    }
    let Some((instruction, span)) = stated(said).or_else(|| corrected(said, answer)) else { return false };
    let request = request_before(reading, at);
    let first = reading.get(agent).and_then(|agent| agent.sentences.first());
    rules.push(Rule {
        signal: Signal::Correction,
        turn: at,
        also: std::iter::once(agent).chain(request).collect(),
        request,
        trigger: None,
        instruction: as_sentence(&instruction),
        pitfall: first.map(|sentence| format!("The agent answered: {}", quoted(sentence.text))),
        span,
    });
    true
}

/// "I apologise for the confusion, but I am unable to …" is regret, not agreement.
fn refuses(answer: &Said<'_>) -> bool {
    const REFUSALS: [&str; 6] =
        ["unfortunately", "unable", "cannot", "can't", "not possible", "inconvenience"];
    answer.sentences.iter().any(|sentence| {
        let lower = sentence.text.to_lowercase();
        REFUSALS.iter().any(|refusal| lower.contains(refusal))
    })
}

/// The user's statements, up to two.
fn stated(said: &Said<'_>) -> Option<(String, String)> {
    let says = |sentence: &&Sentence<'_>| {
        let word = |at: usize| sentence.words.get(at).map_or("", |word| word.lower.as_str());
        let agrees = AGREEMENT.contains(&word(0)) || matches!(word(1), "understand" | "see" | "appreciate");
        !sentence.question
            && !agrees
            && !tells_own_case(sentence)
            && sentence.words.len() >= FEWEST_WORDS
            && !sentence.has(Class::BareCorrection)
    };
    let sentences: Vec<&Sentence<'_>> = said.sentences.iter().filter(says).take(2).collect();
    let told = sentences.iter().map(|sentence| {
        let opens = |word: &Word| OPENERS.contains(&word.lower.as_str());
        let from = sentence.words.iter().position(|word| !opens(word)).unwrap_or(0);
        as_sentence(&retell(
            sentence.text,
            sentence.words.get(from..).unwrap_or_default(),
            Voice::ToTheAgent,
            said.table,
        ))
    });
    let told: Vec<String> = told.collect();
    Some((told.join(" "), sentences.first()?.text.to_owned()))
}

/// "Actually, I booked it today": true, but only of this booking.
fn tells_own_case(sentence: &Sentence<'_>) -> bool {
    let subject = sentence.words.iter().map(|word| word.lower.as_str()).find(|word| !OPENERS.contains(word));
    subject.is_some_and(|word| matches!(word, "i" | "i'm" | "i've" | "we" | "we've" | "my" | "our"))
}

/// "That's wrong." – "You're right, the limit is 50.": then the agent's second answer is what is right.
fn corrected(said: &Said<'_>, answer: &Said<'_>) -> Option<(String, String)> {
    let complaint = said.sentences.iter().find(|sentence| sentence.has(Class::BareCorrection))?;
    let right =
        answer.sentences.iter().find(|sentence| !sentence.has(Class::Concession) && !sentence.question)?;
    Some((format!("Answer like this: {}", right.text), complaint.text.to_owned()))
}
