//! The variables a sentence mentions, and which of them it will set.

use rustc_hash::FxHashSet;

use super::phrase::variable_len;
use crate::name;
use crate::step::{Effects, Step};

/// Every `$name` in a text, in order, with repetitions.
pub(crate) fn all(text: &str) -> impl Iterator<Item = &str> {
    positions(text).map(|(_, name)| name)
}

pub(super) fn has_variables(text: &str) -> bool {
    memchr::memchr(b'$', text.as_bytes()).is_some()
}

fn positions(text: &str) -> impl Iterator<Item = (usize, &str)> {
    memchr::memchr_iter(b'$', text.as_bytes()).filter_map(|at| {
        let rest = &text[at + 1..];
        let len = name::identifier_len(rest);
        (len > 0).then(|| (at, &rest[..len]))
    })
}

/// Names that steps assign without `$`: they live as long as the call.
pub(super) fn locals(steps: &[Step], found: &mut FxHashSet<String>) {
    for step in steps {
        let len = name::identifier_len(&step.text);
        let rest = step.text[len..].trim_start();
        if len > 0 && rest.starts_with('=') && !rest.starts_with("==") && !found.contains(&step.text[..len]) {
            found.insert(step.text[..len].to_owned());
        }
        locals(&step.body, found);
    }
}

/// Verbs whose object is what they produce.
const MAKING: &[&str] = &[
    "calculate",
    "capture",
    "choose",
    "collect",
    "compute",
    "create",
    "determine",
    "draft",
    "extract",
    "fetch",
    "find",
    "gather",
    "generate",
    "get",
    "infer",
    "load",
    "look",
    "obtain",
    "parse",
    "pick",
    "read",
    "receive",
    "retrieve",
    "select",
    "write",
    "initialize",
    "initialise",
    "set",
    "reset",
    "define",
];

/// Verbs that change their object.
const CHANGING: &[&str] =
    &["increment", "decrement", "increase", "decrease", "update", "sort", "shuffle", "clear"];

/// Verbs whose object goes somewhere.
const MOVING: &[&str] =
    &["add", "append", "assign", "keep", "put", "record", "save", "store", "insert", "push"];

/// Verbs that keep what is already there.
const ADDING: &[&str] = &["add", "append", "insert", "push"];

/// Words that end the object of a verb: what follows is only read.
const OBJECT_ENDS: &[&str] = &[
    " from ",
    " using ",
    " based on ",
    " of ",
    " for ",
    " by ",
    " with ",
    " in ",
    " to ",
    " that ",
    " if ",
    " when ",
];

/// What a sentence for the model reads and may write.
pub(super) fn of_sentence(text: &str, effects: &mut Effects) {
    if !has_variables(text) {
        return;
    }
    let lower = text.to_ascii_lowercase();
    let verb = lower.split_whitespace().next().unwrap_or_default();
    let object_end = OBJECT_ENDS.iter().filter_map(|word| lower.find(word)).min().unwrap_or(text.len());
    for (at, name) in positions(text) {
        let is_moved_to = is_destination(&lower, at);
        let is_object = at < object_end;
        let is_changed = CHANGING.contains(&verb) && is_object;
        let is_made = MAKING.contains(&verb) && is_object;
        if is_moved_to || is_changed || is_made {
            effects.write(name);
        }
        let is_replaced = is_moved_to && !ADDING.contains(&verb);
        if !is_made && !is_replaced {
            effects.read(name);
        }
    }
}

/// `… store it in $x`, `… as $x`, `Add $a to $x`: the variable is where something goes.
fn is_destination(lower: &str, at: usize) -> bool {
    let before = lower[..at].trim_end();
    let Some((sentence, word)) = before.rsplit_once(' ') else { return false };
    let has_verb = || sentence.split_whitespace().any(|word| MOVING.contains(&word));
    match word {
        "to" | "in" | "into" | "as" | "under" => has_verb(),
        _ => false,
    }
}

/// Which variables the answer to a question fills, and which the question only mentions.
pub(super) fn of_question(text: &str, effects: &mut Effects) -> Vec<String> {
    if !has_variables(text) {
        return Vec::new();
    }
    let lower = text.to_ascii_lowercase();
    let asked_for = lower.find(" for ").unwrap_or(text.len());
    let mut fills: Vec<String> = Vec::new();
    for (at, name) in positions(text) {
        let before = lower[..at].trim_end().rsplit(' ').next().unwrap_or_default();
        let is_asked =
            at > asked_for || matches!(before, "their" | "a" | "an" | "his" | "her" | "provide" | "enter");
        if is_asked || is_destination(&lower, at) {
            effects.write(name);
            if !fills.iter().any(|known| known == name) {
                fills.push(name.to_owned());
            }
        } else {
            effects.read(name);
        }
    }
    fills
}

/// The variables of words that are said as they are, with their paths: `$order.id`.
pub(super) fn paths(text: &str) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
    positions(text).filter_map(|(at, _)| variable_len(&text[at..]).map(|len| at..at + len))
}
