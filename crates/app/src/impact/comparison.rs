use reflexio_store::{JudgedSession, SessionWord};
use reflexio_types::{Difference, Proportion, TimeRange, Timestamp, difference};

/// With fewer sessions on either side nothing is said.
const FEWEST: u64 = 10;

/// What sessions with a rule and sessions without it say about it. They were not drawn by lot, so it is an observation and
/// no proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    TooFew,
    /// The interval holds zero.
    Unclear,
    Helps,
    Hurts,
}

/// Sessions that got a rule, beside those that did not.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Comparison {
    pub with: Proportion,
    pub without: Proportion,
    /// Of the shares of success; nothing while one side is empty.
    pub difference: Option<Difference>,
    /// Of how many of these sessions the outcome was told; the others were judged.
    pub told: u64,
}

impl Comparison {
    pub fn effect(&self) -> Effect {
        match self.difference {
            Some(difference) if self.with.total.min(self.without.total) >= FEWEST => {
                if difference.interval.low > 0.0 {
                    Effect::Helps
                } else if difference.interval.high < 0.0 {
                    Effect::Hurts
                } else {
                    Effect::Unclear
                }
            }
            _ => Effect::TooFew,
        }
    }

    /// What to tell a person.
    pub fn sentence(&self) -> String {
        let points = |share: f64| format!("{:+.0}", share * 100.0).replace("-0", "+0");
        let measured = self.difference.map_or(String::new(), |difference| {
            let (low, high) = (points(difference.interval.low), points(difference.interval.high));
            format!("{} points ({low} to {high})", points(difference.value))
        });
        match self.effect() {
            Effect::TooFew => {
                let (with, without) = (self.with.total, self.without.total);
                format!("too few sessions to tell: {with} with, {without} without")
            }
            Effect::Unclear => format!("no clear difference: {measured}"),
            Effect::Helps => format!("helps: {measured}"),
            Effect::Hurts => format!("hurts: {measured}"),
        }
    }
}

/// Which sessions are compared.
#[derive(Debug, Clone)]
pub(super) struct Terms<'a> {
    /// Only sessions with this wording count as sessions with the rule; any wording if missing.
    pub(super) wording: Option<&'a str>,
    /// When a session without the rule must have begun.
    pub(super) span: TimeRange,
    /// The versions of the agent that had the rule.
    pub(super) versions: &'a [String],
}

impl Terms<'_> {
    fn has(&self, session: &JudgedSession) -> bool {
        match self.wording {
            Some(wording) => session.wordings.iter().any(|one| one == wording),
            None => !session.wordings.is_empty(),
        }
    }

    /// A session with another wording of the rule is neither with this one nor without the rule.
    fn lacks(&self, session: &JudgedSession) -> bool {
        let within = |at: Timestamp| {
            self.span.start.is_none_or(|start| at >= start) && self.span.end.is_none_or(|end| at <= end)
        };
        session.wordings.is_empty() && within(session.began) && self.versions.contains(&session.agent_version)
    }
}

pub(super) fn compare(sessions: &[JudgedSession], terms: &Terms<'_>) -> Comparison {
    let with: Vec<&JudgedSession> = sessions.iter().filter(|session| terms.has(session)).collect();
    let without: Vec<&JudgedSession> = sessions.iter().filter(|session| terms.lacks(session)).collect();
    let share = |of: &[&JudgedSession]| Proportion::of(of.iter().map(|session| session.success));
    let told = with.iter().chain(&without).filter(|session| session.word == SessionWord::Outcome).count();
    let (with, without) = (share(&with), share(&without));
    Comparison { with, without, difference: difference(with, without), told: told as u64 }
}

/// The versions of the agent in sessions that got the rule, each once.
pub(super) fn versions(sessions: &[JudgedSession]) -> Vec<String> {
    let with = sessions.iter().filter(|session| !session.wordings.is_empty());
    let mut versions: Vec<String> = with.map(|session| session.agent_version.clone()).collect();
    versions.sort_unstable();
    versions.dedup();
    versions
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sessions(count: usize, successes: usize, wordings: &[&str]) -> Vec<JudgedSession> {
        let session = |at: usize| JudgedSession {
            began: Timestamp(100),
            agent_version: "v1".to_owned(),
            success: at < successes,
            word: if at.is_multiple_of(2) { SessionWord::Outcome } else { SessionWord::Evaluation },
            wordings: wordings.iter().map(|wording| (*wording).to_owned()).collect(),
        };
        (0..count).map(session).collect()
    }

    fn compared(sessions: &[JudgedSession], wording: Option<&str>) -> Comparison {
        let span = TimeRange { start: Some(Timestamp(100)), end: Some(Timestamp(200)) };
        let versions = ["v1".to_owned()];
        compare(sessions, &Terms { wording, span, versions: &versions })
    }

    #[test]
    fn what_is_said_follows_from_the_interval() {
        for (with, without, effect, sentence) in [
            ((7, 7), (3, 0), Effect::TooFew, "too few sessions to tell: 7 with, 3 without"),
            ((0, 0), (0, 0), Effect::TooFew, "too few sessions to tell: 0 with, 0 without"),
            ((70, 56), (80, 48), Effect::Helps, "helps: +20 points (+5 to +33)"),
            ((80, 48), (70, 56), Effect::Hurts, "hurts: -20 points (-33 to -5)"),
            ((20, 10), (20, 10), Effect::Unclear, "no clear difference: +0 points (-28 to +28)"),
        ] {
            let mut all = sessions(with.0, with.1, &["w"]);
            all.extend(sessions(without.0, without.1, &[]));
            let found = compared(&all, None);
            assert_eq!((found.effect(), found.sentence()), (effect, sentence.to_owned()));
            assert_eq!((found.with.total, found.without.total), (with.0 as u64, without.0 as u64));
        }
    }

    #[test]
    fn only_peers_of_the_same_time_and_version_are_compared_with() {
        let peer = sessions(1, 1, &[]).remove(0);
        let all = [
            JudgedSession { began: Timestamp(99), ..peer.clone() },
            JudgedSession { began: Timestamp(201), ..peer.clone() },
            JudgedSession { agent_version: "v2".to_owned(), ..peer.clone() },
            peer.clone(),
            JudgedSession { began: Timestamp(1), wordings: vec!["w".to_owned()], ..peer },
        ];
        let found = compared(&all, None);
        assert_eq!((found.with.total, found.without.total, found.told), (1, 1, 2));
        assert_eq!(versions(&all), ["v1"]);
    }

    #[test]
    fn a_session_with_another_wording_is_on_neither_side() {
        let all =
            [sessions(2, 2, &["old"]), sessions(3, 1, &["new"]), sessions(1, 0, &["new", "old"])].concat();
        let found = compared(&all, Some("old"));
        assert_eq!((found.with, found.without.total), (Proportion { successes: 2, total: 3 }, 0));
        assert_eq!(compared(&all, None).with.total, 6);
    }
}
