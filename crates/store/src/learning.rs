use async_trait::async_trait;
use reflexio_types::{
    Interaction, InteractionId, JobProgress, LearningKind, LineageSubject, NewJob, Operation, OrgId, Profile,
    ProfileId, Request, Status, TimeRange, Timestamp, UserId, UserPlaybook,
};

use crate::{Lease, Result};

/// A turn and the publish that brought it.
#[derive(Debug, Clone, PartialEq)]
pub struct PublishedTurn {
    pub interaction: Interaction,
    pub request: Request,
}

/// Which turns of a user to read, in the order of arrival.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// The first ones that came after this one; from the beginning if missing.
    After(Option<InteractionId>),
    /// The last ones up to and with this one; up to the end if missing.
    UpTo(Option<InteractionId>),
}

/// How far an extractor has read a user's turns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    pub extractor: String,
    /// Turns up to and with this one were learned from.
    pub covered: InteractionId,
}

/// An extractor read on. It fails with `Changed` unless the cursor stands where it is said to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CursorMove {
    pub extractor: String,
    pub from: Option<InteractionId>,
    pub to: InteractionId,
}

/// Rows of one user that were learned and that new ones take the place of; what people added stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Superseded {
    pub kind: LearningKind,
    pub status: Status,
    /// Only of this version; playbooks only.
    pub agent_version: Option<String>,
}

/// A row of the user that gives way to a new one of the same lesson.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retired {
    pub row: LineageSubject,
    /// As the learner read it. The lesson fails with `Changed` if it is another one now, or in use no more: whoever
    /// changed it knew more.
    pub content: String,
    pub how: Retirement,
    /// The place of its successor among the new rows of its kind.
    pub successor: usize,
}

/// What became of a row that gave way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retirement {
    /// Its content is in the new row.
    Merged,
    /// The new row says it better.
    Superseded,
}

/// A row that turns showed to be true once more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confirmed {
    pub row: LineageSubject,
    pub evidence: Vec<InteractionId>,
}

/// Whether the job that learned is done with this.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum JobEnd {
    #[default]
    Done,
    /// It got somewhere, so attempts before this one count no more.
    GoesOn,
}

/// Everything that one step of learning changes, in one transaction.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lesson {
    /// Whose cursors and superseded rows are meant.
    pub user_id: Option<UserId>,
    pub cursors: Vec<CursorMove>,
    /// Deleted before the new rows are written.
    pub superseded: Vec<Superseded>,
    pub profiles: Vec<Profile>,
    /// Their ids are still 0.
    pub user_playbooks: Vec<UserPlaybook>,
    /// Retired after the new rows are written.
    pub retired: Vec<Retired>,
    /// The turns become evidence of the row, and a profile lives on from now. A row that is gone stays gone.
    pub confirmed: Vec<Confirmed>,
    /// Profiles of the user that the user wants forgotten: they are deleted, whatever their status.
    pub forgotten: Vec<ProfileId>,
    pub operation: Option<Operation>,
    /// What the job tells of itself from now on.
    pub progress: Option<JobProgress>,
    /// Work that this makes necessary.
    pub jobs: Vec<NewJob>,
    pub end: JobEnd,
}

/// Which users published something.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PublisherFilter {
    pub user_id: Option<UserId>,
    pub agent_version: Option<String>,
    pub source: Option<String>,
    /// When their requests came.
    pub time: TimeRange,
}

/// Learning from what users published.
#[async_trait]
pub trait Learning: Send + Sync {
    /// Turns of a user, oldest arrival first.
    async fn published_turns(
        &self,
        org: &OrgId,
        user_id: &UserId,
        reach: Reach,
        limit: usize,
    ) -> Result<Vec<PublishedTurn>>;

    async fn cursors(&self, org: &OrgId, user_id: &UserId) -> Result<Vec<Cursor>>;

    /// In the order of their names.
    async fn publishers(&self, org: &OrgId, filter: &PublisherFilter) -> Result<Vec<UserId>>;

    /// Stores what a job learned. Needs its lease and fails with `LostLease` otherwise: what is learned is stored
    /// once, together with the end of the job or the cursor that says so.
    async fn learn(&self, lease: &Lease, lesson: Lesson, at: Timestamp) -> Result<()>;
}
