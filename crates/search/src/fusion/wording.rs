use std::collections::HashMap;

use super::document::{Counts, Document, Place};
use super::question::Question;
use super::weights::{Weights, within};

/// No weight in use is near it; beyond it sums would lose their small parts.
const MOST: f64 = 1e6;
/// No store holds more.
const MOST_ROWS: f64 = 1e15;

/// How well the words of a row, and of the turns around it, answer a question.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Wording {
    /// What its best passage says by itself.
    pub own: f64,
    /// What the turns around it add: a short answer has its words in the question before it.
    pub context: f64,
}

/// How rare the words of a question are among all rows that could have been found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Rarity {
    /// How many rows there are.
    pub rows: f64,
    /// How many of them hold each of [`Question::terms`], in their order.
    pub holding: Vec<f64>,
}

impl Rarity {
    /// Counted in the documents given.
    fn among(question: &Question, documents: &[Document]) -> Self {
        let mut holding = vec![0.0; question.times().len()];
        for (term, _) in documents.iter().flat_map(|document| &document.whole.terms) {
            if let Some(rows) = holding.get_mut(*term) {
                *rows += 1.0;
            }
        }
        Self { rows: documents.len() as f64, holding }
    }
}

/// Scores each document; neighbours are looked up among them, and so is the rarity of words if it is not known. The
/// documents must have been read with this question.
///
/// Context counts per word, before repetition is damped: a word that the turn itself says gains little from
/// being said next to it, a word that only the neighbour says gains all of it.
pub fn wording(
    question: &Question,
    documents: &[Document],
    rarity: Option<&Rarity>,
    weights: &Weights,
) -> Vec<Wording> {
    let known = rarity.filter(|rarity| rarity.holding.len() == question.times().len()).cloned();
    let rarity = known.unwrap_or_else(|| Rarity::among(question, documents));
    let scorer = Scorer::new(question, documents, &rarity, weights);
    documents.iter().map(|document| scorer.score(document)).collect()
}

struct Scorer<'a> {
    documents: &'a [Document],
    places: HashMap<Place, usize>,
    weights: &'a Weights,
    /// Rarity of each term times how often the question says it, over the root of their sum.
    worth: Vec<f64>,
    average_length: f64,
}

impl<'a> Scorer<'a> {
    fn new(question: &Question, documents: &'a [Document], rarity: &Rarity, weights: &'a Weights) -> Self {
        Self {
            documents,
            places: documents.iter().enumerate().map(|(at, document)| (document.place, at)).collect(),
            weights,
            worth: worth(question, rarity),
            average_length: average_length(documents),
        }
    }

    fn score(&self, document: &Document) -> Wording {
        let around = self.around(document);
        let mut best = Wording::default();
        let mut best_sum = 0.0;
        for passage in &document.passages {
            let found = self.passage(passage, &around);
            if found.own + found.context > best_sum {
                best_sum = found.own + found.context;
                best = found;
            }
        }
        best
    }

    /// How often the terms occur around it, nearer turns counting more; empty if nothing is there.
    fn around(&self, document: &Document) -> Vec<f64> {
        let Place { session, position } = document.place;
        let fading = within(self.weights.context_terms / document.whole.length.max(1) as f64, 0.0, 1.0);
        let mut around = Vec::new();
        for (distance, weight) in (1..).zip(self.weights.context) {
            let positions = [position.checked_sub(distance), position.checked_add(distance)];
            for position in positions.into_iter().flatten() {
                let Some(&at) = self.places.get(&Place { session, position }) else { continue };
                self.add_neighbour(
                    &self.documents[at].whole,
                    fading * within(weight, 0.0, MOST),
                    &mut around,
                );
            }
        }
        around
    }

    fn add_neighbour(&self, counts: &Counts, weight: f64, around: &mut Vec<f64>) {
        if !counts.terms.is_empty() {
            around.resize(self.worth.len(), 0.0);
        }
        for &(term, times) in &counts.terms {
            if let Some(around) = around.get_mut(term) {
                *around += weight * f64::from(times) / self.length_factor(counts.length);
            }
        }
    }

    fn passage(&self, passage: &Counts, around: &[f64]) -> Wording {
        let mut own = 0.0;
        let mut all: f64 =
            around.iter().zip(&self.worth).map(|(times, worth)| worth * self.damped(*times)).sum();
        for &(term, times) in &passage.terms {
            let times = f64::from(times) / self.length_factor(passage.length);
            let near = around.get(term).copied().unwrap_or_default();
            let worth = self.worth.get(term).copied().unwrap_or_default();
            own += worth * self.damped(times);
            all += worth * (self.damped(times + near) - self.damped(near));
        }
        Wording { own, context: (all - own).max(0.0) }
    }

    fn damped(&self, times: f64) -> f64 {
        let saturation = within(self.weights.saturation, 0.0, MOST);
        if times > 0.0 { times * (saturation + 1.0) / (times + saturation) } else { 0.0 }
    }

    fn length_factor(&self, length: usize) -> f64 {
        let penalty = within(self.weights.length, 0.0, 1.0);
        (1.0 - penalty + penalty * length as f64 / self.average_length).max(f64::EPSILON)
    }
}

/// What the words of the question could weigh at most together, as a root: what text scores are divided by.
pub fn information(question: &Question, rarity: &Rarity) -> f64 {
    weighed(question, rarity).iter().sum::<f64>().sqrt().max(f64::EPSILON)
}

fn worth(question: &Question, rarity: &Rarity) -> Vec<f64> {
    let information = information(question, rarity);
    weighed(question, rarity).into_iter().map(|weight| weight / information).collect()
}

/// Rarity of each term times how often the question says it.
fn weighed(question: &Question, rarity: &Rarity) -> Vec<f64> {
    let rows = within(rarity.rows, 0.0, MOST_ROWS);
    let weight = |holding: f64| (1.0 + (rows - holding + 0.5).max(0.5) / (holding + 0.5)).ln();
    let said = rarity.holding.iter().map(|holding| within(*holding, 0.0, rows)).zip(question.times());
    // A term that no row holds tells nothing about how much the others are worth.
    said.map(|(holding, times)| if holding > 0.0 { weight(holding) * f64::from(*times) } else { 0.0 })
        .collect()
}

fn average_length(documents: &[Document]) -> f64 {
    let lengths = documents.iter().flat_map(|document| &document.passages).map(|passage| passage.length);
    let (number, total) =
        lengths.fold((0usize, 0usize), |(number, total), length| (number + 1, total + length));
    (total as f64 / number.max(1) as f64).max(1.0)
}
