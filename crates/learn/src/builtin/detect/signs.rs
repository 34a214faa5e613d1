//! How a conversation goes, turn by turn: what the user's words and the agent's tools say about the last answer.

use reflexio_types::Speaker;

use super::outcomes::{is_negated, is_reaction, judges};
use super::{repeated, tools};
use crate::builtin::cues::Class;
use crate::builtin::reading::{Reading, Said, Sentence};
use crate::builtin::text::shortened;

const LONGEST_QUOTE_CHARS: usize = 200;

/// What one turn says about how the conversation goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signs {
    pub speaker: Speaker,
    /// Something is said or done in it.
    pub is_filled: bool,
    /// The user is content, or not; nothing if the turn does not tell.
    pub mood: Option<Mood>,
    /// The user asks for a person, or the agent brings one in.
    pub asks_for_person: bool,
    /// Tools whose last call in this turn failed, and those whose last call did not.
    pub failed_tools: Vec<String>,
    pub working_tools: Vec<String>,
    /// The words that tell it.
    pub quote: Option<String>,
}

/// What the user thinks of the answer before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mood {
    /// Says thanks, or that it worked.
    Content,
    /// Says what was wrong.
    Corrects,
    /// Says that it did not help.
    Complains,
    /// Asks the same again.
    Repeats,
}

impl Mood {
    pub fn is_bad(self) -> bool {
        self != Mood::Content
    }
}

/// In the order of the turns.
pub(in crate::builtin) fn signs(reading: &Reading<'_>) -> Vec<Signs> {
    reading.said.iter().enumerate().map(|(at, said)| signs_of(reading, at, said)).collect()
}

fn signs_of(reading: &Reading<'_>, at: usize, said: &Said<'_>) -> Signs {
    let told = (said.speaker == Speaker::User).then(|| mood(reading, at, said)).flatten();
    let person = said.sentences.iter().find(|sentence| sentence.has(Class::Person));
    let quote = told.and_then(|(_, sentence)| sentence).or(person);
    let (failed_tools, working_tools) = tools::ends(said.turn);
    Signs {
        speaker: said.speaker,
        is_filled: !said.sentences.is_empty() || said.turn.carries_content(),
        mood: told.map(|(mood, _)| mood),
        asks_for_person: person.is_some(),
        failed_tools,
        working_tools,
        quote: quote.map(|sentence| shortened(sentence.text, LONGEST_QUOTE_CHARS)),
    }
}

type Told<'r> = (Mood, Option<&'r Sentence<'r>>);

/// What is wrong comes before what is right: "Thanks, but that is not what I asked".
fn mood<'r>(reading: &'r Reading<'_>, at: usize, said: &'r Said<'_>) -> Option<Told<'r>> {
    let agent = reading.get(reading.agent_before(at)?)?;
    let sentences = || said.sentences.iter();
    if let Some(sentence) = sentences().find(|sentence| corrects(sentence, agent)) {
        return Some((Mood::Corrects, Some(sentence)));
    }
    let failure = sentences().take(2).find(|sentence| judges(sentence, Class::Failure));
    if let Some(sentence) = failure.filter(|_| is_reaction(said)) {
        return Some((Mood::Complains, Some(sentence)));
    }
    let mut rules = Vec::new();
    repeated::repeated(reading, at, said, &mut rules);
    if !rules.is_empty() {
        return Some((Mood::Repeats, said.sentences.first()));
    }
    if said.has(Class::Sarcasm) {
        return Some((Mood::Complains, sentences().find(|sentence| sentence.has(Class::Sarcasm))));
    }
    let content = sentences().find(|sentence| {
        let confirms = judges(sentence, Class::Confirmation) && !is_negated(sentence);
        confirms || (sentence.has(Class::Thanks) && !asks_more(said) && !is_negated(sentence))
    });
    content.map(|sentence| (Mood::Content, Some(sentence)))
}

fn corrects(sentence: &Sentence<'_>, agent: &Said<'_>) -> bool {
    let wrong = sentence.has(Class::BareCorrection);
    // "No, don't book it" answers a question.
    let order = sentence.has(Class::Correction) && !agent.ends_in_question();
    let soft = (sentence.has(Class::SoftCorrection) || sentence.has(Class::Contrast)) && !agent.asks();
    !sentence.question && (wrong || order || soft)
}

/// "Thanks! And could you …" goes on.
fn asks_more(said: &Said<'_>) -> bool {
    said.sentences.iter().any(|sentence| sentence.question || sentence.has(Class::Request))
}
