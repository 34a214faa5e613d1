//! Finding rows by their text. Each searchable table has an FTS5 table beside it that holds terms only.

mod entry;
mod expression;
mod log;
mod search;
mod words;

use std::cmp::Ordering;

use crate::rows::Stored;

pub(crate) use self::entry::{Entry, entries};
pub(crate) use self::log::IndexLog;
pub(crate) use self::search::search;

/// A text index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Index {
    Interactions,
    Profiles,
    UserPlaybooks,
    AgentPlaybooks,
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
