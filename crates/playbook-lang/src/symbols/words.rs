//! Names in prose: `$variables`, and words that can only be meant as the name of a playbook.

use std::ops::Range;

use crate::name;

/// Every `$name` of a text, as the range of the name.
pub(super) fn dollars(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    memchr::memchr_iter(b'$', text.as_bytes()).filter_map(|at| {
        let len = name::identifier_len(&text[at + 1..]);
        (len > 0).then(|| at + 1..at + 1 + len)
    })
}

/// Every word of letters, digits, `_` and dots between them, that is not a variable.
pub(super) fn dotted(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = text.get(at..)?;
            let skip = rest.find(|char: char| char.is_alphanumeric() || char == '_')?;
            let start = at + skip;
            let is_variable = text[..start].ends_with('$');
            let mut end = start + word_len(&text[start..]);
            while text[end..].starts_with('.') && word_len(&text[end + 1..]) > 0 && !is_variable {
                end += 1 + word_len(&text[end + 1..]);
            }
            at = end;
            if !is_variable {
                return Some(start..end);
            }
        }
    })
}

fn word_len(text: &str) -> usize {
    text.find(|char: char| !(char.is_alphanumeric() || char == '_')).unwrap_or(text.len())
}

/// Whether a word is a name and not just a word: `GetOrderStatus`, `get_status`, but not `Greet`.
pub(super) fn is_distinctive(word: &str) -> bool {
    name::is_identifier(word)
        && (word.contains('_') || word.chars().skip(1).any(char::is_uppercase))
        && word.chars().any(char::is_lowercase)
}

/// The places where a text holds a word as a whole.
pub(super) fn whole<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
    let is_part = |char: char| char.is_alphanumeric() || char == '_';
    text.match_indices(word).filter_map(move |(at, _)| {
        let end = at + word.len();
        let is_whole = !text[..at].ends_with(is_part) && !text[end..].starts_with(is_part);
        (is_whole && !word.is_empty()).then_some(at..end)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_and_names_are_told_apart() {
        let text = "Ask $user for Accountant.CalculateTax, then $a.b. Done";
        let cut =
            |ranges: Vec<Range<usize>>| ranges.into_iter().map(|range| &text[range]).collect::<Vec<_>>();
        assert_eq!(cut(dollars(text).collect()), ["user", "a"]);
        assert_eq!(
            cut(dotted(text).collect()),
            ["Ask", "for", "Accountant.CalculateTax", "then", "b", "Done"]
        );
        assert!(is_distinctive("GetOrderStatus") && is_distinctive("get_status"));
        assert!(!is_distinctive("Greet") && !is_distinctive("USA") && !is_distinctive("9Ab"));
        assert_eq!(whole("GetX getX GetX2 GetX", "GetX").collect::<Vec<_>>(), [0..4, 16..20]);
    }
}
