//! When a rule applies: the user's request that led there, without what belongs to one case only.

use super::cues::Class;
use super::reading::{Reading, Said, Sentence, telling_terms};
use super::text::{Voice, generalise, shortened};

/// A rule that holds whatever the user asks.
pub(super) const ANY_REQUEST: &str = "Any request";
const LONGEST_CHARS: usize = 160;

/// The request before the agent's turn before `at`; what the user reacts to at `at`.
pub(super) fn request_before(reading: &Reading<'_>, at: usize) -> Option<usize> {
    reading.agent_before(at).and_then(|agent| reading.user_before(agent))
}

/// The trigger for what was learned: the nearest turn from `request` upwards that asks for something ("Yes." and
/// "It's 12345." do not), else the nearest that tells something.
pub(super) fn trigger(reading: &Reading<'_>, request: Option<usize>) -> Option<String> {
    let turns: Vec<&Said<'_>> = std::iter::successors(request, |at| reading.user_before(*at))
        .filter_map(|at| reading.get(at))
        .collect();
    let first = |of: fn(&Sentence<'_>, &Said<'_>) -> Option<String>| {
        turns.iter().find_map(|said| said.sentences.iter().find_map(|sentence| of(sentence, said)))
    };
    first(framed)
        .or_else(|| first(|sentence, said| stated(sentence, said, 2)))
        .or_else(|| first(|sentence, said| stated(sentence, said, 1)))
}

/// A sentence with a request in it: "Could you help me to …" → "The user wants to …".
fn framed(sentence: &Sentence<'_>, said: &Said<'_>) -> Option<String> {
    let requests = sentence.hits.iter().filter(|hit| hit.class == Class::Request);
    let hit = requests.min_by_key(|hit| (hit.words.start, usize::MAX - hit.weight))?;
    let words = sentence.words.get(hit.words.clone())?;
    let kept = generalise(sentence.text, words, said.table);
    if kept.len() < 2 || !tells(&rebuilt(sentence, &kept), 1) {
        return None;
    }
    let text = rebuilt(sentence, &kept);
    let again = super::text::words(&text);
    let hits = said.table.find(&text, &again);
    let hit = hits
        .iter()
        .filter(|hit| hit.class == Class::Request)
        .min_by_key(|hit| (hit.words.start, usize::MAX - hit.weight))?;
    let rebuilt = Sentence { text: &text, words: again.clone(), hits: Vec::new(), question: false };
    Some(shortened(&rebuilt.fill(hit, Voice::ToTheAgent, said.table), LONGEST_CHARS))
}

/// A sentence that tells what is the matter: "My parcel never arrived" → "The user says: the parcel never arrived".
fn stated(sentence: &Sentence<'_>, said: &Said<'_>, fewest: usize) -> Option<String> {
    let kept = generalise(sentence.text, &sentence.words, said.table);
    let text = rebuilt(sentence, &kept);
    let cut_off = kept.last().is_some_and(|word| matches!(word.lower.as_str(), "is" | "are" | "was" | "be"));
    // "Still the same error" is about the answer, not about what the user wants.
    let judges =
        [Class::Failure, Class::Confirmation, Class::BareCorrection].iter().any(|class| sentence.has(*class));
    if cut_off || judges || !tells(&text, fewest) {
        return None;
    }
    let told = super::text::retell(&text, &super::text::words(&text), Voice::AboutTheUser, said.table);
    Some(shortened(&format!("The user says: {told}"), LONGEST_CHARS))
}

/// Whether enough words say what it is about, beside courtesies.
fn tells(text: &str, fewest: usize) -> bool {
    const COURTESY: [&str; 10] =
        ["help", "sure", "pleas", "thank", "yes", "ok", "hi", "hello", "want", "need"];
    telling_terms(text).iter().filter(|term| !COURTESY.contains(&term.as_str())).count() >= fewest
}

fn rebuilt(sentence: &Sentence<'_>, kept: &[super::text::Word]) -> String {
    let mut text = String::new();
    for word in kept {
        let raw = sentence.text.get(word.start..word.end).unwrap_or_default();
        let sticks = matches!(word.lower.as_str(), "," | ";" | ":" | ")");
        if !text.is_empty() && !sticks {
            text.push(' ');
        }
        text.push_str(raw);
    }
    text
}
