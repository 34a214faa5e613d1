//! Which sessions are judged: a share of them, always the same ones.

use reflexio_types::{OrgId, SessionId, UserId};

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
