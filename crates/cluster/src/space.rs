use std::collections::BTreeMap;

use reflexio_search::{is_stop_word, remembered_terms};
use reflexio_vectors::dot;
use serde::{Deserialize, Serialize};

use crate::item::{Error, Item, check, dimension};

/// The most common words have a place each, the others share one with a few; where there are only words, that disturbs more.
const WORD_PLACES: usize = 256;
const WORD_PLACES_ALONE: usize = 1024;
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
    /// Terms of at least two items: others never meet their like.
    words: BTreeMap<String, Word>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Word {
    /// How many items hold it.
    holding: f32,
    place: usize,
    /// 1 or -1: what shares a place cancels out as often as it adds up.
    sign: f32,
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
        let common: Vec<f32> = sum.into_iter().map(|sum| (sum * share) as f32).collect();
        let places = word_places(common.len());
        Ok(Self { common, items: total, words: words(holding, places) })
    }

    pub(crate) fn width(&self) -> usize {
        self.common.len() + word_places(self.common.len())
    }

    /// The place of an item; its length is 1, or less if it has words that nobody else has, or no vector.
    pub(crate) fn place(&self, item: &Item<'_>) -> Result<Vec<f32>, Error> {
        check(0, item.vector, self.common.len())?;
        let mut place = Vec::with_capacity(self.width());
        place.extend(item.vector.iter().zip(&self.common).map(|(value, common)| value - common));
        place.resize(self.common.len(), 0.0);
        let words = if self.common.is_empty() { 1.0 } else { WORDS };
        scale(&mut place, (1.0 - words).sqrt());
        place.extend(self.wording(item.text, words.sqrt()));
        Ok(place)
    }

    pub(crate) fn has_only_words(&self) -> bool {
        self.common.is_empty()
    }

    /// The words of a text and how much each says of it, each in a place of its own: the squares add up to 1. Words that nobody
    /// else has make the others weigh less, and are left out.
    pub(crate) fn exact_wording(&self, text: &str) -> Vec<(String, f32)> {
        let mut squares = 0f32;
        let mut kept = Vec::new();
        for term in distinct_terms(text) {
            let word = self.words.get(&term);
            let rarity = rarity(&term, self.items, word.map_or(1.0, |word| word.holding));
            squares += rarity * rarity;
            if word.is_some() {
                kept.push((term, rarity));
            }
        }
        let length = squares.sqrt().max(f32::EPSILON);
        kept.iter_mut().for_each(|(_, rarity)| *rarity /= length);
        kept
    }

    /// Words that nobody else has make the others weigh less, and are left out.
    fn wording(&self, text: &str, length: f32) -> Vec<f32> {
        let mut places = vec![0f32; word_places(self.common.len())];
        let mut squares = 0f32;
        for term in distinct_terms(text) {
            let word = self.words.get(&term);
            let rarity = rarity(&term, self.items, word.map_or(1.0, |word| word.holding));
            squares += rarity * rarity;
            if let Some((word, place)) = word.and_then(|word| Some((word, places.get_mut(word.place)?))) {
                *place += word.sign * rarity;
            }
        }
        // Words that share a place may add up to more than their length.
        let all = squares.max(dot(&places, &places)).sqrt();
        if all > f32::EPSILON {
            places.iter_mut().for_each(|value| *value *= length / all);
        }
        places
    }
}

fn rarity(term: &str, items: f32, holding: f32) -> f32 {
    let worth = if is_stop_word(term) { STOP_WORD } else { 1.0 };
    worth * (1.0 + items / holding.max(1.0)).ln()
}

fn word_places(dimension: usize) -> usize {
    if dimension == 0 { WORD_PLACES_ALONE } else { WORD_PLACES }
}

/// Places for the terms of at least two items.
fn words(holding: BTreeMap<String, f32>, places: usize) -> BTreeMap<String, Word> {
    let mut held: Vec<(String, f32)> = holding.into_iter().filter(|(_, held)| *held > 1.0).collect();
    held.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let word = |(at, (term, holding)): (usize, (String, f32))| {
        let hash = fnv(term.as_bytes());
        let shared = (hash as usize % places, if hash >> 32 & 1 == 0 { 1.0 } else { -1.0 });
        let (place, sign) = if at < places { (at, 1.0) } else { shared };
        (term, Word { holding, place, sign })
    };
    held.into_iter().enumerate().map(word).collect()
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
