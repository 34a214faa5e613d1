//! The same request again after an answer: the answer was none.

use std::collections::BTreeSet;

use reflexio_search::is_stop_word;

use super::{Rule, Signal};
use crate::builtin::cues::Class;
use crate::builtin::reading::{Reading, Said, quoted};
use crate::builtin::text::as_sentence;

/// Fewer words than this say the same by chance.
const FEWEST_WORDS: usize = 3;

pub(super) fn repeated(reading: &Reading<'_>, at: usize, said: &Said<'_>, rules: &mut Vec<Rule>) {
    let Some(agent) = reading.agent_before(at) else { return };
    let Some(before) = reading.user_before(agent) else { return };
    let (Some(earlier), Some(answer)) = (reading.get(before), reading.get(agent)) else { return };
    // "Any other ones?" asked twice wants yet another one.
    let fresh = said
        .sentences
        .iter()
        .flat_map(|sentence| &sentence.words)
        .any(|word| said.table.has("fresh", &word.lower));
    let asks = said.sentences.iter().any(|sentence| sentence.question || sentence.has(Class::Request));
    if fresh || !asks || answer.asks() {
        return;
    }
    let (then, now) = (telling_words(earlier), telling_words(said));
    // A new word makes it a new request: the balance of the *other* account.
    if now.len() < FEWEST_WORDS
        || !now.iter().all(|word| then.contains(word))
        || now.len() * 4 < then.len() * 3
    {
        return;
    }
    let Some(sentence) = said.sentences.iter().max_by_key(|sentence| sentence.words.len()) else { return };
    rules.push(Rule {
        signal: Signal::Correction,
        turn: at,
        also: vec![before, agent],
        request: Some(before),
        trigger: None,
        instruction: as_sentence(&format!("Answer the request itself: {}", sentence.text)),
        pitfall: answer
            .sentences
            .first()
            .map(|sentence| format!("The agent answered: {}", quoted(sentence.text))),
        span: sentence.text.to_owned(),
    });
}

/// The words that make a request this one, as they were written.
fn telling_words<'s>(said: &'s Said<'_>) -> BTreeSet<&'s str> {
    const EMPTY: [&str; 9] = ["please", "again", "still", "really", "asked", "ask", "repeat", "ok", "just"];
    let words = said.sentences.iter().flat_map(|sentence| &sentence.words).map(|word| word.lower.as_str());
    words.filter(|word| !is_stop_word(word) && word.len() > 1 && !EMPTY.contains(word)).collect()
}
