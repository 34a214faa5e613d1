use reflexio_llm::{Schema, SchemaError, Violation};
use reflexio_types::{RolloutJudgement, RolloutVerdict};
use serde::Deserialize;
use serde_json::json;

/// More points are noise.
const MOST_POINTS: usize = 6;

/// What a judge answers. It does not know which conversation is whose.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct Answer {
    reason: String,
    verdict: Better,
    score: f64,
    likert: u8,
    first: Side,
    second: Side,
    missing_instruction: String,
    recommended_mutation: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Better {
    First,
    Second,
    Tie,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
struct Side {
    failures: Vec<String>,
    better_at: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    IncumbentFirst,
    CandidateFirst,
}

pub(super) fn schema() -> Result<Schema, SchemaError> {
    let texts = json!({"type": "array", "items": {"type": "string"}});
    let side = json!({"type": "object", "properties": {"failures": texts, "better_at": texts},
                      "required": ["failures", "better_at"], "additionalProperties": false});
    let properties = json!({
        "reason": {"type": "string"},
        "verdict": {"type": "string", "enum": ["first", "second", "tie"]},
        "score": {"type": "number", "minimum": 0, "maximum": 1},
        "likert": {"type": "integer", "minimum": 1, "maximum": 5},
        "first": side,
        "second": side,
        "missing_instruction": {"type": "string"},
        "recommended_mutation": {"type": "string"},
    });
    let required = [
        "reason",
        "verdict",
        "score",
        "likert",
        "first",
        "second",
        "missing_instruction",
        "recommended_mutation",
    ];
    Schema::new(
        "comparison",
        json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false}),
    )
}

/// Where an answer contradicts itself; the model is told and may correct it.
pub(super) fn contradictions(answer: &Answer) -> Vec<Violation> {
    let tells = |path: &str, message: &str| Violation { path: path.to_owned(), message: message.to_owned() };
    let (score, likert) = (answer.score, answer.likert);
    let fits = match answer.verdict {
        Better::First => (score < 0.5, likert <= 3),
        Better::Second => (score > 0.5, likert >= 3),
        Better::Tie => ((0.4..=0.6).contains(&score), (2..=4).contains(&likert)),
    };
    let mut found = Vec::new();
    if !fits.0 {
        found.push(tells(
            "score",
            "contradicts the verdict: below 0.5 the first is better, above 0.5 the second",
        ));
    }
    if !fits.1 {
        found.push(tells("likert", "contradicts the verdict: 1 and 2 favour the first, 4 and 5 the second"));
    }
    found
}

/// A judgement out of one order, with the order taken out of it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Seen {
    judgement: RolloutJudgement,
}

impl Answer {
    pub(super) fn seen(self, order: Order, judged_by: &str) -> Seen {
        let swapped = order == Order::CandidateFirst;
        let (candidate, incumbent) =
            if swapped { (self.first, self.second) } else { (self.second, self.first) };
        let verdict = match (self.verdict, swapped) {
            (Better::Tie, _) => RolloutVerdict::Tie,
            (Better::Second, false) | (Better::First, true) => RolloutVerdict::Candidate,
            (Better::First, false) | (Better::Second, true) => RolloutVerdict::Incumbent,
        };
        let names =
            if swapped { ["the candidate", "the incumbent"] } else { ["the incumbent", "the candidate"] };
        Seen {
            judgement: RolloutJudgement {
                score: if swapped { 1.0 - self.score } else { self.score },
                verdict,
                likert: if swapped { 6_u8.saturating_sub(self.likert) } else { self.likert },
                rationale: named(self.reason.trim(), names),
                failure_modes: candidate.failures,
                regressions: incumbent.better_at,
                winning_behaviors: candidate.better_at,
                missing_instruction: filled(&self.missing_instruction),
                recommended_mutation: filled(&self.recommended_mutation),
                orders_agree: true,
                judged_by: judged_by.to_owned(),
            },
        }
    }
}

/// Both orders as one judgement: the mean of the scores, and no winner where the winner is whoever stood first.
pub(super) fn together(one: Seen, two: Seen) -> RolloutJudgement {
    let (one, two) = (one.judgement, two.judgement);
    let agree = one.verdict == two.verdict;
    let rationale = if agree {
        one.rationale.clone()
    } else {
        format!("The judge wavers. {} In the other order: {}", one.rationale, two.rationale)
    };
    RolloutJudgement {
        score: (one.score + two.score) / 2.0,
        verdict: if agree { one.verdict } else { RolloutVerdict::Tie },
        // Half a point is not given away.
        likert: (one.likert + two.likert) / 2,
        rationale,
        failure_modes: united(one.failure_modes, two.failure_modes),
        regressions: united(one.regressions, two.regressions),
        winning_behaviors: united(one.winning_behaviors, two.winning_behaviors),
        missing_instruction: one.missing_instruction.or(two.missing_instruction),
        recommended_mutation: one.recommended_mutation.or(two.recommended_mutation),
        orders_agree: agree,
        judged_by: one.judged_by,
    }
}

fn united(one: Vec<String>, two: Vec<String>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for point in one.into_iter().chain(two) {
        let point = point.trim().to_owned();
        if !point.is_empty() && !all.iter().any(|known| known.eq_ignore_ascii_case(&point)) {
            all.push(point);
        }
    }
    all.truncate(MOST_POINTS);
    all
}

fn filled(text: &str) -> Option<String> {
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// Says which conversation is meant to whoever does not know the order.
fn named(reason: &str, [first, second]: [&str; 2]) -> String {
    let mut reason = reason.to_owned();
    for (place, name) in [("first", first), ("second", second)] {
        reason = reason.replace(&format!("the {place} conversation"), name);
        let (upper, rest) = name.split_at(1);
        reason =
            reason.replace(&format!("The {place} conversation"), &format!("{}{rest}", upper.to_uppercase()));
    }
    reason
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(verdict: Better, score: f64, likert: u8) -> Answer {
        let side = |word: &str| Side {
            failures: vec![format!("{word} failed")],
            better_at: vec![format!("{word} won")],
        };
        Answer {
            reason: "The second conversation asks; the first conversation guesses.".to_owned(),
            verdict,
            score,
            likert,
            first: side("first"),
            second: side("second"),
            missing_instruction: " ".to_owned(),
            recommended_mutation: "Ask first.".to_owned(),
        }
    }

    #[test]
    fn the_order_is_taken_out_of_everything() {
        let straight = answer(Better::Second, 0.9, 5).seen(Order::IncumbentFirst, "m").judgement;
        assert_eq!((straight.score, straight.likert, straight.verdict), (0.9, 5, RolloutVerdict::Candidate));
        assert_eq!(straight.failure_modes, ["second failed"]);
        assert_eq!(straight.regressions, ["first won"]);
        assert_eq!(straight.rationale, "The candidate asks; the incumbent guesses.");
        assert_eq!(
            (straight.missing_instruction, straight.recommended_mutation.as_deref()),
            (None, Some("Ask first."))
        );
        let swapped = answer(Better::Second, 0.75, 4).seen(Order::CandidateFirst, "m").judgement;
        assert_eq!((swapped.score, swapped.likert, swapped.verdict), (0.25, 2, RolloutVerdict::Incumbent));
        assert_eq!(swapped.failure_modes, ["first failed"]);
        assert_eq!(swapped.rationale, "The incumbent asks; the candidate guesses.");
    }

    #[test]
    fn a_judge_who_only_favours_a_place_makes_a_tie() {
        let both = |one: Answer, two: Answer| {
            together(one.seen(Order::IncumbentFirst, "m"), two.seen(Order::CandidateFirst, "m"))
        };
        let biased = both(answer(Better::First, 0.1, 1), answer(Better::First, 0.1, 1));
        assert_eq!(
            (biased.score, biased.verdict, biased.likert, biased.orders_agree),
            (0.5, RolloutVerdict::Tie, 3, false)
        );
        let sure = both(answer(Better::Second, 0.9, 5), answer(Better::First, 0.2, 2));
        assert!((sure.score - 0.85).abs() < 1e-9);
        assert_eq!((sure.verdict, sure.likert, sure.orders_agree), (RolloutVerdict::Candidate, 4, true));
        assert_eq!(sure.failure_modes, ["second failed", "first failed"]);
    }

    #[test]
    fn a_score_that_contradicts_the_verdict_is_told_to_the_model() {
        assert_eq!(contradictions(&answer(Better::Second, 0.9, 5)), []);
        assert_eq!(contradictions(&answer(Better::Tie, 0.5, 3)), []);
        assert_eq!(contradictions(&answer(Better::Second, 0.2, 1)).len(), 2);
        assert_eq!(contradictions(&answer(Better::Tie, 0.9, 3)).len(), 1);
    }
}
