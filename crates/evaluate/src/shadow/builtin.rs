use reflexio_learn::builtin::Substance;
use reflexio_types::{Answer, Margin, RegularVsShadow, ShadowComparisonBody, Turn, without_context_blocks};

use super::Judgement;

/// What `judged_by` says when no model was asked.
pub const JUDGED_BY: &str = "builtin";

/// Judges by what an expert would have said: the answer that has more of it is better. Without an expert's answer, or
/// one that says anything, nobody can tell without understanding.
pub fn by_expert(turn: &Turn) -> Option<Judgement> {
    let (regular, shadow) = turn.both_answers()?;
    let expert = without_context_blocks(&turn.expert_content);
    let expert = Substance::of(&expert);
    let points: Vec<&str> = expert.statements().collect();
    if points.is_empty() {
        return None;
    }
    let has = |answer: &str| {
        let answer = without_context_blocks(answer);
        let answer = Substance::of(&answer);
        points.iter().filter(|point| answer.covers(point)).count()
    };
    let (of_regular, of_shadow) = (has(regular), has(shadow));
    let better = match of_regular.cmp(&of_shadow) {
        std::cmp::Ordering::Less => Some(Answer::Shadow),
        std::cmp::Ordering::Greater => Some(Answer::Regular),
        std::cmp::Ordering::Equal => None,
    };
    // Half of what there is to say is more than a nuance.
    let clear = of_regular.abs_diff(of_shadow) * 2 >= points.len();
    let margin = if clear { Margin::Clear } else { Margin::Slight };
    let all = points.len();
    let plural = if all == 1 { "point" } else { "points" };
    Some(Judgement {
        verdict: RegularVsShadow::of(better, margin),
        body: ShadowComparisonBody {
            reason: format!(
                "Of the {all} {plural} in the expert's answer, the regular answer has {of_regular} and the shadow \
                 answer {of_shadow}."
            ),
            order: None,
            prompt_version: None,
            judged_by: JUDGED_BY.to_owned(),
        },
    })
}

#[cfg(test)]
mod tests {
    use reflexio_types::Timestamp;

    use super::*;

    fn judged(regular: &str, shadow: &str, expert: &str) -> Option<&'static str> {
        let mut turn = Turn::say(Timestamp(0), "Agent", regular);
        turn.shadow_content = shadow.to_owned();
        turn.expert_content = expert.to_owned();
        by_expert(&turn).map(|judgement| judgement.verdict.as_str())
    }

    #[test]
    fn the_answer_with_more_of_what_the_expert_says_is_better() {
        let expert = "Bring the original receipt. Keep all accessories. Refunds take 5 business days. \
                      Opened software is final sale. Gift cards cannot be returned.";
        let little = "Please bring the original receipt.";
        let more = "Bring the original receipt and keep all accessories.";
        let most = "Bring the original receipt. Keep all accessories. Refunds take 5 business days. Opened software \
                    is final sale.";
        assert_eq!(judged(little, more, expert), Some("shadow_is_slightly_better"));
        assert_eq!(judged(little, most, expert), Some("shadow_is_better"));
        assert_eq!(judged(most, little, expert), Some("regular_is_better"));
        assert_eq!(judged(more, little, expert), Some("regular_is_slightly_better"));
        assert_eq!(judged("Sorry, no idea.", "I cannot say.", expert), Some("tied"));
    }

    #[test]
    fn without_an_expert_nothing_is_judged() {
        assert_eq!(judged("Yes.", "No.", ""), None);
        assert_eq!(judged("Yes.", "No.", "Happy to help!"), None);
        assert_eq!(judged("Same.", "Same.", "Bring the receipt."), None);
        assert_eq!(judged("a", "b", "<reflexio_context>Bring the receipt.</reflexio_context>"), None);
    }
}
