use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::item::Item;

/// Items that say exactly the same, as one. The order depends on what items say, not on the order they came in.
#[derive(Debug)]
pub(super) struct Distinct {
    /// Which of the given items they are, ascending; never empty.
    pub(super) rows: Vec<usize>,
    pub(super) weight: f32,
    /// Numbers of their groups, ascending.
    pub(super) groups: Vec<u32>,
}

pub(super) fn distinct(items: &[Item<'_>], weights: &[f32]) -> Vec<Distinct> {
    let mut order: Vec<usize> = (0..items.len()).collect();
    let of = |row: usize| items.get(row).copied().unwrap_or_default();
    order.sort_by(|&a, &b| compare(&of(a), &of(b)).then(a.cmp(&b)));
    let numbers = group_numbers(items);
    order
        .chunk_by(|&a, &b| compare(&of(a), &of(b)).is_eq())
        .map(|rows| {
            let mut groups: Vec<u32> =
                rows.iter().filter_map(|&row| numbers.get(&of(row).group).copied()).collect();
            groups.sort_unstable();
            groups.dedup();
            let weight = rows.iter().filter_map(|&row| weights.get(row)).sum();
            Distinct { rows: rows.to_vec(), weight, groups }
        })
        .collect()
}

/// Texts first: vectors are longer and decide only between equal texts.
fn compare(a: &Item<'_>, b: &Item<'_>) -> Ordering {
    let bits = |value: &f32| value.to_bits();
    let by_words = a.text.cmp(b.text).then_with(|| a.instruction.cmp(b.instruction));
    by_words.then_with(|| a.vector.iter().map(bits).cmp(b.vector.iter().map(bits)))
}

fn group_numbers<'a>(items: &[Item<'a>]) -> BTreeMap<Option<&'a str>, u32> {
    let mut numbers: BTreeMap<Option<&str>, u32> = items.iter().map(|item| (item.group, 0)).collect();
    for (next, number) in numbers.values_mut().enumerate() {
        *number = next as u32;
    }
    numbers
}

/// One weight per item. The items of one group weigh together at most as much as all others: a user who wrote nine of
/// ten rows has half a say in what is common, how rare a word is, and how near clusters are.
pub(super) fn weights(items: &[Item<'_>]) -> Vec<f32> {
    let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
    for group in items.iter().filter_map(|item| item.group) {
        *sizes.entry(group).or_insert(0) += 1;
    }
    let weight = |group: Option<&str>| {
        let own = group.and_then(|group| sizes.get(group).copied()).unwrap_or(0);
        let others = items.len() - own;
        if own > others && others > 0 { others as f32 / own as f32 } else { 1.0 }
    };
    items.iter().map(|item| weight(item.group)).collect()
}
