use reflexio_llm::{Schema, SchemaError};
use reflexio_types::{Answer as Side, AnswerOrder, Margin, RegularVsShadow};
use serde::Deserialize;
use serde_json::json;

/// What a judge answers.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct Answer {
    reason: String,
    better: Better,
    clearly: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
enum Better {
    #[serde(rename = "1")]
    First,
    #[serde(rename = "2")]
    Second,
    #[serde(rename = "tie")]
    Neither,
}

pub(super) fn schema() -> Result<Schema, SchemaError> {
    let properties = json!({
        "reason": {"type": "string"},
        "better": {"type": "string", "enum": ["1", "2", "tie"]},
        "clearly": {"type": "boolean"},
    });
    Schema::new(
        "comparison",
        json!({"type": "object", "properties": properties, "required": ["reason", "better", "clearly"],
               "additionalProperties": false}),
    )
}

impl Answer {
    pub(super) fn verdict(&self, order: AnswerOrder) -> RegularVsShadow {
        let (first, second) = sides(order);
        let better = match self.better {
            Better::First => Some(first),
            Better::Second => Some(second),
            Better::Neither => None,
        };
        RegularVsShadow::of(better, if self.clearly { Margin::Clear } else { Margin::Slight })
    }

    /// The reason, in words that say which answer is meant to whoever does not know the order.
    pub(super) fn reason(&self, order: AnswerOrder) -> String {
        let (first, second) = sides(order);
        let named = replaced(self.reason.trim(), "answer 1", name(first));
        replaced(&named, "answer 2", name(second))
    }
}

fn sides(order: AnswerOrder) -> (Side, Side) {
    match order {
        AnswerOrder::RegularFirst => (Side::Regular, Side::Shadow),
        AnswerOrder::ShadowFirst => (Side::Shadow, Side::Regular),
    }
}

fn name(side: Side) -> &'static str {
    match side {
        Side::Regular => "the regular answer",
        Side::Shadow => "the shadow answer",
    }
}

/// Replaces each `what` in whatever case, unless a digit follows.
fn replaced(text: &str, what: &str, with: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let mut done = String::with_capacity(text.len() + 16);
    let mut at = 0;
    for (found, _) in lower.match_indices(what) {
        let end = found + what.len();
        let goes_on = lower.get(end..).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        if goes_on {
            continue;
        }
        let before = text.get(at..found).unwrap_or_default();
        done.push_str(before);
        let begins = done.trim_end().is_empty() || done.trim_end().ends_with(['.', '!', '?']);
        let mut letters = with.chars();
        match letters.next().filter(|_| begins) {
            Some(letter) => {
                done.push(letter.to_ascii_uppercase());
                done.push_str(letters.as_str());
            }
            None => done.push_str(with),
        }
        at = end;
    }
    done.push_str(text.get(at..).unwrap_or_default());
    done
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_order_is_taken_out_of_verdict_and_reason() {
        let answer = |better| Answer {
            reason: "Answer 1 names the order. What answer 2 asks is known; answer 12 is none.".to_owned(),
            better,
            clearly: true,
        };
        let check = |better, order, verdict| assert_eq!(answer(better).verdict(order), verdict);
        check(Better::First, AnswerOrder::RegularFirst, RegularVsShadow::RegularIsBetter);
        check(Better::First, AnswerOrder::ShadowFirst, RegularVsShadow::ShadowIsBetter);
        check(Better::Second, AnswerOrder::RegularFirst, RegularVsShadow::ShadowIsBetter);
        check(Better::Second, AnswerOrder::ShadowFirst, RegularVsShadow::RegularIsBetter);
        check(Better::Neither, AnswerOrder::ShadowFirst, RegularVsShadow::Tied);
        assert_eq!(
            answer(Better::First).reason(AnswerOrder::ShadowFirst),
            "The shadow answer names the order. What the regular answer asks is known; answer 12 is none."
        );
    }

    proptest! {
        #[test]
        fn any_reason_can_be_read(reason in "(\\PC|answer 1|Answer 2 ){0,20}") {
            let answer = Answer { reason, better: Better::First, clearly: false };
            let read = answer.reason(AnswerOrder::RegularFirst).to_ascii_lowercase();
            prop_assert!(!read.ends_with("answer 1"));
        }
    }
}
