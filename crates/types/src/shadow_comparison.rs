use serde::{Deserialize, Serialize};

use crate::{InteractionId, Proportion, RequestId, SessionId, ShadowComparisonId, Timestamp, UserId};

/// Which answer served the user better: the one that was given, or the alternative in `shadow_content`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RegularVsShadow {
    RegularIsBetter,
    RegularIsSlightlyBetter,
    ShadowIsBetter,
    ShadowIsSlightlyBetter,
    Tied,
}

/// One of the two answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Answer {
    Regular,
    Shadow,
}

/// How much better an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Margin {
    Clear,
    Slight,
}

impl RegularVsShadow {
    pub const ALL: [RegularVsShadow; 5] = [
        RegularVsShadow::RegularIsBetter,
        RegularVsShadow::RegularIsSlightlyBetter,
        RegularVsShadow::ShadowIsBetter,
        RegularVsShadow::ShadowIsSlightlyBetter,
        RegularVsShadow::Tied,
    ];

    /// What it is called when one of them, or neither, is better by so much.
    pub fn of(better: Option<Answer>, margin: Margin) -> Self {
        match (better, margin) {
            (None, _) => RegularVsShadow::Tied,
            (Some(Answer::Regular), Margin::Clear) => RegularVsShadow::RegularIsBetter,
            (Some(Answer::Regular), Margin::Slight) => RegularVsShadow::RegularIsSlightlyBetter,
            (Some(Answer::Shadow), Margin::Clear) => RegularVsShadow::ShadowIsBetter,
            (Some(Answer::Shadow), Margin::Slight) => RegularVsShadow::ShadowIsSlightlyBetter,
        }
    }

    pub fn better(self) -> Option<Answer> {
        match self {
            RegularVsShadow::RegularIsBetter | RegularVsShadow::RegularIsSlightlyBetter => {
                Some(Answer::Regular)
            }
            RegularVsShadow::ShadowIsBetter | RegularVsShadow::ShadowIsSlightlyBetter => Some(Answer::Shadow),
            RegularVsShadow::Tied => None,
        }
    }

    pub fn is_clear(self) -> bool {
        matches!(self, RegularVsShadow::RegularIsBetter | RegularVsShadow::ShadowIsBetter)
    }

    pub fn as_str(self) -> &'static str {
        match self {
            RegularVsShadow::RegularIsBetter => "regular_is_better",
            RegularVsShadow::RegularIsSlightlyBetter => "regular_is_slightly_better",
            RegularVsShadow::ShadowIsBetter => "shadow_is_better",
            RegularVsShadow::ShadowIsSlightlyBetter => "shadow_is_slightly_better",
            RegularVsShadow::Tied => "tied",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verdict| verdict.as_str() == text)
    }
}

/// In which order a judge saw the two answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerOrder {
    RegularFirst,
    ShadowFirst,
}

/// The two answers of one turn, compared. A turn has one comparison at most.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ShadowComparison {
    pub id: ShadowComparisonId,
    pub interaction_id: InteractionId,
    pub request_id: RequestId,
    pub session_id: SessionId,
    pub user_id: UserId,
    pub agent_version: String,
    pub verdict: RegularVsShadow,
    pub created_at: Timestamp,
    #[serde(flatten)]
    pub body: ShadowComparisonBody,
}

/// How the verdict came about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ShadowComparisonBody {
    pub reason: String,
    /// Missing if nobody was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<AnswerOrder>,
    /// The prompt, `name@version`; missing if nobody was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_version: Option<String>,
    /// A model, or `builtin`.
    pub judged_by: String,
}

/// How often which answer was better, for one agent version.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShadowTally {
    pub agent_version: String,
    pub regular_is_better: u64,
    pub regular_is_slightly_better: u64,
    pub shadow_is_better: u64,
    pub shadow_is_slightly_better: u64,
    pub tied: u64,
}

impl ShadowTally {
    pub fn add(&mut self, verdict: RegularVsShadow, count: u64) {
        *match verdict {
            RegularVsShadow::RegularIsBetter => &mut self.regular_is_better,
            RegularVsShadow::RegularIsSlightlyBetter => &mut self.regular_is_slightly_better,
            RegularVsShadow::ShadowIsBetter => &mut self.shadow_is_better,
            RegularVsShadow::ShadowIsSlightlyBetter => &mut self.shadow_is_slightly_better,
            RegularVsShadow::Tied => &mut self.tied,
        } += count;
    }

    pub fn count(&self) -> u64 {
        self.wins() + self.losses() + self.tied
    }

    /// How often the shadow answer was better.
    pub fn wins(&self) -> u64 {
        self.shadow_is_better + self.shadow_is_slightly_better
    }

    pub fn losses(&self) -> u64 {
        self.regular_is_better + self.regular_is_slightly_better
    }

    /// Of the comparisons that one answer won, the share that the shadow answer won, with its 95 % interval. Nothing
    /// while all are tied: there is no rate then, not a rate of 0.
    pub fn win_rate(&self) -> Option<WinRate> {
        let wins = Proportion { successes: self.wins(), total: self.wins() + self.losses() };
        let (rate, interval) = (wins.rate()?, wins.interval()?);
        Some(WinRate { rate, low: interval.low, high: interval.high })
    }
}

/// A share and the range in which the true one lies in 95 of 100 cases.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WinRate {
    pub rate: f64,
    pub low: f64,
    pub high: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_verdict_is_read_back_and_says_who_won() {
        for verdict in RegularVsShadow::ALL {
            assert_eq!(RegularVsShadow::parse(verdict.as_str()), Some(verdict));
            let margin = if verdict.is_clear() { Margin::Clear } else { Margin::Slight };
            assert_eq!(RegularVsShadow::of(verdict.better(), margin), verdict);
            assert_eq!(serde_json::to_value(verdict).unwrap(), verdict.as_str());
        }
    }

    #[track_caller]
    fn check(wins: u64, losses: u64, low: f64, high: f64) {
        let tally = ShadowTally { shadow_is_better: wins, regular_is_better: losses, ..Default::default() };
        let rate = tally.win_rate().unwrap();
        assert!((rate.low - low).abs() < 5e-4 && (rate.high - high).abs() < 5e-4, "{rate:?}");
    }

    #[test]
    fn the_interval_is_that_of_wilson() {
        check(8, 2, 0.4902, 0.9433);
        check(0, 10, 0.0, 0.2775);
        check(10, 0, 0.7225, 1.0);
        check(50, 50, 0.4038, 0.5962);
        assert_eq!(ShadowTally { tied: 7, ..Default::default() }.win_rate(), None);
    }

    #[test]
    fn two_answers_are_compared_only_where_there_are_two() {
        let answered = |role: &str, content: &str, shadow: &str| {
            let mut turn = crate::Turn::say(Timestamp(0), role, content);
            turn.shadow_content = shadow.to_owned();
            turn.both_answers().map(|(given, other)| (given.to_owned(), other.to_owned()))
        };
        assert_eq!(answered("Agent", " a ", "b"), Some(("a".to_owned(), "b".to_owned())));
        assert_eq!(answered("Support_Agent", "a", "b"), Some(("a".to_owned(), "b".to_owned())));
        for (role, content, shadow) in [
            ("User", "a", "b"),
            ("", "a", "b"),
            ("Agent", "a", " a "),
            ("Agent", "a", " "),
            ("Agent", " ", "b"),
        ] {
            assert_eq!(answered(role, content, shadow), None, "{role} {content} {shadow}");
        }
    }
}
