use std::ops::Range;
use std::sync::Arc;

use super::Class;
use super::vocabulary::{Role, WordId};
use crate::builtin::text::Word;

/// A cue: words to find, and what to make of them.
#[derive(Debug)]
pub(super) struct Pattern {
    pub(super) class: Class,
    /// The kind of fact, or the time to live.
    pub(super) topic: Option<String>,
    pub(super) place: Place,
    pub(super) parts: Vec<Part>,
    pub(super) template: Option<String>,
    /// Words the pattern asks for; of two cues at one place the more demanding wins.
    pub(super) weight: usize,
}

/// Where a cue counts; fillers ("no", "please") before it do not matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    Anywhere,
    ClauseStart,
    SentenceStart,
}

#[derive(Debug)]
pub(super) enum Part {
    Words {
        any_of: Arc<[WordId]>,
        optional: bool,
    },
    /// Up to so many words of any kind.
    Gap(usize),
    Capture {
        what: Capture,
        optional: bool,
    },
    /// The next word must end so, must be capitalised, must not be one of these.
    Ending(String),
    Capital,
    Unless(Arc<[WordId]>),
    End,
}

/// What of a sentence a pattern hands to its template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::builtin) enum Capture {
    /// A few words up to the next part.
    X,
    /// Up to the end of the sentence.
    Rest,
    /// Up to the end of the clause.
    Clause,
}

/// What a match handed over, in the order of the pattern.
pub(in crate::builtin) type Captures = Vec<(Capture, Range<usize>)>;

/// A cue found in a sentence.
#[derive(Debug, Clone)]
pub(in crate::builtin) struct Hit {
    pub(in crate::builtin) class: Class,
    pub(in crate::builtin) topic: Option<&'static str>,
    pub(in crate::builtin) template: Option<&'static str>,
    pub(in crate::builtin) weight: usize,
    /// Words of the cue and what it captured.
    pub(in crate::builtin) words: Range<usize>,
    pub(in crate::builtin) captures: Captures,
}

const LONGEST_CAPTURE: usize = 9;

/// A sentence as a pattern sees it: its words as numbers, and what each can do in a sentence.
pub(super) struct Sentence<'s> {
    pub(super) text: &'s str,
    pub(super) words: &'s [Word],
    pub(super) ids: &'s [WordId],
    pub(super) roles: &'s [Role],
}

impl Sentence<'_> {
    fn id(&self, at: usize) -> WordId {
        self.ids.get(at).copied().unwrap_or(WordId::UNKNOWN)
    }

    pub(super) fn is(&self, at: usize, role: Role) -> bool {
        self.roles.get(at).is_some_and(|roles| roles.contains(role))
    }
}

impl Pattern {
    /// Matches from the word at `at` on: where it ends and what it captured.
    pub(super) fn matches(&self, sentence: &Sentence<'_>, at: usize) -> Option<(usize, Captures)> {
        let mut captures = Vec::new();
        let end = step(&self.parts, sentence, at, &mut captures)?;
        Some((end, captures))
    }
}

fn step(parts: &[Part], sentence: &Sentence<'_>, at: usize, captures: &mut Captures) -> Option<usize> {
    let Some((part, rest)) = parts.split_first() else { return Some(at) };
    let next = sentence.words.get(at);
    match part {
        Part::Words { any_of, optional } => {
            // A comma between two words of a cue changes nothing, unless the cue asks for it.
            let comma = sentence.is(at, Role::COMMA) && !any_of.contains(&sentence.id(at));
            let here = if comma { at + 1 } else { at };
            let found = any_of.contains(&sentence.id(here));
            let taken = if found { step(rest, sentence, here + 1, captures) } else { None };
            taken.or_else(|| if *optional { step(rest, sentence, at, captures) } else { None })
        }
        Part::Gap(longest) => (0..=*longest)
            .take_while(|skipped| at + skipped <= sentence.words.len())
            .find_map(|skipped| step(rest, sentence, at + skipped, captures)),
        Part::Ending(ending) => {
            next.filter(|word| word.lower.ends_with(ending.as_str()) && word.lower.len() > ending.len() + 1)?;
            step(rest, sentence, at, captures)
        }
        Part::Capital => {
            let raw = next.and_then(|word| sentence.text.get(word.start..word.end))?;
            raw.chars().next().filter(|first| first.is_uppercase())?;
            step(rest, sentence, at, captures)
        }
        Part::Unless(words) => {
            let here = if sentence.is(at, Role::COMMA) { at + 1 } else { at };
            if words.contains(&sentence.id(here)) {
                return None;
            }
            step(rest, sentence, at, captures)
        }
        Part::End => (at == sentence.words.len()).then_some(at),
        Part::Capture { what, optional } => capture_from(*what, rest, sentence, at, captures)
            .or_else(|| if *optional { step(rest, sentence, at, captures) } else { None }),
    }
}

fn capture_from(
    capture: Capture,
    rest: &[Part],
    sentence: &Sentence<'_>,
    at: usize,
    captures: &mut Captures,
) -> Option<usize> {
    let after_mark = sentence.words.get(at).is_some_and(Word::is_mark);
    let start = if after_mark { at + 1 } else { at };
    // "three children, so I need …": the comma already ended the clause.
    if after_mark
        && capture == Capture::Clause
        && (sentence.is(start, Role::BEGINS) || sentence.is(start, Role::JOINS))
    {
        return None;
    }
    let all = sentence.words.len();
    let ends: Vec<usize> = match capture {
        Capture::X => (start + 1..=(start + LONGEST_CAPTURE).min(all)).collect(),
        Capture::Rest => vec![all],
        Capture::Clause => vec![clause_end(sentence, start)],
    };
    for end in ends {
        if end <= start || sentence.words.get(start..end)?.iter().any(|word| word.lower == ";") {
            continue;
        }
        captures.push((capture, start..end));
        if let Some(end) = step(rest, sentence, end, captures) {
            return Some(end);
        }
        captures.pop();
    }
    None
}

/// Where the clause that begins at `start` ends: at a strong mark, at a comma or "and" before a word that
/// begins a new clause, at "but", "because", "so that".
fn clause_end(sentence: &Sentence<'_>, start: usize) -> usize {
    let breaks = |at: usize| sentence.is(at, Role::BEGINS);
    let ends = |at: usize| {
        let lower = sentence.words.get(at).map_or("", |word| word.lower.as_str());
        match lower {
            ";" | ":" | "(" | ")" | "-" => at > start,
            "," => breaks(at + 1) || sentence.is(at + 1, Role::JOINS),
            "and" | "or" | "und" | "y" => at > start && breaks(at + 1),
            _ => sentence.is(at, Role::JOINS),
        }
    };
    (start..sentence.words.len()).find(|&at| ends(at)).unwrap_or(sentence.words.len())
}
