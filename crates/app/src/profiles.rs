use reflexio_search::TextQuery;
use reflexio_store::{Ask, Downgrade, ProfileChange, ProfileFilter, ProfileSelector, Upgrade};
use reflexio_types::{
    Caller, Profile, ProfileBody, ProfileId, ProfileTimeToLive, RequestId, RowKind, RunKind, Scope, Status,
    Timestamp, UserId,
};

use crate::access::Access;
use crate::runs::about_profiles;
use crate::search::{Asked, Found, SearchOptions};
use crate::{App, AsRun, Error, Result, ids};

/// A change log is a look back, not an archive.
const CHANGE_LOG_ENTRIES: usize = 100;
/// A deletion by query removes what it names, not half a store.
const MOST_DELETED_BY_QUERY: usize = 10_000;

/// A profile to add by hand.
#[derive(Debug, Clone, PartialEq)]
pub struct NewProfile {
    pub id: Option<ProfileId>,
    pub user_id: UserId,
    pub request_id: RequestId,
    pub last_modified: Option<Timestamp>,
    pub time_to_live: ProfileTimeToLive,
    pub expires_at: Option<Timestamp>,
    pub source: Option<String>,
    pub status: Status,
    pub body: ProfileBody,
}

impl App {
    pub async fn add_profiles(&self, caller: &Caller, new: Vec<NewProfile>) -> Result<usize> {
        caller.needs(Scope::Write)?;
        let now = self.now();
        let profiles: Vec<Profile> = new.into_iter().map(|new| new.into_profile(now)).collect();
        let count = profiles.len();
        self.store.add_profiles(&caller.org, profiles, caller.actor()).await?;
        self.embeddings.wake();
        Ok(count)
    }

    /// Profiles that have not expired, newest change first.
    pub async fn profiles(
        &self,
        caller: &Caller,
        filter: ProfileFilter,
        query: Option<&str>,
        limit: usize,
    ) -> Result<Vec<Profile>> {
        let options = SearchOptions::text(query, limit);
        Ok(self.search_profiles(caller, filter, &options).await?.into_rows())
    }

    pub async fn search_profiles(
        &self,
        caller: &Caller,
        filter: ProfileFilter,
        options: &SearchOptions,
    ) -> Result<Found<Profile>> {
        let asked = self.ask(caller, options).await;
        self.find_profiles(caller, filter, options, asked.as_ref()).await
    }

    /// With a query that was read before; without one it is a listing.
    pub(crate) async fn find_profiles(
        &self,
        caller: &Caller,
        mut filter: ProfileFilter,
        options: &SearchOptions,
        asked: Option<&Asked>,
    ) -> Result<Found<Profile>> {
        caller.needs(Scope::Read)?;
        filter.alive_at.get_or_insert_with(|| self.now());
        let Some(asked) = asked else {
            return Ok(Found::listed(self.store.profiles(&caller.org, &filter, options.top_k).await?));
        };
        let rarity = self.rarity(caller, RowKind::Profile, filter.user_id.as_ref(), asked);
        let ask = asked.of(RowKind::Profile, rarity.as_ref(), options);
        let rows = self.store.search_profiles(&caller.org, &filter, &ask).await?;
        Ok(asked.rank(rows, rarity.as_ref(), options))
    }

    pub async fn delete_profile(&self, caller: &Caller, user_id: UserId, id: ProfileId) -> Result<()> {
        caller.needs(Scope::Write)?;
        let which = ProfileSelector::OfUser { user_id, id: id.clone() };
        let deleted = self.store.delete_profiles(&caller.org, &which, self.now()).await?;
        if deleted == 0 { Err(Error::not_found("profile", &id)) } else { Ok(()) }
    }

    /// Deletes the user's profiles that hold every word of the query.
    pub async fn delete_profiles_matching(
        &self,
        caller: &Caller,
        user_id: UserId,
        query: &str,
    ) -> Result<u64> {
        caller.needs(Scope::Write)?;
        let filter = ProfileFilter { user_id: Some(user_id), ..ProfileFilter::default() };
        let query = Ask::words(&TextQuery::all_of(query), MOST_DELETED_BY_QUERY);
        let found = self.store.search_profiles(&caller.org, &filter, &query).await?;
        let ids: Vec<ProfileId> = found.into_iter().map(|scored| scored.row.id).collect();
        self.delete_profiles(caller, ids).await
    }

    pub async fn delete_profiles(&self, caller: &Caller, ids: Vec<ProfileId>) -> Result<u64> {
        caller.needs(Scope::Write)?;
        Ok(self.store.delete_profiles(&caller.org, &ProfileSelector::Ids(ids), self.now()).await?)
    }

    pub async fn delete_all_profiles(&self, caller: &Caller) -> Result<u64> {
        caller.needs(Scope::Admin)?;
        Ok(self.store.delete_profiles(&caller.org, &ProfileSelector::All, self.now()).await?)
    }

    pub async fn upgrade_profiles(
        &self,
        caller: &Caller,
        user_id: Option<&UserId>,
        only_affected: bool,
    ) -> Result<AsRun<Upgrade>> {
        caller.needs(Scope::Write)?;
        let run = about_profiles(caller, RunKind::Upgrade, user_id);
        let done = self.store.upgrade_profiles(&caller.org, user_id, only_affected, &run, self.now()).await?;
        Ok(AsRun { run: (done != Upgrade::default()).then_some(run.id), done })
    }

    pub async fn downgrade_profiles(
        &self,
        caller: &Caller,
        user_id: Option<&UserId>,
        only_affected: bool,
    ) -> Result<AsRun<Downgrade>> {
        caller.needs(Scope::Write)?;
        let run = about_profiles(caller, RunKind::Downgrade, user_id);
        let done =
            self.store.downgrade_profiles(&caller.org, user_id, only_affected, &run, self.now()).await?;
        Ok(AsRun { run: (done != Downgrade::default()).then_some(run.id), done })
    }

    pub async fn profile_changes(&self, caller: &Caller) -> Result<Vec<ProfileChange>> {
        caller.needs(Scope::Read)?;
        Ok(self.store.profile_changes(&caller.org, CHANGE_LOG_ENTRIES).await?)
    }
}

impl NewProfile {
    fn into_profile(self, now: Timestamp) -> Profile {
        let last_modified = self.last_modified.unwrap_or(now);
        Profile {
            id: self.id.unwrap_or_else(ids::profile_id),
            user_id: self.user_id,
            request_id: self.request_id,
            last_modified,
            time_to_live: self.time_to_live,
            expires_at: self.expires_at.unwrap_or_else(|| self.time_to_live.expiry(last_modified)),
            source: self.source,
            status: self.status,
            body: self.body,
        }
    }
}
