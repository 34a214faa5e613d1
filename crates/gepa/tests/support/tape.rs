//! Draws from a recording, each checked against what was drawn from.

use gepa::Random;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A recorded run's draws. The first difference is kept; after it the tape only keeps the engine going.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tape {
    draws: Vec<Value>,
    at: usize,
    pub difference: Option<String>,
}

impl Tape {
    pub fn new(draws: Vec<Value>) -> Self {
        Self { draws, at: 0, difference: None }
    }

    pub fn used_up(&self) -> bool {
        self.at == self.draws.len()
    }

    /// The last entry of the next draw, if everything before it is as given.
    fn take(&mut self, given: &Value) -> Option<Value> {
        let mut wanted = self.draws.get(self.at).and_then(Value::as_array).cloned().unwrap_or_default();
        let drawn = wanted.pop();
        self.at += 1;
        if Value::Array(wanted.clone()) == *given && self.difference.is_none() {
            return drawn;
        }
        self.difference.get_or_insert_with(|| {
            format!("draw {}: recorded {} but asked {given}", self.at, Value::Array(wanted))
        });
        None
    }

    fn list(&mut self, given: &Value) -> Option<Vec<usize>> {
        self.take(given).and_then(|drawn| serde_json::from_value(drawn).ok())
    }
}

fn sorted(from: &[usize]) -> Vec<usize> {
    let mut sorted = from.to_vec();
    sorted.sort_unstable();
    sorted
}

impl Random for Tape {
    fn choice(&mut self, from: &[usize]) -> usize {
        let drawn = self.take(&json!(["choice", sorted(from)])).and_then(|drawn| drawn.as_u64());
        drawn.map_or(from[0], |drawn| drawn as usize)
    }
    fn shuffle(&mut self, items: Vec<usize>) -> Vec<usize> {
        self.list(&json!(["shuffle", items])).unwrap_or(items)
    }
    fn sample(&mut self, from: &[usize], count: usize) -> Vec<usize> {
        self.list(&json!(["sample", sorted(from), count])).unwrap_or_else(|| from[..count].to_vec())
    }
    fn weighted(&mut self, from: &[usize], weights: &[f64]) -> usize {
        let pairs: Vec<(usize, f64)> = from.iter().copied().zip(weights.iter().copied()).collect();
        self.list(&json!(["choices", pairs, 1])).map_or(from[0], |drawn| drawn[0])
    }
    fn with_replacement(&mut self, from: &[usize], count: usize) -> Vec<usize> {
        self.list(&json!(["choices", sorted(from), count])).unwrap_or_else(|| vec![from[0]; count])
    }
    fn unit(&mut self) -> f64 {
        self.take(&json!(["random"])).and_then(|drawn| drawn.as_f64()).unwrap_or(0.5)
    }
    fn up_to(&mut self, highest: usize) -> usize {
        self.take(&json!(["randint", 0, highest])).and_then(|drawn| drawn.as_u64()).unwrap_or(0) as usize
    }
}
