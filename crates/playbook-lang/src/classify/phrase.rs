//! Comparisons people write in words: `$name is empty`, `$cart_total exceeds 100`.

use super::after;
use crate::lexer;
use crate::name;

/// More comparisons than this in one sentence are for the model.
const MAX_JOINED: usize = 4;

/// After `is`: words that stand alone.
const STATES: &[(&str, &str)] = &[
    ("not empty", " not in (None, \"\", [], {})"),
    ("not blank", " not in (None, \"\", [], {})"),
    ("not provided", " in (None, \"\")"),
    ("not set", " in (None, \"\")"),
    ("not given", " in (None, \"\")"),
    ("not known", " in (None, \"\")"),
    ("not negative", " >= 0"),
    ("not zero", " != 0"),
    ("not true", " is not True"),
    ("not false", " is not False"),
    ("negative", " < 0"),
    ("positive", " > 0"),
    ("zero", " == 0"),
    ("empty", " in (None, \"\", [], {})"),
    ("blank", " in (None, \"\", [], {})"),
    ("missing", " in (None, \"\")"),
    ("unknown", " in (None, \"\")"),
    ("unset", " in (None, \"\")"),
    ("null", " is None"),
    ("none", " is None"),
    ("provided", " not in (None, \"\")"),
    ("given", " not in (None, \"\")"),
    ("set", " not in (None, \"\")"),
    ("known", " not in (None, \"\")"),
    ("true", " is True"),
    ("false", " is False"),
];

/// After `is`: words that compare with what follows. Longer ones first.
const COMPARISONS: &[(&str, &str)] = &[
    ("greater than or equal to", ">="),
    ("more than or equal to", ">="),
    ("less than or equal to", "<="),
    ("no less than", ">="),
    ("no more than", "<="),
    ("not equal to", "!="),
    ("different from", "!="),
    ("not one of", "not in"),
    ("not in", "not in"),
    ("greater than", ">"),
    ("more than", ">"),
    ("larger than", ">"),
    ("bigger than", ">"),
    ("higher than", ">"),
    ("less than", "<"),
    ("fewer than", "<"),
    ("lower than", "<"),
    ("smaller than", "<"),
    ("at least", ">="),
    ("at most", "<="),
    ("equal to", "=="),
    ("the same as", "=="),
    ("one of", "in"),
    ("above", ">"),
    ("over", ">"),
    ("below", "<"),
    ("under", "<"),
    ("in", "in"),
    ("not", "!="),
    ("", "=="),
];

/// Verbs that compare by themselves.
const VERBS: &[(&str, &str)] = &[
    ("exceeds", ">"),
    ("surpasses", ">"),
    ("rises above", ">"),
    ("goes above", ">"),
    ("goes over", ">"),
    ("drops below", "<"),
    ("falls below", "<"),
    ("goes below", "<"),
    ("reaches", ">="),
    ("equals", "=="),
    ("does not equal", "!="),
];

/// The phrase as a Python expression, if it has one meaning.
pub(super) fn to_python(text: &str) -> Option<String> {
    if !text.contains('$') || places(text, " and ").len() + places(text, " or ").len() > MAX_JOINED {
        return None;
    }
    if let Some(python) = comparison(text.trim()) {
        return Some(python);
    }
    // "greater than or equal to" holds an "or" that joins nothing: every place is tried.
    [(" or ", "or"), (" and ", "and")].into_iter().find_map(|(word, operator)| {
        places(text, word).into_iter().find_map(|at| {
            let (left, right) = (either(&text[..at])?, either(&text[at + word.len()..])?);
            Some(format!("({left}) {operator} ({right})"))
        })
    })
}

/// One side of `and` may already be Python.
fn either(text: &str) -> Option<String> {
    to_python(text).or_else(|| {
        let uses = crate::expr::parse(text).ok()?;
        uses.names.iter().all(|used| used.has_dollar || used.is_callee).then(|| text.trim().to_owned())
    })
}

fn comparison(text: &str) -> Option<String> {
    let (subject, rest) = subject(text)?;
    if after(rest, "exists") == Some("") {
        return Some(format!("{subject} is not None"));
    }
    if after(rest, "does not exist") == Some("") {
        return Some(format!("{subject} is None"));
    }
    for (verb, operator) in VERBS {
        if let Some(value) = after(rest, verb) {
            return Some(format!("{subject} {operator} {}", operand(value)?));
        }
    }
    if let Some(value) = after(rest, "contains") {
        return Some(format!("{} in {subject}", operand(value)?));
    }
    let copula =
        ["is", "becomes", "gets", "turns", "goes", "are"].iter().find_map(|verb| after(rest, verb))?;
    let state = copula.trim_end_matches('.');
    if let Some((_, python)) = STATES.iter().find(|(words, _)| words.eq_ignore_ascii_case(state)) {
        return Some(format!("{subject}{python}"));
    }
    COMPARISONS.iter().find_map(|(words, operator)| {
        let value = if words.is_empty() { Some(copula) } else { after(copula, words) };
        Some(format!("{subject} {operator} {}", operand(value?)?))
    })
}

/// `$order.lines[0]` at the beginning of a text, and the rest.
fn subject(text: &str) -> Option<(&str, &str)> {
    let len = variable_len(text)?;
    Some((&text[..len], text[len..].trim_start())).filter(|(_, rest)| !rest.is_empty())
}

/// The length of `$name`, `$name.part` or `$name["key"]` at the beginning of a text.
pub(super) fn variable_len(text: &str) -> Option<usize> {
    let len = name::identifier_len(text.strip_prefix('$')?);
    let mut at = 1 + len;
    if len == 0 {
        return None;
    }
    loop {
        let rest = &text[at..];
        if let Some(inner) = rest.strip_prefix('.') {
            match name::identifier_len(inner) {
                0 => return Some(at),
                len => at += 1 + len,
            }
        } else if let Some(inner) = rest.strip_prefix('[') {
            let Some(close) = lexer::find(inner, |_, byte| byte == b']') else { return Some(at) };
            at += close + 2;
        } else {
            return Some(at);
        }
    }
}

/// A number, a text in quotes, a variable: something that is surely a value.
fn operand(text: &str) -> Option<&str> {
    let text = text.trim().trim_end_matches('.');
    let uses = crate::expr::parse(text).ok()?;
    let is_value =
        uses.literal.is_some() || (!uses.names.is_empty() && uses.names.iter().all(|used| used.has_dollar));
    is_value.then_some(text)
}

/// Where a word stands outside of brackets and strings. Long sentences are no phrases.
fn places(text: &str, word: &str) -> Vec<usize> {
    let mut found = Vec::new();
    lexer::walk(text, 0, |at, _, depth| {
        if depth == 0 && text.as_bytes()[at..].starts_with(word.as_bytes()) {
            found.push(at);
        }
        found.len() > MAX_JOINED
    });
    found
}
