use std::collections::BTreeMap;

use crate::item::Item;
use crate::space::Space;

/// How alike items are that have nothing but words: the mean similarity of two of them, from 0 to 1. In a [`Space`] rare words
/// share places, so that among thousands of items some seem alike that have no word in common; here each word is itself.
pub(super) fn likeness<'a>(space: &Space, items: impl Iterator<Item = (&'a Item<'a>, f32)>) -> f32 {
    let mut sum: BTreeMap<String, f32> = BTreeMap::new();
    let (mut own, mut total, mut alone) = (0f32, 0f32, 0f32);
    for (item, weight) in items {
        for (term, worth) in space.exact_wording(item.text) {
            own += (weight * worth).powi(2);
            *sum.entry(term).or_insert(0.0) += weight * worth;
        }
        total += weight;
        alone += weight * weight;
    }
    let pairs = total * total - alone;
    let all: f32 = sum.values().map(|value| value * value).sum();
    if pairs > f32::EPSILON { (all - own) / pairs } else { 1.0 }
}
