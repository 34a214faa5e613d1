//! What the user says about themselves.

use super::guards::{Kind, objection};
use super::misfits::names_all;
use super::rules::Ruled;
use super::{DropReason, Dropped, Fact, Signal, lifetime};
use crate::builtin::cues::{Class, Hit};
use crate::builtin::reading::{Reading, Said, Sentence};
use crate::builtin::text::{Voice, as_sentence, span};

/// Longer statements are stories, not facts.
const LONGEST_WORDS: usize = 26;

pub(super) fn facts(
    reading: &Reading<'_>,
    at: usize,
    said: &Said<'_>,
    ruled: &Ruled,
    facts: &mut Vec<Fact>,
    dropped: &mut Dropped,
) {
    let agent = reading.agent_before(at).and_then(|at| reading.get(at));
    for (index, sentence) in said.sentences.iter().enumerate() {
        if sentence.has(Class::Drafting) {
            continue;
        }
        let used = ruled.used.iter().filter(|(used, _)| *used == index).map(|(_, range)| range.clone());
        let mut taken: Vec<std::ops::Range<usize>> = used.collect();
        let mut hits: Vec<&Hit> =
            sentence.hits.iter().filter(|hit| matches!(hit.class, Class::Fact | Class::Taste)).collect();
        // The more demanding cue wins; of equals, the one that says more.
        hits.sort_by_key(|hit| {
            (std::cmp::Reverse(hit.weight), std::cmp::Reverse(hit.words.len()), hit.words.start)
        });
        let mut found: Vec<&Hit> = Vec::new();
        for hit in hits {
            let overlaps =
                taken.iter().any(|range| hit.words.start < range.end && range.start < hit.words.end);
            if overlaps {
                continue;
            }
            if let Some(reason) =
                objection(sentence, hit, Kind::Fact).or_else(|| misfit(sentence, said, hit, agent))
            {
                dropped.add(reason);
                continue;
            }
            taken.push(hit.words.clone());
            found.push(hit);
        }
        found.sort_by_key(|hit| hit.words.start);
        facts.extend(found.into_iter().map(|hit| fact(at, said, sentence, hit)));
    }
}

fn misfit(
    sentence: &Sentence<'_>,
    said: &Said<'_>,
    hit: &Hit,
    agent: Option<&Said<'_>>,
) -> Option<DropReason> {
    if sentence.has(Class::Secret) {
        return Some(DropReason::Secret);
    }
    let object = hit.captures.last().map(|(_, range)| range.clone());
    let first = object
        .as_ref()
        .and_then(|range| sentence.words.get(range.start))
        .map_or("", |word| word.lower.as_str());
    let liked =
        object.and_then(|range| sentence.words.get(range)).map_or("", |words| span(sentence.text, words));
    // Who hates what the agent proposed picks nothing.
    let dislikes = sentence.words.get(hit.words.clone()).unwrap_or_default().iter().any(|word| {
        word.lower.ends_with("n't")
            || matches!(word.lower.as_str(), "hate" | "dislike" | "loathe" | "never" | "not")
    });
    let picked = !dislikes && agent.is_some_and(|agent| names_all(agent, liked));
    if hit.class == Class::Taste && (picked || said.table.has("deictic", first)) {
        return Some(DropReason::Choice);
    }
    (hit.words.len() > LONGEST_WORDS || said.table.has("passing", first)).then_some(DropReason::Uninformative)
}

fn fact(at: usize, said: &Said<'_>, sentence: &Sentence<'_>, hit: &Hit) -> Fact {
    let signal = if hit.class == Class::Taste { Signal::Preference } else { Signal::Fact };
    Fact {
        signal,
        turn: at,
        also: Vec::new(),
        topic: hit.topic,
        content: as_sentence(&sentence.fill(hit, Voice::AboutTheUser, said.table)),
        time_to_live: lifetime::of(sentence, hit, said.table),
        span: sentence.text.to_owned(),
    }
}
