use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard};

use async_trait::async_trait;

use crate::embedder::{Embedder, Priority};
use crate::error::Result;

/// Longer texts are not remembered: nobody types them twice.
const LONGEST_TEXT: usize = 2_000;

/// Remembers the vectors of recent searches; backfill passes by.
pub struct QueryCache {
    inner: Arc<dyn Embedder>,
    recent: Mutex<Recent>,
}

impl QueryCache {
    /// Keeps the `capacity` most recently used texts.
    pub fn new(inner: Arc<dyn Embedder>, capacity: usize) -> Self {
        Self { inner, recent: Mutex::new(Recent { capacity, ..Recent::default() }) }
    }

    fn recent(&self) -> MutexGuard<'_, Recent> {
        self.recent.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

#[async_trait]
impl Embedder for QueryCache {
    fn id(&self) -> &str {
        self.inner.id()
    }

    fn dimension(&self) -> usize {
        self.inner.dimension()
    }

    async fn embed(&self, texts: &[String], priority: Priority) -> Result<Vec<Vec<f32>>> {
        if priority == Priority::Backfill {
            return self.inner.embed(texts, priority).await;
        }
        let mut vectors: Vec<Option<Vec<f32>>> = {
            let mut recent = self.recent();
            texts.iter().map(|text| recent.get(text)).collect()
        };
        let missing: Vec<String> = texts
            .iter()
            .zip(&vectors)
            .filter(|(_, found)| found.is_none())
            .map(|(text, _)| text.clone())
            .collect();
        if !missing.is_empty() {
            let made = self.inner.embed(&missing, priority).await?;
            let mut recent = self.recent();
            let places = vectors.iter_mut().filter(|found| found.is_none());
            for ((place, text), vector) in places.zip(missing).zip(made) {
                recent.put(text, vector.clone());
                *place = Some(vector);
            }
        }
        Ok(vectors.into_iter().flatten().collect())
    }
}

/// The least recently used entry is the one with the smallest tick.
#[derive(Default)]
struct Recent {
    capacity: usize,
    tick: u64,
    entries: HashMap<Arc<str>, (u64, Vec<f32>)>,
    order: BTreeMap<u64, Arc<str>>,
}

impl Recent {
    fn get(&mut self, text: &str) -> Option<Vec<f32>> {
        self.tick += 1;
        let (tick, vector) = self.entries.get_mut(text)?;
        if let Some(key) = self.order.remove(tick) {
            self.order.insert(self.tick, key);
        }
        *tick = self.tick;
        Some(vector.clone())
    }

    fn put(&mut self, text: String, vector: Vec<f32>) {
        if text.len() > LONGEST_TEXT || self.capacity == 0 {
            return;
        }
        self.tick += 1;
        let key: Arc<str> = text.into();
        if let Some((tick, _)) = self.entries.insert(Arc::clone(&key), (self.tick, vector)) {
            self.order.remove(&tick);
        }
        self.order.insert(self.tick, key);
        while self.entries.len() > self.capacity
            && let Some((_, oldest)) = self.order.pop_first()
        {
            self.entries.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_cache_holds_exactly_the_most_recently_used(
            uses in prop::collection::vec(0u8..12, 1..200), capacity in 0usize..6
        ) {
            let mut recent = Recent { capacity, ..Recent::default() };
            let mut model: Vec<u8> = Vec::new();
            for used in uses {
                let text = used.to_string();
                let expected = model.contains(&used);
                let found = recent.get(&text);
                prop_assert_eq!(found.is_some(), expected);
                prop_assert!(found.is_none_or(|vector| vector == [f32::from(used)]));
                if !expected {
                    recent.put(text, vec![f32::from(used)]);
                }
                model.retain(|other| *other != used);
                model.push(used);
                model.drain(..model.len().saturating_sub(capacity));
                prop_assert_eq!(recent.entries.len(), model.len());
                prop_assert_eq!(recent.order.len(), model.len());
            }
        }
    }
}
