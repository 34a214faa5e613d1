use std::cmp::Ordering;

use reflexio_types::Speaker;

use super::question::Question;
use super::weights::{Weights, within};
use super::wording::Wording;

/// What is known about a row that may answer a question.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Candidate {
    pub wording: Wording,
    /// Between the row's vector and the question's (the best of them, if it has several); `None` without one.
    pub cosine: Option<f64>,
    pub speaker: Speaker,
    /// Whether the text is a standing request, see [`super::is_standing_request`].
    pub standing: bool,
    /// When it was said, in any unit.
    pub time: i64,
}

/// A score and what it is made of: the parts add up to it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Explained {
    pub score: f64,
    pub words: f64,
    pub context: f64,
    pub meaning: f64,
    pub speaker: f64,
    pub standing: f64,
    pub recency: f64,
}

/// Scores each candidate, in the order given.
///
/// A candidate without a vector is taken to mean as much as the others on average: it was not embedded yet,
/// which says nothing about it. Without any vectors only words count.
pub fn fuse(question: &Question, candidates: &[Candidate], weights: &Weights) -> Vec<Explained> {
    let unknown = average(candidates.iter().filter_map(|candidate| candidate.cosine.map(cosine)));
    let newest = candidates.iter().map(|candidate| candidate.time).max().unwrap_or_default();
    candidates
        .iter()
        .map(|candidate| {
            Explained {
                score: 0.0,
                words: bounded(candidate.wording.own),
                context: bounded(candidate.wording.context),
                meaning: bounded(weights.meaning * candidate.cosine.map_or(unknown, cosine)),
                speaker: speaker(question, candidate.speaker, weights),
                standing: standing(candidate, weights),
                recency: recency(newest, candidate.time, weights),
            }
            .summed()
        })
        .collect()
}

/// Indices of the best, best first; among equals the newest, then the first given.
pub fn best(candidates: &[Candidate], scores: &[Explained], limit: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..candidates.len().min(scores.len())).collect();
    order.sort_by(|&a, &b| match scores[b].score.total_cmp(&scores[a].score) {
        Ordering::Equal => candidates[b].time.cmp(&candidates[a].time).then(a.cmp(&b)),
        unequal @ (Ordering::Less | Ordering::Greater) => unequal,
    });
    order.truncate(limit);
    order
}

impl Explained {
    fn summed(self) -> Self {
        let score = self.words + self.context + self.meaning + self.speaker + self.standing + self.recency;
        Self { score, ..self }
    }
}

fn speaker(question: &Question, speaker: Speaker, weights: &Weights) -> f64 {
    match speaker {
        Speaker::Assistant if question.is_about_asker() => bounded(-weights.assistant),
        Speaker::Assistant | Speaker::User | Speaker::Other => 0.0,
    }
}

fn standing(candidate: &Candidate, weights: &Weights) -> f64 {
    if candidate.standing && candidate.speaker == Speaker::User { bounded(weights.standing) } else { 0.0 }
}

fn recency(newest: i64, time: i64, weights: &Weights) -> f64 {
    if weights.recency == 0.0 {
        return 0.0;
    }
    let age = newest.saturating_sub(time) as f64;
    bounded(weights.recency * (-age / within(weights.half_life, f64::EPSILON, f64::MAX)).exp2())
}

fn average(values: impl Iterator<Item = f64>) -> f64 {
    let (number, total) = values.fold((0u32, 0.0), |(number, total), value| (number + 1, total + value));
    if number == 0 { 0.0 } else { total / f64::from(number) }
}

fn cosine(value: f64) -> f64 {
    within(value, -1.0, 1.0)
}

/// No single part may be so large that it drowns the others in rounding, or is no number at all.
fn bounded(value: f64) -> f64 {
    const MOST: f64 = 1e9;
    within(value, -MOST, MOST)
}
