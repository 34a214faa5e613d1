//! How alike rows are by their words, and what that is enough to decide without a model.

use std::collections::BTreeSet;

use reflexio_search::{is_stop_word, terms};

use super::item::Item;
use super::meeting::{Forget, Meeting};
use super::verdict::{Proposal, Verdicts};
use crate::builtin::{LEARNED_BY, is_negative};

/// Words that stand in almost every row.
const EVERYWHERE: [&str; 6] = ["user", "agent", "when", "do", "avoid", "ask"];
/// Words that make a rule reach everything.
const EVERYTHING: [&str; 9] =
    ["always", "any", "anything", "all", "every", "everything", "everyone", "never", "whenever"];

/// The words that tell what a text is about, as search sees them.
pub(super) fn telling(text: &str) -> BTreeSet<String> {
    let telling =
        |term: &String| term.len() > 1 && !is_stop_word(term) && !EVERYWHERE.contains(&term.as_str());
    terms(text).into_iter().filter(telling).collect()
}

/// The words of a text that reach everything.
pub(super) fn everything(text: &str) -> Vec<&'static str> {
    let lower = text.to_lowercase();
    let words: BTreeSet<&str> = lower.split(|c: char| !c.is_alphanumeric()).collect();
    EVERYTHING.into_iter().filter(|word| words.contains(word)).collect()
}

/// How much two texts share, by their telling words.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Overlap {
    /// Of all words of both.
    pub(crate) of_both: f64,
    /// Of the words of the first.
    pub(crate) of_first: f64,
}

pub(crate) fn overlap(first: &str, second: &str) -> Overlap {
    let (first, second) = (telling(first), telling(second));
    let shared = first.intersection(&second).count() as f64;
    let part = |whole: usize| if whole == 0 { 0.0 } else { shared / whole as f64 };
    Overlap { of_both: part(first.union(&second).count()), of_first: part(first.len()) }
}

/// From here on two rows are worth a second look.
const SIMILAR_COSINE: f64 = 0.55;
const SIMILAR_OVERLAP: f64 = 0.4;

pub(crate) fn is_similar(one: &Item, other: &Item, cosine: Option<f64>) -> bool {
    one.is_akin_to(other)
        && (cosine.is_some_and(|cosine| cosine >= SIMILAR_COSINE)
            || overlap(&one.substance(), &other.substance()).of_both >= SIMILAR_OVERLAP)
}

/// Whether a row may be what is to be forgotten.
pub(crate) fn may_be_meant(what: &str, item: &Item, cosine: Option<f64>) -> bool {
    overlap(what, item.content()).of_first >= 0.5 || cosine.is_some_and(|cosine| cosine >= SIMILAR_COSINE)
}

/// Whether a text is what is to be forgotten, beyond doubt.
pub(crate) fn is_meant(what: &str, content: &str) -> bool {
    overlap(what, content).of_first >= 0.75
}

/// From here on two rows say the same, if neither denies the other. Stricter than `cluster::near_duplicate`, which takes "email in
/// the evening" and "email in the morning" for one: here the new row would get lost.
const SAME_OVERLAP: f64 = 0.8;
const SAME_COSINE: f64 = 0.9;
const SAME_OVERLAP_AT_LEAST: f64 = 0.5;

/// Whether two texts say the same. Numbers and names decide against it, and so does one that denies.
pub(crate) fn say_the_same(one: &Item, other: &Item, cosine: Option<f64>) -> bool {
    let (first, second) = (one.substance(), other.substance());
    if !one.is_akin_to(other)
        || is_negative(&first) != is_negative(&second)
        || figures(&first) != figures(&second)
    {
        return false;
    }
    let shared = overlap(&first, &second).of_both;
    shared >= SAME_OVERLAP
        || (shared >= SAME_OVERLAP_AT_LEAST && cosine.is_some_and(|cosine| cosine >= SAME_COSINE))
}

fn figures(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| word.chars().any(|c| c.is_ascii_digit())).map(str::to_lowercase).collect()
}

/// Decides what words alone can decide: rows that say the same, and facts that are named to be forgotten.
pub fn without_a_model(meeting: &Meeting) -> Verdicts {
    let mut verdicts = Verdicts::independent(meeting, LEARNED_BY);
    for (at, newcomer) in meeting.new.iter().enumerate() {
        let same = newcomer.similar.iter().find(|similar| {
            let known = meeting.known.get(similar.known);
            known.is_some_and(|known| say_the_same(&newcomer.item, known, similar.cosine))
        });
        if let Some(same) = same {
            verdicts.propose(meeting, at, Proposal::Reject { by: same.known });
        }
    }
    for (at, forget) in meeting.forget.iter().enumerate() {
        for known in meant(meeting, forget) {
            verdicts.propose_forgetting(meeting, at, known);
        }
    }
    verdicts
}

/// All rows that are meant beyond doubt, otherwise the one that fits best.
fn meant(meeting: &Meeting, forget: &Forget) -> Vec<usize> {
    let places = || forget.similar.iter().map(|similar| similar.known);
    let content = |place: usize| meeting.known.get(place).map_or("", Item::content);
    let sure: Vec<usize> = places().filter(|place| is_meant(&forget.what, content(*place))).collect();
    if !sure.is_empty() {
        return sure;
    }
    let fits = |place: usize| overlap(&forget.what, content(place)).of_first;
    let best = places()
        .filter(|place| fits(*place) >= 0.5)
        .max_by(|one, two| fits(*one).total_cmp(&fits(*two)).then(two.cmp(one)));
    best.into_iter().collect()
}
