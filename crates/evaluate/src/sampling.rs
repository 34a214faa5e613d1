//! Which sessions are judged: a share of them, always the same ones.

use std::collections::BTreeMap;

use reflexio_types::{OrgId, SessionId, UserId};

use crate::Policy;

/// What of a session is judged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Asked {
    /// Whether it served its user.
    pub success: bool,
    /// Whether the learnings that were served in it helped.
    pub learnings: bool,
}

impl Asked {
    pub const ALL: Asked = Asked { success: true, learnings: true };

    pub fn is_nothing(self) -> bool {
        !self.success && !self.learnings
    }
}

/// What of a session is judged after a publish. Both shares are cut from the same draw, so that the smaller one lies
/// within the larger one and a session is read once for both.
pub fn asked(policy: &Policy, draw: Draw, evaluation_only: bool) -> Asked {
    let success = &policy.success;
    let rate = match success.evaluation_only_sampling_rate {
        Some(rate) if evaluation_only => rate,
        Some(_) | None => success.sampling_rate,
    };
    let of_learnings = success.retrieved_learning_sampling_rate.unwrap_or(rate);
    Asked { success: draw.is_within(rate), learnings: draw.is_within(of_learnings) }
}

/// At most so many of each stratum: those with the lowest draws, in the order in which they came.
pub fn stratified<T, S: Ord>(
    candidates: Vec<T>,
    most: usize,
    stratum: impl Fn(&T) -> S,
    draw: impl Fn(&T) -> Draw,
) -> Vec<T> {
    let mut strata: BTreeMap<S, Vec<(Draw, usize)>> = BTreeMap::new();
    for (at, candidate) in candidates.iter().enumerate() {
        strata.entry(stratum(candidate)).or_default().push((draw(candidate), at));
    }
    let mut chosen = vec![false; candidates.len()];
    for mut members in strata.into_values() {
        members.sort_by(|(one, at), (other, later)| one.0.total_cmp(&other.0).then(at.cmp(later)));
        for (_, at) in members.into_iter().take(most) {
            chosen[at] = true;
        }
    }
    candidates.into_iter().zip(chosen).filter_map(|(candidate, chosen)| chosen.then_some(candidate)).collect()
}

/// A draw that depends on nothing but its names, so that a retry, a restart or another server decides alike.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Draw(f64);

impl Draw {
    /// The draw of one session. Each `purpose` draws anew: being sampled for one says nothing about another.
    pub fn of(purpose: &str, org: &OrgId, user: &UserId, session: &SessionId) -> Self {
        let mut hasher = blake3::Hasher::new();
        for part in [purpose, org.as_str(), user.as_str(), session.as_str()] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        let mut top = [0; 8];
        hasher.finalize_xof().fill(&mut top);
        // 53 bits are what a double holds exactly, so the draw is below 1.
        Self((u64::from_le_bytes(top) >> 11) as f64 / (1_u64 << 53) as f64)
    }

    /// Whether it lies within a rate from 0 (nobody) to 1 (everybody). Who is within a rate is within every higher one.
    pub fn is_within(self, rate: f64) -> bool {
        self.0 < rate
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn draw(user: &str, session: &str) -> Draw {
        Draw::of("success", &OrgId::default_org(), &UserId::from(user), &SessionId::from(session))
    }

    proptest! {
        #[test]
        fn a_rate_of_nothing_takes_nobody_and_a_rate_of_one_everybody(user in ".*", session in ".*") {
            prop_assert!(!draw(&user, &session).is_within(0.0));
            prop_assert!(draw(&user, &session).is_within(1.0));
        }

        #[test]
        fn a_higher_rate_takes_everyone_that_a_lower_one_took(
            user in ".*", session in ".*", low in 0.0..=1.0, more in 0.0..=1.0,
        ) {
            let draw = draw(&user, &session);
            prop_assert!(!draw.is_within(low) || draw.is_within(f64::max(low, more)));
        }

        #[test]
        fn names_are_not_run_together(user in "[ab]{1,4}", session in "[ab]{1,4}") {
            let moved = format!("{user}{session}");
            let (left, right) = moved.split_at(user.len() - 1);
            prop_assert_ne!(draw(&user, &session).0, draw(left, right).0);
        }
    }

    proptest! {
        #[test]
        fn a_stratified_sample_takes_all_of_small_strata_and_the_most_of_large_ones(
            sessions in prop::collection::vec((0_u8..4, any::<u16>()), 0..60), most in 1_usize..8,
        ) {
            let draw = |(_, name): &(u8, u16)| draw("u", &name.to_string());
            let taken = stratified(sessions.clone(), most, |(stratum, _)| *stratum, draw);
            for stratum in 0..4 {
                let count = |list: &[(u8, u16)]| list.iter().filter(|(of, _)| *of == stratum).count();
                prop_assert_eq!(count(&taken), count(&sessions).min(most));
            }
            let again = stratified(sessions.clone(), most + 1, |(stratum, _)| *stratum, draw);
            let mut rest = again.iter();
            prop_assert!(taken.iter().all(|one| rest.any(|other| other == one)), "a larger one holds the smaller");
        }
    }

    #[test]
    fn a_rate_of_its_own_holds_for_evaluation_only_and_for_learnings() {
        let success = reflexio_types::config::AgentSuccessConfig {
            sampling_rate: 0.0,
            evaluation_only_sampling_rate: Some(1.0),
            ..Default::default()
        };
        let mut policy = Policy { agent_context: None, tools: Vec::new(), success };
        let draw = draw("u", "s");
        assert!(asked(&policy, draw, false).is_nothing());
        assert_eq!(asked(&policy, draw, true), Asked::ALL);
        policy.success.retrieved_learning_sampling_rate = Some(1.0);
        assert_eq!(asked(&policy, draw, false), Asked { success: false, learnings: true });
    }

    #[test]
    fn a_rate_takes_about_its_share() {
        let taken = (0..20_000).filter(|n| draw("u", &format!("s{n}")).is_within(0.05)).count();
        assert!((800..1_200).contains(&taken), "{taken} of 20000 at a rate of 0.05");
    }

    #[test]
    fn purposes_draw_apart() {
        let both = (0..20_000)
            .map(|n| SessionId::from(format!("s{n}")))
            .filter(|session| {
                let of = |purpose| Draw::of(purpose, &OrgId::default_org(), &UserId::from("u"), session);
                of("success").is_within(0.1) && of("learnings").is_within(0.1)
            })
            .count();
        assert!((100..320).contains(&both), "{both} of 20000 at a rate of 0.01");
    }
}
