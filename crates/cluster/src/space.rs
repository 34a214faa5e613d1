use std::collections::BTreeMap;

use reflexio_search::{is_stop_word, remembered_terms};
use reflexio_vectors::dot;
use serde::{Deserialize, Serialize};

use crate::item::{Error, Item, check, dimension};

/// Words are hashed into so many places; two words share one rarely enough.
const WORD_PLACES: usize = 256;
/// How much words count beside meaning: items without a common word have to be so much nearer in meaning.
const WORDS: f32 = 0.15;
/// How much of what all items have in common is taken away. In a corpus about one thing everything is near everything;
/// taking all of it away would leave noise where there is only one topic.
const COMMON: f32 = 0.5;
const STOP_WORD: f32 = 0.2;

/// Where items are compared: meaning without what all have in common, and rare words, as one vector whose inner
/// product is the similarity. Fitted to a corpus once, then any item has its place in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Space {
    /// The part of the mean that is taken away.
    common: Vec<f32>,
    items: f32,
    /// How many items hold a term; those of a single item are left out.
    holding: BTreeMap<String, f32>,
}

impl Space {
    /// `weights` has one weight per item.
    pub(crate) fn fit(items: &[Item<'_>], weights: &[f32]) -> Result<Self, Error> {
        let mut sum = vec![0f64; dimension(items)?];
        let mut holding = BTreeMap::new();
        for (item, &weight) in items.iter().zip(weights) {
            for (sum, value) in sum.iter_mut().zip(item.vector) {
                *sum += f64::from(weight * value);
            }
            for term in distinct_terms(item.text) {
                *holding.entry(term).or_insert(0f32) += weight;
            }
        }
        let total: f32 = weights.iter().sum();
        let share = f64::from(COMMON / total.max(1.0));
        holding.retain(|_, held| *held > 1.0);
        Ok(Self { common: sum.into_iter().map(|sum| (sum * share) as f32).collect(), items: total, holding })
    }

    pub(crate) fn width(&self) -> usize {
        self.common.len() + WORD_PLACES
    }

    /// The place of an item; its length is 1, or less if it has no words or no vector.
    pub(crate) fn place(&self, item: &Item<'_>) -> Result<Vec<f32>, Error> {
        check(0, item.vector, self.common.len())?;
        let mut place = Vec::with_capacity(self.width());
        place.extend(item.vector.iter().zip(&self.common).map(|(value, common)| value - common));
        place.resize(self.common.len(), 0.0);
        let words = if self.common.is_empty() { 1.0 } else { WORDS };
        scale(&mut place, (1.0 - words).sqrt());
        let mut wording = self.wording(item.text);
        scale(&mut wording, words.sqrt());
        place.extend(wording);
        Ok(place)
    }

    fn wording(&self, text: &str) -> Vec<f32> {
        let mut places = vec![0f32; WORD_PLACES];
        for term in distinct_terms(text) {
            let hash = fnv(term.as_bytes());
            let sign = if hash >> 32 & 1 == 0 { 1.0 } else { -1.0 };
            if let Some(place) = places.get_mut(hash as usize % WORD_PLACES) {
                *place += sign * self.rarity(&term);
            }
        }
        places
    }

    fn rarity(&self, term: &str) -> f32 {
        let holding = self.holding.get(term).copied().unwrap_or(1.0).max(1.0);
        let worth = if is_stop_word(term) { STOP_WORD } else { 1.0 };
        worth * (1.0 + self.items / holding).ln()
    }
}

fn distinct_terms(text: &str) -> Vec<String> {
    let mut terms = remembered_terms(text);
    terms.sort_unstable();
    terms.dedup();
    terms
}

/// To a length, unless there is nothing.
fn scale(vector: &mut [f32], length: f32) {
    let now = dot(vector, vector).sqrt();
    if now > f32::EPSILON {
        vector.iter_mut().for_each(|value| *value *= length / now);
    } else {
        vector.fill(0.0);
    }
}

/// FNV-1a with a final mix: the same on every machine and in every version.
pub(crate) fn fnv(bytes: &[u8]) -> u64 {
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325u64, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash ^ (hash >> 33)
}
