//! "Did you mean …": the nearest known name, if it is near enough to be a slip of the hand.

use crate::name;

/// The candidate with the smallest edit distance; names that differ in case or separators only come first.
#[must_use]
pub fn nearest<'a>(wanted: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted_key = name::key(wanted);
    let limit = match wanted_key.chars().count() {
        0..=2 => 0,
        3..=5 => 1,
        6..=10 => 2,
        _ => 3,
    };
    candidates
        .into_iter()
        .filter(|candidate| *candidate != wanted)
        .map(|candidate| (strsim::damerau_levenshtein(&wanted_key, &name::key(candidate)), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_slip_is_found_and_a_different_word_is_not() {
        assert_eq!(nearest("Trigers", ["Triggers", "Steps"]), Some("Triggers"));
        assert_eq!(nearest("check_order", ["CheckOrder"]), Some("CheckOrder"));
        assert_eq!(nearest("Background", ["Triggers", "Steps", "Notes"]), None);
    }
}
