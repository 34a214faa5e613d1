//! Finding rows by their text. Each searchable table has an FTS5 table beside it that holds terms only.

mod entry;
mod expression;
mod log;
mod search;

use std::cmp::Ordering;

use reflexio_types::RowKind;

use crate::rows::Stored;

pub(crate) use self::entry::{Entry, entries};
pub(crate) use self::log::IndexLog;
pub(crate) use self::search::{RowReader, in_order, row, search};

/// A text index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Index {
    Interactions,
    Profiles,
    UserPlaybooks,
    AgentPlaybooks,
}

impl From<RowKind> for Index {
    fn from(kind: RowKind) -> Self {
        match kind {
            RowKind::Interaction => Index::Interactions,
            RowKind::Profile => Index::Profiles,
            RowKind::UserPlaybook => Index::UserPlaybooks,
            RowKind::AgentPlaybook => Index::AgentPlaybooks,
        }
    }
}

impl Index {
    pub(crate) const ALL: [Index; 4] =
        [Index::Interactions, Index::Profiles, Index::UserPlaybooks, Index::AgentPlaybooks];

    pub(crate) fn table(self) -> &'static str {
        match self {
            Index::Interactions => "interactions_fts",
            Index::Profiles => "profiles_fts",
            Index::UserPlaybooks => "user_playbooks_fts",
            Index::AgentPlaybooks => "agent_playbooks_fts",
        }
    }

    /// What the rows are called outside.
    pub(crate) fn kind(self) -> RowKind {
        match self {
            Index::Interactions => RowKind::Interaction,
            Index::Profiles => RowKind::Profile,
            Index::UserPlaybooks => RowKind::UserPlaybook,
            Index::AgentPlaybooks => RowKind::AgentPlaybook,
        }
    }

    /// How `unembedded.kind` names it; never changes.
    pub(crate) fn number(self) -> i64 {
        match self {
            Index::Interactions => 1,
            Index::Profiles => 2,
            Index::UserPlaybooks => 3,
            Index::AgentPlaybooks => 4,
        }
    }

    /// The table of the rows, and its integer key.
    pub(crate) fn rows(self) -> (&'static str, &'static str) {
        match self {
            Index::Interactions => ("interactions", "id"),
            Index::Profiles => ("profiles", "key"),
            Index::UserPlaybooks => ("user_playbooks", "id"),
            Index::AgentPlaybooks => ("agent_playbooks", "id"),
        }
    }

    /// The table of their vectors.
    pub(crate) fn vectors(self) -> &'static str {
        match self {
            Index::Interactions => "interactions_vectors",
            Index::Profiles => "profiles_vectors",
            Index::UserPlaybooks => "user_playbooks_vectors",
            Index::AgentPlaybooks => "agent_playbooks_vectors",
        }
    }

    /// The tokens of the index one by one; each reading connection has such a table of its own.
    pub(crate) fn tokens(self) -> &'static str {
        match self {
            Index::Interactions => "temp.interactions_tokens",
            Index::Profiles => "temp.profiles_tokens",
            Index::UserPlaybooks => "temp.user_playbooks_tokens",
            Index::AgentPlaybooks => "temp.agent_playbooks_tokens",
        }
    }
}

/// A record that can be found by its text.
pub(crate) trait Searchable: Stored {
    const INDEX: Index;
    const TABLE: &'static str;
    /// The integer key of the row, which is also the key of its index entry.
    const KEY: &'static str;

    fn text(&self) -> String;

    /// Which of two equally good matches comes first.
    fn newest_first(&self, other: &Self) -> Ordering;
}
