use std::collections::HashSet;

use super::reading::telling_terms;

/// What has been learned in this window, to see whether something is said twice.
#[derive(Default)]
pub(super) struct Seen(Vec<(String, HashSet<String>, bool)>);

impl Seen {
    /// The place of an earlier text in the same group that says the same; otherwise remembers this one.
    ///
    /// Texts are the same if they share nearly all telling words and both say do or both say don't.
    pub(super) fn earlier(&mut self, group: &str, text: &str) -> Option<usize> {
        let terms: HashSet<String> = telling_terms(text).into_iter().collect();
        let negative = is_negative(text);
        let same = |(other_group, other, other_negative): &(String, HashSet<String>, bool)| {
            let shared = terms.intersection(other).count();
            other_group == group
                && negative == *other_negative
                && shared * 5 >= terms.union(other).count() * 4
        };
        let earlier = self.0.iter().position(same);
        if earlier.is_none() {
            self.0.push((group.to_owned(), terms, negative));
        }
        earlier
    }
}

pub(crate) fn is_negative(text: &str) -> bool {
    let negative = |lower: &str| {
        lower.ends_with("n't") || matches!(lower, "not" | "no" | "never" | "cannot" | "without")
    };
    super::text::words(text).iter().any(|word| negative(&word.lower))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_in_other_words_order_is_a_duplicate_and_the_opposite_is_not() {
        let mut seen = Seen::default();
        assert_eq!(seen.earlier("a", "Always answer in French."), None);
        assert_eq!(seen.earlier("a", "answer in French, always"), Some(0));
        assert_eq!(seen.earlier("a", "Do not always answer in French."), None);
        assert_eq!(seen.earlier("b", "Always answer in French."), None);
        assert_eq!(seen.earlier("a", "Call the user Max."), None);
    }
}
