use std::collections::BTreeSet;

use reflexio_vectors::dot;

use super::Statement;

/// So many telling words of its own make a text another text.
const MANY_WORDS: usize = 10;
const MANY_NUMBERS: usize = 3;

/// What the decision looks at; each from 0 to 1, the cosine from -1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Features {
    /// Nearness of the vectors, if both have one.
    pub cosine: Option<f64>,
    /// Share of common three-character pieces.
    pub trigrams: f64,
    /// Share of words that come in the same order.
    pub order: f64,
    /// The shorter length by the longer.
    pub length: f64,
    /// Telling words that only the one with more of them has.
    pub extra: f64,
    /// Numbers that only one of them has.
    pub numbers: f64,
}

impl Features {
    /// The same for both orders.
    pub fn of(a: &Statement, b: &Statement) -> Self {
        let (shorter, longer) = ordered(a.terms.len(), b.terms.len());
        let extra = only(&a.telling, &b.telling).max(only(&b.telling, &a.telling));
        let numbers = a.numbers.symmetric_difference(&b.numbers).count();
        Self {
            cosine: a.vector.as_deref().zip(b.vector.as_deref()).map(|(a, b)| f64::from(dot(a, b))),
            trigrams: share(&a.trigrams, &b.trigrams),
            order: ratio(2 * common_subsequence(&a.terms, &b.terms), shorter + longer),
            length: ratio(shorter, longer),
            extra: ratio(extra.min(MANY_WORDS), MANY_WORDS),
            numbers: ratio(numbers.min(MANY_NUMBERS), MANY_NUMBERS),
        }
    }
}

fn ordered(a: usize, b: usize) -> (usize, usize) {
    if a < b { (a, b) } else { (b, a) }
}

fn only<T: Ord>(a: &BTreeSet<T>, b: &BTreeSet<T>) -> usize {
    a.difference(b).count()
}

/// Texts without any of it agree in nothing.
fn share<T: Ord>(a: &BTreeSet<T>, b: &BTreeSet<T>) -> f64 {
    let common = a.intersection(b).count();
    ratio(common, a.len() + b.len() - common)
}

fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// The length of the longest run of terms that both have in the same order, other terms between them.
fn common_subsequence(a: &[String], b: &[String]) -> usize {
    let mut lengths = vec![0; b.len() + 1];
    for term in a {
        let mut diagonal = 0;
        let mut left = 0;
        for (other, above) in b.iter().zip(lengths.iter_mut().skip(1)) {
            let here = if term == other { diagonal + 1 } else { left.max(*above) };
            diagonal = *above;
            left = here;
            *above = here;
        }
    }
    lengths.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_common_subsequence_may_have_gaps() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let check =
            |a, b, expected| assert_eq!(common_subsequence(&words(a), &words(b)), expected, "{a} | {b}");
        check("a b c d", "a x c d", 3);
        check("a b c", "c b a", 1);
        check("a a", "a", 1);
        check("x", "y", 0);
    }
}
