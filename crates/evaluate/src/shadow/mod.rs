//! Which of two answers served the user better: the one that was given, or the alternative that was not shown.
//!
//! [`Judge`] asks a model, one call for one turn: a later turn of the same request shows which answer was given, so a
//! judge that sees several is not blind. [`by_expert`] decides without a model where an expert's answer is the measure.

mod answer;
mod builtin;
mod judge;

use reflexio_types::{AnswerOrder, InteractionId, OrgId, RegularVsShadow, ShadowComparisonBody, Turn};

pub use builtin::{JUDGED_BY, by_expert};
pub use judge::{Judge, PROMPTS, Policy};

/// Turns before an answer that a judge sees.
pub const TURNS_BEFORE: usize = 12;

/// One turn with two answers, and what helps to judge them.
#[derive(Debug, Clone)]
pub struct Question<'a> {
    /// The latest turns of the session before it, oldest first.
    pub before: Vec<&'a Turn>,
    /// The turn that has both answers.
    pub turn: &'a Turn,
    /// What the user said after it.
    pub reaction: Option<&'a Turn>,
}

/// What a judge found.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    pub verdict: RegularVsShadow,
    pub body: ShadowComparisonBody,
}

/// In which order a judge sees the answers of a turn: as good as random over many turns, and the same whenever the same
/// turn is judged, so that a retry asks the same question.
pub fn order(org: &OrgId, turn: InteractionId) -> AnswerOrder {
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"shadow-comparison");
    hasher.update(&(org.as_str().len() as u64).to_le_bytes());
    hasher.update(org.as_str().as_bytes());
    hasher.update(&turn.0.to_le_bytes());
    match hasher.finalize().as_bytes()[0] & 1 {
        0 => AnswerOrder::RegularFirst,
        _ => AnswerOrder::ShadowFirst,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_order_comes_about_as_often_and_stays() {
        let org = OrgId::new("acme");
        let first = |id: i64| order(&org, InteractionId(id)) == AnswerOrder::ShadowFirst;
        let count = (0..10_000).filter(|id| first(*id)).count();
        assert!((4_800..5_200).contains(&count), "{count}");
        assert!((0..100).all(|id| first(id) == first(id)));
        let other = OrgId::new("other");
        assert!(
            (0..100).any(|id| first(id) != (order(&other, InteractionId(id)) == AnswerOrder::ShadowFirst))
        );
    }
}
