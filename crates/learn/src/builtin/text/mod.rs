//! From a turn's text to sentences and words, and back to text about the user.

mod abstraction;
mod language_forms;
mod person;
mod prose;
mod sentences;
mod words;

pub(super) use abstraction::generalise;
pub(super) use language_forms::base_form;
pub(super) use person::{Voice, retell};
pub(super) use prose::prose;
pub(super) use sentences::sentences;
pub(super) use words::{Word, span, words};

/// The text with a capital first letter and a full stop, unless it ends in punctuation of its own.
pub(super) fn as_sentence(text: &str) -> String {
    let text = text.trim().trim_end_matches([',', ';', ':', '-', '–', '—', ' ']);
    let mut sentence = capitalised(text);
    if !sentence.is_empty() && !sentence.ends_with(['.', '!', '?', '…', '。', '！', '？']) {
        sentence.push('.');
    }
    sentence
}

/// The text with a capital first letter; a word like `git_push` or `npm` at the start of code is left alone.
pub(super) fn capitalised(text: &str) -> String {
    let first_word = text.split_whitespace().next().unwrap_or_default();
    if first_word.contains(['_', '`', '(', '/']) {
        return text.to_owned();
    }
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// At most `longest` characters, cut between words, with a sign that something is missing.
pub(super) fn shortened(text: &str, longest: usize) -> String {
    let text = text.trim();
    let Some((cut, _)) = text.char_indices().nth(longest) else { return text.to_owned() };
    let head = text.get(..cut).unwrap_or(text);
    let whole_words = head.rfind(char::is_whitespace).and_then(|at| head.get(..at)).unwrap_or(head);
    format!("{} …", whole_words.trim_end())
}
