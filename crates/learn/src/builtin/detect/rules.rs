//! Corrections, standing requests, and preferences about how the agent answers.

use super::guards::{Kind, end_of_statement, objection};
use super::{DropReason, Dropped, Fact, Rule, Signal, lifetime};
use crate::builtin::cues::{Class, Hit};
use crate::builtin::reading::{Reading, Said, Sentence, quoted, telling_terms};
use crate::builtin::situation::request_before;
use crate::builtin::text::{Voice, Word, as_sentence, capitalised, retell, shortened};

const LONGEST_INSTRUCTION_CHARS: usize = 320;

/// What one turn of the user says about the agent, and what of it is a taste rather than a rule.
#[derive(Debug, Default)]
pub(super) struct Ruled {
    pub(super) rules: Vec<Rule>,
    pub(super) tastes: Vec<Fact>,
    /// Sentences, and the words in them, that are used up.
    pub(super) used: Vec<(usize, std::ops::Range<usize>)>,
}

/// A sentence that is a rule, before neighbours are joined.
struct Ruling {
    sentence: usize,
    signal: Signal,
    trigger: Option<String>,
    instruction: String,
}

pub(super) fn rules(reading: &Reading<'_>, at: usize, said: &Said<'_>, dropped: &mut Dropped) -> Ruled {
    let mut ruled = Ruled::default();
    let mut rulings: Vec<Ruling> = Vec::new();
    let mut bare = false;
    for (index, sentence) in said.sentences.iter().enumerate() {
        let context = Context { reading, at, said, sentence };
        if let Some(hit) = context.best(dropped) {
            bare = hit.class == Class::BareCorrection;
            ruled.used.push((index, hit.words.clone()));
            if hit.class == Class::Preference && !context.is_about_answers(&hit) {
                ruled.tastes.push(context.taste(&hit));
            } else {
                rulings.extend(context.ruling(index, &hit));
            }
        } else if std::mem::take(&mut bare) && !sentence.question && sentence.words.len() >= 2 {
            // "That's wrong. The limit is 50.": the sentence after the complaint says what is right.
            let instruction = told(&said.sentences, index, said);
            rulings.push(Ruling { sentence: index, signal: Signal::Correction, trigger: None, instruction });
            ruled.used.push((index, 0..sentence.words.len()));
        }
    }
    ruled.rules = join(rulings).into_iter().map(|ruling| finish(reading, at, said, ruling)).collect();
    ruled
}

/// One sentence with what stands around it.
pub(super) struct Context<'c, 'w> {
    pub(super) reading: &'c Reading<'w>,
    pub(super) at: usize,
    pub(super) said: &'c Said<'w>,
    pub(super) sentence: &'c Sentence<'w>,
}

impl Context<'_, '_> {
    /// The cue that decides: the more certain class first, then the more demanding cue.
    fn best(&self, dropped: &mut Dropped) -> Option<Hit> {
        let mut best: Option<(usize, usize, Hit)> = None;
        for hit in &self.sentence.hits {
            let Some(rank) = rank(hit.class) else { continue };
            if let Some(reason) = objection(self.sentence, hit, Kind::Rule).or_else(|| self.misfit(hit)) {
                if reason != DropReason::NoContext || rank > 2 {
                    dropped.add(reason);
                }
                continue;
            }
            if best.as_ref().is_none_or(|(had, weight, _)| (rank, hit.weight) > (*had, *weight)) {
                best = Some((rank, hit.weight, hit.clone()));
            }
        }
        best.map(|(_, _, mut hit)| {
            let end = end_of_statement(self.sentence, &hit);
            for (_, range) in &mut hit.captures {
                range.end = range.end.min(end.max(range.start));
            }
            hit.words.end = hit.words.end.min(end.max(hit.words.start + 1));
            hit
        })
    }

    fn is_about_answers(&self, hit: &Hit) -> bool {
        // Only the head of what is preferred counts: "Word over Docs, for its formatting" is about Word.
        const HEAD: usize = 6;
        let words = self.sentence.words.get(hit.words.clone()).unwrap_or_default();
        words.iter().take(HEAD).any(|word| self.said.table.has("output", &word.lower))
    }

    fn taste(&self, hit: &Hit) -> Fact {
        let content = as_sentence(&self.sentence.fill(hit, Voice::AboutTheUser, self.said.table));
        let time_to_live = lifetime::of(self.sentence, hit, self.said.table);
        let span = self.sentence.text.to_owned();
        Fact {
            signal: Signal::Preference,
            turn: self.at,
            also: Vec::new(),
            topic: None,
            content,
            time_to_live,
            span,
        }
    }

    fn ruling(&self, index: usize, hit: &Hit) -> Option<Ruling> {
        let agent = self.reading.agent_before(self.at).is_some();
        let wished = matches!(hit.class, Class::Standing | Class::Preference) || !agent;
        let signal = if wished { Signal::Preference } else { Signal::Correction };
        let instruction = if hit.class == Class::BareCorrection {
            self.after_complaint(hit)?
        } else if hit.class == Class::Contrast && hit.template.is_none() {
            told(std::slice::from_ref(self.sentence), 0, self.said)
        } else {
            self.sentence.fill(hit, Voice::ToTheAgent, self.said.table)
        };
        let (trigger, instruction) = match self.own_trigger(hit) {
            Some(trigger) => (Some(trigger), instruction),
            None => with_condition(instruction),
        };
        Some(Ruling { sentence: index, signal, trigger, instruction })
    }

    /// "That's wrong, the limit is 50.": the words after the complaint, if there are enough of them.
    fn after_complaint(&self, hit: &Hit) -> Option<String> {
        let rest = self.sentence.words.get(hit.words.end..)?;
        let joins = |word: &Word| word.is_mark() || matches!(word.lower.as_str(), "because" | "since" | "as");
        let rest = rest.get(rest.iter().position(|word| !joins(word))?..)?;
        (rest.len() >= 3).then(|| retell(self.sentence.text, rest, Voice::ToTheAgent, self.said.table))
    }

    /// "When I ask for a recipe, …" names its own situation.
    fn own_trigger(&self, hit: &Hit) -> Option<String> {
        if !matches!(self.word(hit.words.start), "when" | "whenever" | "everytime")
            || hit.template != Some("$rest")
        {
            return None;
        }
        let condition = self.sentence.words.get(hit.words.start + 1..hit.captures.first()?.1.end)?;
        let told = retell(self.sentence.text, condition, Voice::ToTheAgent, self.said.table);
        Some(capitalised(&told))
    }

    pub(super) fn word(&self, at: usize) -> &str {
        self.sentence.words.get(at).map_or("", |word| word.lower.as_str())
    }
}

/// How far a class is trusted; classes that make no rule have no rank.
fn rank(class: Class) -> Option<usize> {
    const RANKS: [(Class, usize); 6] = [
        (Class::Correction, 5),
        (Class::Standing, 5),
        (Class::Contrast, 4),
        (Class::SoftCorrection, 3),
        (Class::Preference, 2),
        (Class::BareCorrection, 1),
    ];
    RANKS.iter().find(|(ranked, _)| *ranked == class).map(|(_, rank)| *rank)
}

/// "Always add a link when the user asks for sources": the condition at the end is the situation.
fn with_condition(instruction: String) -> (Option<String>, String) {
    let cut = [" when the user asks", " whenever the user asks", " if the user asks"].iter().find_map(
        |condition| {
            let at = instruction.find(condition)?;
            let when = instruction.get(at + condition.find("the user")?..)?;
            // "when the user asks" alone is no situation.
            (when.split_whitespace().count() > 4)
                .then(|| (when.to_owned(), instruction.get(..at).unwrap_or_default().to_owned()))
        },
    );
    match cut {
        Some((when, order)) => (Some(capitalised(&when)), order),
        None => (None, instruction),
    }
}

fn told(sentences: &[Sentence<'_>], index: usize, said: &Said<'_>) -> String {
    sentences.get(index).map_or_else(String::new, |sentence| {
        retell(sentence.text, &sentence.words, Voice::ToTheAgent, said.table)
    })
}

/// Corrections in neighbouring sentences are one: "Only change what I ask for. Don't touch formatting."
/// Standing requests stay apart, since each can be dropped alone later; a fragment goes with its neighbour.
fn join(rulings: Vec<Ruling>) -> Vec<Ruling> {
    let mut joined: Vec<Ruling> = Vec::new();
    for ruling in rulings {
        let fragment = |text: &str| text.split_whitespace().count() <= 3;
        match joined.last_mut().filter(|last| last.trigger.is_none() && ruling.trigger.is_none()) {
            Some(last)
                if last.signal == Signal::Correction && ruling.signal == Signal::Correction
                    || fragment(&last.instruction)
                    || fragment(&ruling.instruction) =>
            {
                last.instruction =
                    format!("{} {}", as_sentence(&last.instruction), as_sentence(&ruling.instruction));
                last.signal = last.signal.min(ruling.signal);
            }
            _ => joined.push(ruling),
        }
    }
    joined
}

fn finish(reading: &Reading<'_>, at: usize, said: &Said<'_>, ruling: Ruling) -> Rule {
    let correction = ruling.signal == Signal::Correction;
    let agent = reading.agent_before(at).filter(|_| correction);
    let request = if correction { request_before(reading, at) } else { None };
    let pitfall =
        agent.and_then(|agent| reading.get(agent)).and_then(|agent| answered(agent, &ruling.instruction));
    Rule {
        signal: ruling.signal,
        turn: at,
        also: agent.into_iter().chain(request).collect(),
        request,
        trigger: ruling.trigger,
        instruction: as_sentence(&shortened(&ruling.instruction, LONGEST_INSTRUCTION_CHARS)),
        pitfall,
        span: said
            .sentences
            .get(ruling.sentence)
            .map(|sentence| sentence.text.to_owned())
            .unwrap_or_default(),
    }
}

/// The sentence of the agent that the correction is about: the one that shares most words with it.
fn answered(agent: &Said<'_>, instruction: &str) -> Option<String> {
    let wanted = telling_terms(instruction);
    let shared = |text: &str| telling_terms(text).iter().filter(|term| wanted.contains(term)).count();
    let mut best: Option<(usize, &str)> = None;
    for sentence in &agent.sentences {
        let score = shared(sentence.text);
        if best.is_none_or(|(had, _)| score > had) {
            best = Some((score, sentence.text));
        }
    }
    best.map(|(_, text)| format!("The agent answered: {}", quoted(text)))
}
