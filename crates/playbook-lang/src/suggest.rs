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
    let wanted_letters = letters(&wanted_key);
    candidates
        .into_iter()
        .filter(|candidate| *candidate != wanted)
        .filter_map(|candidate| {
            let key = name::key(candidate);
            // Most names are far away, and letters are counted in no time.
            if at_least(&wanted_letters, &letters(&key)) > limit {
                return None;
            }
            Some((strsim::damerau_levenshtein(&wanted_key, &key), candidate))
        })
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, candidate)| candidate)
}

/// How often letters occur, those that share a place together.
fn letters(key: &str) -> [i32; 32] {
    let mut counts = [0; 32];
    for letter in key.chars() {
        counts[letter as usize % 32] += 1;
    }
    counts
}

/// What the distance of two names cannot be below: a replaced letter changes two counts, any other slip fewer.
fn at_least(one: &[i32; 32], two: &[i32; 32]) -> usize {
    let differences: u32 = one.iter().zip(two).map(|(one, two)| one.abs_diff(*two)).sum();
    differences as usize / 2
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

    #[test]
    fn counting_letters_rules_out_no_name_that_is_near() {
        let words =
            ["order", "oredr", "orders", "border", "odr", "Ordnung", "order_id", "ordre2", "würde", "ORDER"];
        for one in words {
            for two in words {
                let (one, two) = (crate::name::key(one), crate::name::key(two));
                let distance = strsim::damerau_levenshtein(&one, &two);
                assert!(
                    super::at_least(&super::letters(&one), &super::letters(&two)) <= distance,
                    "{one} {two}"
                );
            }
        }
    }
}
