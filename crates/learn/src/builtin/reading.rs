//! The window as the detectors see it: who said which sentences, with the cues that were found in them.

use std::cell::OnceCell;
use std::collections::HashSet;

use reflexio_search::fusion::Speaker;
use reflexio_search::{is_stop_word, terms};
use reflexio_types::Turn;

use super::cues::{Class, Hit, Language, Table};
use super::input::{LabelledTurn, OwnText, Window};
use super::output::{DropReason, Dropped};
use super::own_text::OwnTerms;
use super::text::{self, Word, prose, sentences, words};

/// Of the agent's turn only the beginning is searched for cues: that is where it admits a mistake.
const AGENT_SENTENCES_WITH_CUES: usize = 3;

pub(super) struct Reading<'w> {
    pub(super) said: Vec<Said<'w>>,
}

/// One turn.
pub(super) struct Said<'w> {
    pub(super) label: &'w str,
    pub(super) turn: &'w Turn,
    pub(super) speaker: Speaker,
    pub(super) table: &'static Table,
    pub(super) sentences: Vec<Sentence<'w>>,
    terms: OnceCell<HashSet<String>>,
}

pub(super) struct Sentence<'w> {
    pub(super) text: &'w str,
    pub(super) words: Vec<Word>,
    pub(super) hits: Vec<Hit>,
    pub(super) question: bool,
}

pub(super) fn read<'w>(window: &Window<'w>, dropped: &mut Dropped) -> Reading<'w> {
    let own = OwnTerms::of(window.own);
    let mut said: Vec<Said<'w>> =
        window.turns.iter().map(|turn| cut(turn, window.own, &own, dropped)).collect();
    let language = language_of_window(&said);
    for turn in &mut said {
        find_cues(turn, language, dropped);
    }
    Reading { said }
}

impl Reading<'_> {
    /// The agent's last turn before `at` that said something.
    pub(super) fn agent_before(&self, at: usize) -> Option<usize> {
        self.last_before(at, Speaker::Assistant)
    }

    pub(super) fn user_before(&self, at: usize) -> Option<usize> {
        self.last_before(at, Speaker::User)
    }

    fn last_before(&self, at: usize, speaker: Speaker) -> Option<usize> {
        let before = self.said.get(..at)?;
        before.iter().rposition(|said| said.speaker == speaker && !said.sentences.is_empty())
    }

    /// The agent's turn right after `at`.
    pub(super) fn agent_after(&self, at: usize) -> Option<&Said<'_>> {
        let after = self.said.get(at + 1..)?;
        after.iter().find(|said| !said.sentences.is_empty()).filter(|said| said.speaker == Speaker::Assistant)
    }

    pub(super) fn users(&self) -> impl Iterator<Item = (usize, &Said<'_>)> {
        self.said.iter().enumerate().filter(|(_, said)| said.speaker == Speaker::User)
    }

    pub(super) fn get(&self, at: usize) -> Option<&Said<'_>> {
        self.said.get(at)
    }
}

impl Said<'_> {
    pub(super) fn has(&self, class: Class) -> bool {
        self.sentences.iter().any(|sentence| sentence.has(class))
    }

    pub(super) fn ends_in_question(&self) -> bool {
        self.sentences.last().is_some_and(|sentence| sentence.question)
    }

    /// Whether the turn reads back the details of one case. What the user changes then belongs to that case.
    pub(super) fn confirms(&self) -> bool {
        const CHECKS: [&str; 5] = ["confirm", "verify the", "correct?", "right?", "be clear"];
        self.sentences.iter().any(|sentence| {
            let lower = sentence.text.to_lowercase();
            CHECKS.iter().any(|check| lower.contains(check))
        })
    }

    /// Whether the turn wants something from the other side, so that a "no" after it is an answer.
    pub(super) fn asks(&self) -> bool {
        const WANTS: [&str; 6] =
            ["please provide", "please confirm", "let me know", "could you", "would you", "please share"];
        self.sentences.iter().any(|sentence| {
            let lower = sentence.text.to_lowercase();
            sentence.question || WANTS.iter().any(|want| lower.contains(want))
        })
    }

    /// The words that tell what the turn is about, as search sees them.
    pub(super) fn telling_terms(&self) -> &HashSet<String> {
        self.terms
            .get_or_init(|| self.sentences.iter().flat_map(|sentence| telling_terms(sentence.text)).collect())
    }
}

impl Sentence<'_> {
    pub(super) fn has(&self, class: Class) -> bool {
        self.hits.iter().any(|hit| hit.class == class)
    }
}

/// Stems without the words that every text has.
pub fn telling_terms(text: &str) -> Vec<String> {
    terms(text).into_iter().filter(|term| !is_stop_word(term) && term.len() > 1).collect()
}

/// Sentences without cues yet: the language is not known before all turns are cut.
fn cut<'w>(
    labelled: &LabelledTurn<'w>,
    own: &OwnText,
    own_terms: &OwnTerms,
    dropped: &mut Dropped,
) -> Said<'w> {
    let turn = labelled.turn;
    let speaker = speaker(&turn.role);
    let text = spoken(turn, speaker);
    let prose = prose(text, &own.blocks);
    if prose.left_out_own {
        dropped.add(DropReason::OwnText);
    }
    if prose.left_out_pasted && speaker == Speaker::User {
        dropped.add(DropReason::Pasted);
    }
    // What the agent showed as code is part of its answer; only people paste.
    let parts = if speaker == Speaker::Assistant && !prose.left_out_own { vec![text] } else { prose.parts };
    let mut cut = Vec::new();
    for sentence in parts.into_iter().flat_map(sentences) {
        if speaker == Speaker::User && own_terms.say(sentence) {
            dropped.add(DropReason::OwnText);
            continue;
        }
        let with_words = speaker == Speaker::User || cut.len() < AGENT_SENTENCES_WITH_CUES;
        let words = if with_words { words(sentence) } else { Vec::new() };
        let question = sentence.trim_end_matches(['"', '”', ')', ' ']).ends_with(['?', '？']);
        cut.push(Sentence { text: sentence, words, hits: Vec::new(), question });
    }
    Said {
        label: labelled.label,
        turn,
        speaker,
        table: Table::of(Language::English),
        sentences: cut,
        terms: OnceCell::new(),
    }
}

/// A shadow answer is what a user's turn should be read as; of the agent, the user only saw `content`.
fn spoken(turn: &Turn, speaker: Speaker) -> &str {
    let shadowed = speaker == Speaker::User && !turn.shadow_content.trim().is_empty();
    let text = if shadowed { &turn.shadow_content } else { &turn.content };
    if speaker == Speaker::User { text } else { beginning(text) }
}

/// Enough of an answer to see what it was about. The user's turns are bounded by what counts as spoken.
pub(super) fn beginning(text: &str) -> &str {
    const LONGEST_CHARS: usize = 8_000;
    text.char_indices().nth(LONGEST_CHARS).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

fn speaker(role: &str) -> Speaker {
    let role = role.trim();
    match Speaker::of(role) {
        Speaker::Other if role.is_empty() => Speaker::User,
        Speaker::Other if role.to_lowercase().contains("agent") => Speaker::Assistant,
        speaker @ (Speaker::User | Speaker::Assistant | Speaker::Other) => speaker,
    }
}

fn language_of_window(said: &[Said<'_>]) -> Language {
    let users = said.iter().filter(|said| said.speaker == Speaker::User);
    let words = users.flat_map(|said| said.sentences.iter()).flat_map(|sentence| sentence.words.iter());
    Language::guess(words, Language::default())
}

fn find_cues(said: &mut Said<'_>, language: Language, dropped: &mut Dropped) {
    let words = said.sentences.iter().flat_map(|sentence| sentence.words.iter());
    let table = Table::of(Language::guess(words, language));
    said.table = table;
    for sentence in &mut said.sentences {
        sentence.hits = table.find(sentence.text, &sentence.words);
        sentence.question |= asks(sentence);
    }
    if said.speaker != Speaker::User {
        return;
    }
    if said.has(Class::Injection) {
        dropped.add(DropReason::Injection);
        said.sentences.clear();
    }
    leave_out_drafts(said, dropped);
}

/// Whether the sentence begins like a question, as people write it without the mark.
fn asks(sentence: &Sentence<'_>) -> bool {
    let asking = sentence.hits.iter().find(|hit| hit.class == Class::Asking && hit.words.start <= 1);
    asking.is_some_and(|asking| {
        let rule = |hit: &&Hit| matches!(hit.class, Class::Standing | Class::Correction);
        !sentence.hits.iter().filter(rule).any(|hit| hit.words.start <= asking.words.start)
    })
}

/// "Translate this: …": what follows the colon, or the line, is material and not the user's word.
fn leave_out_drafts(said: &mut Said<'_>, dropped: &mut Dropped) {
    let Some(at) = said.sentences.iter().position(|sentence| sentence.has(Class::Drafting)) else { return };
    let follows = said.sentences.len() > at + 1;
    let Some(sentence) = said.sentences.get_mut(at) else { return };
    let colon = sentence.words.iter().position(|word| word.lower == ":");
    if let Some(colon) = colon {
        sentence.words.truncate(colon);
        sentence.hits.retain(|hit| hit.words.end <= colon);
    }
    if follows && (colon.is_some() || begins_block(said, at)) {
        said.sentences.truncate(at + 1);
        dropped.add(DropReason::Pasted);
    } else if colon.is_some() {
        dropped.add(DropReason::Pasted);
    }
}

/// Whether an empty line stands between the sentence and the next one.
fn begins_block(said: &Said<'_>, at: usize) -> bool {
    let (Some(this), Some(next)) = (said.sentences.get(at), said.sentences.get(at + 1)) else { return false };
    let text = spoken(said.turn, said.speaker);
    let between = text.find(this.text).and_then(|from| {
        let after = text.get(from + this.text.len()..)?;
        after.get(..after.find(next.text)?)
    });
    between.is_some_and(|between| between.contains("\n\n"))
}

/// The sentence as it can be quoted.
pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", text::shortened(text, 200).trim_matches('"'))
}
