use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// What a model is asked for. Each role may have a model of its own; none is bound to a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Whether a window holds anything to learn.
    ShouldRun,
    /// Profiles and playbooks out of a window.
    Extraction,
    /// What to do with something new that resembles something known.
    Consolidation,
    /// One agent playbook out of many user playbooks.
    Aggregation,
    /// Which of two answers is better, and whether a session succeeded.
    Judge,
    /// A better wording out of what went wrong.
    Reflection,
    /// A search query that stands alone.
    Reformulation,
    /// Synonyms for the text index.
    Expansion,
    /// Labels for rows and sessions.
    Tagging,
    /// The agent's answer in a replayed situation.
    Rollout,
    /// The language parts of a written playbook.
    Playbook,
}

impl Role {
    pub const ALL: [Self; 11] = [
        Self::ShouldRun,
        Self::Extraction,
        Self::Consolidation,
        Self::Aggregation,
        Self::Judge,
        Self::Reflection,
        Self::Reformulation,
        Self::Expansion,
        Self::Tagging,
        Self::Rollout,
        Self::Playbook,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::ShouldRun => "should_run",
            Self::Extraction => "extraction",
            Self::Consolidation => "consolidation",
            Self::Aggregation => "aggregation",
            Self::Judge => "judge",
            Self::Reflection => "reflection",
            Self::Reformulation => "reformulation",
            Self::Expansion => "expansion",
            Self::Tagging => "tagging",
            Self::Rollout => "rollout",
            Self::Playbook => "playbook",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The text names no role.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a role")]
pub struct UnknownRole(String);

impl FromStr for Role {
    type Err = UnknownRole;

    fn from_str(text: &str) -> Result<Self, UnknownRole> {
        let role = Self::ALL.into_iter().find(|role| role.as_str() == text);
        role.ok_or_else(|| UnknownRole(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_role_is_read_back_from_its_name_in_settings_and_in_json() {
        for role in Role::ALL {
            assert_eq!(role.as_str().parse(), Ok(role));
            assert_eq!(serde_json::to_value(role).expect("a role"), role.as_str());
        }
        assert_eq!("cook".parse::<Role>(), Err(UnknownRole("cook".to_owned())));
    }
}
