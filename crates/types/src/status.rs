use std::fmt;

use serde::{Deserialize, Serialize};

/// Where a learned row stands in its life.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// In use.
    #[default]
    Current,
    /// Written by a rerun; waits for an upgrade.
    Pending,
    /// Replaced by an upgrade; a downgrade brings it back.
    Archived,
    /// Written by other servers while a downgrade runs; here one is a single step.
    ArchiveInProgress,
    /// Its content went into another row.
    Merged,
    /// Another row took its place.
    Superseded,
    /// Its time to live is over.
    Expired,
}

impl Status {
    pub const ALL: [Status; 7] = [
        Status::Current,
        Status::Pending,
        Status::Archived,
        Status::ArchiveInProgress,
        Status::Merged,
        Status::Superseded,
        Status::Expired,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Status::Current => "current",
            Status::Pending => "pending",
            Status::Archived => "archived",
            Status::ArchiveInProgress => "archive_in_progress",
            Status::Merged => "merged",
            Status::Superseded => "superseded",
            Status::Expired => "expired",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a person decided about an agent playbook.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlaybookStatus {
    /// Waits for a decision.
    #[default]
    Pending,
    Approved,
    Rejected,
}

impl PlaybookStatus {
    pub const ALL: [PlaybookStatus; 3] =
        [PlaybookStatus::Pending, PlaybookStatus::Approved, PlaybookStatus::Rejected];

    pub fn as_str(self) -> &'static str {
        match self {
            PlaybookStatus::Pending => "pending",
            PlaybookStatus::Approved => "approved",
            PlaybookStatus::Rejected => "rejected",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }
}

impl fmt::Display for PlaybookStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
