use async_trait::async_trait;
use reflexio_types::{OrgId, Profile, ProfileId, Timestamp, UserId};

use crate::{Ask, Downgrade, ProfileFilter, Result, RunStart, Scored, Upgrade};

/// Which profiles to delete.
#[derive(Debug, Clone, PartialEq)]
pub enum ProfileSelector {
    Ids(Vec<ProfileId>),
    /// Only if it belongs to this user.
    OfUser {
        user_id: UserId,
        id: ProfileId,
    },
    All,
}

/// Facts about users.
#[async_trait]
pub trait Profiles: Send + Sync {
    /// Fails with `Duplicate` and stores none of them when one id is taken.
    async fn add_profiles(&self, org: &OrgId, profiles: Vec<Profile>, actor: Option<&str>) -> Result<()>;

    /// Newest change first.
    async fn profiles(&self, org: &OrgId, filter: &ProfileFilter, limit: usize) -> Result<Vec<Profile>>;

    async fn search_profiles(
        &self,
        org: &OrgId,
        filter: &ProfileFilter,
        ask: &Ask,
    ) -> Result<Vec<Scored<Profile>>>;

    async fn delete_profiles(&self, org: &OrgId, which: &ProfileSelector, at: Timestamp) -> Result<u64>;

    /// Pending rows become current, current ones archived, formerly archived ones are deleted: all of it or
    /// nothing, and only for the users that match. With `only_affected` a user without pending rows is left alone.
    /// Where nothing is pending at all, nothing changes.
    async fn upgrade_profiles(
        &self,
        org: &OrgId,
        user_id: Option<&UserId>,
        only_affected: bool,
        run: &RunStart,
        at: Timestamp,
    ) -> Result<Upgrade>;

    /// Takes an upgrade back: archived and current rows change places, all of them or none, and only for the
    /// users that match. With `only_affected` a user without archived rows is left alone. Where nothing is
    /// archived at all, nothing changes. Pending rows stay pending.
    async fn downgrade_profiles(
        &self,
        org: &OrgId,
        user_id: Option<&UserId>,
        only_affected: bool,
        run: &RunStart,
        at: Timestamp,
    ) -> Result<Downgrade>;
}
