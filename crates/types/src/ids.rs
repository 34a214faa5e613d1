use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            pub fn new(value: impl Into<String>) -> Self {
                Self(value.into())
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }

            pub fn into_string(self) -> String {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl From<&str> for $name {
            fn from(value: &str) -> Self {
                Self(value.to_owned())
            }
        }

        impl From<String> for $name {
            fn from(value: String) -> Self {
                Self(value)
            }
        }
    };
}

macro_rules! row_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub i64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, f)
            }
        }
    };
}

text_id! {
    /// A tenant. Every stored row belongs to exactly one.
    OrgId
}
text_id! {
    /// The end user of the caller's agent, named by the caller.
    UserId
}
text_id! {
    /// One publish call.
    RequestId
}
text_id! {
    /// A conversation: one or more requests that belong together.
    SessionId
}
text_id! {
    /// A run of a Markdown playbook.
    PlaybookRunId
}
text_id! {
    /// A learned or added user profile.
    ProfileId
}
text_id! {
    /// An operation that changed learned rows. That of a job is [`JobId::run`].
    RunId
}
row_id! {
    /// One turn or action; ids grow in the order of arrival.
    InteractionId
}
row_id! {
    /// A playbook entry learned from (or added for) one user.
    UserPlaybookId
}
row_id! {
    /// A rule for the agent, aggregated from many users or added by hand.
    AgentPlaybookId
}
row_id! {
    /// What an edit or a decision changed of such a rule.
    AgentPlaybookRevisionId
}
row_id! {
    /// A judged session.
    EvaluationId
}
row_id! {
    /// The judgement of one learning that was served in a session.
    LearningEvaluationId
}
row_id! {
    /// The two answers of one turn, compared.
    ShadowComparisonId
}
row_id! {
    /// A run that looks for a better wording of one playbook.
    OptimizationId
}
row_id! {
    /// Rules that an agent got for a prompt.
    InjectionId
}
row_id! {
    /// A unit of durable background work.
    JobId
}

impl JobId {
    /// The name of the run that this job is, in the books of what models cost.
    pub fn run(self) -> String {
        format!("job-{self}")
    }

    /// The job that a run is, if it is one.
    pub fn of_run(run: &str) -> Option<Self> {
        run.strip_prefix("job-")?.parse().ok().map(Self)
    }
}

impl OrgId {
    /// The tenant of a server that nobody divided into several.
    pub fn default_org() -> Self {
        Self::new("default")
    }
}
