use std::cmp::Ordering;

use async_trait::async_trait;
use reflexio_store::{
    Ask, Downgrade, ProfileFilter, ProfileSelector, Profiles, Result, RunStart, Scored, Upgrade,
};
use reflexio_types::{
    LineageAction, OrgId, Profile, ProfileId, ProfileTimeToLive, RequestId, Status, Timestamp, UserId,
};
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row};

use crate::SqliteStore;
use crate::error::{Fault, Result as Outcome};
use crate::fts::{self, Entry, Index, Searchable};
use crate::learned::PROFILES;
use crate::lineage::{self, Event};
use crate::nearest::Scope;
use crate::predicate::Predicate;
use crate::rows::{Stored, compact, json, select, word};
use crate::upgrade::{Replaced, downgrade, upgrade};
use crate::writer::Tx;

impl Stored for Profile {
    const FROM: &'static str = "profiles t";
    const COLUMNS: &'static str = "t.id, t.user_id, t.request_id, t.last_modified, t.time_to_live, t.expires_at, \
                                   t.source, t.status, t.body";
    const ORDER: &'static str = "t.last_modified DESC, t.id";

    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            id: ProfileId::new(row.get::<_, String>(0)?),
            user_id: UserId::new(row.get::<_, String>(1)?),
            request_id: RequestId::new(row.get::<_, String>(2)?),
            last_modified: Timestamp(row.get(3)?),
            time_to_live: word(row, 4, ProfileTimeToLive::parse)?,
            expires_at: Timestamp(row.get(5)?),
            source: row.get(6)?,
            status: word(row, 7, Status::parse)?,
            body: json(row, 8)?,
        })
    }
}

impl Searchable for Profile {
    const INDEX: Index = Index::Profiles;
    const TABLE: &'static str = "profiles";
    const KEY: &'static str = "t.key";

    fn text(&self) -> String {
        self.searchable_text()
    }

    fn newest_first(&self, other: &Self) -> Ordering {
        other.last_modified.cmp(&self.last_modified).then_with(|| self.id.cmp(&other.id))
    }
}

#[async_trait]
impl Profiles for SqliteStore {
    async fn add_profiles(&self, org: &OrgId, profiles: Vec<Profile>, actor: Option<&str>) -> Result<()> {
        let texts = profiles.iter().map(|row| (Some(row.user_id.clone()), row.searchable_text())).collect();
        let entries = fts::entries(org, texts).await?;
        let (org, actor) = (org.clone(), actor.map(str::to_owned));
        self.writer
            .write(move |tx| {
                let rows = profiles.iter().zip(entries);
                rows.into_iter().try_for_each(|(row, entry)| add(tx, &org, row, entry, actor.as_deref()))
            })
            .await
    }

    async fn profiles(&self, org: &OrgId, filter: &ProfileFilter, limit: usize) -> Result<Vec<Profile>> {
        let predicate = filtered(org, filter);
        self.readers.read(move |sql| select(sql, predicate, Profile::ORDER, limit)).await
    }

    async fn search_profiles(
        &self,
        org: &OrgId,
        filter: &ProfileFilter,
        ask: &Ask,
    ) -> Result<Vec<Scored<Profile>>> {
        self.search(org, scope(filter), filtered(org, filter), ask).await
    }

    async fn delete_profiles(&self, org: &OrgId, which: &ProfileSelector, at: Timestamp) -> Result<u64> {
        let all = Predicate::of_org(org);
        let predicate = match which {
            ProfileSelector::Ids(ids) => {
                all.within("t.id", ids.iter().map(|id| id.as_str().into()).collect())
            }
            ProfileSelector::OfUser { user_id, id } => {
                all.text("t.id", Some(id.as_str())).text("t.user_id", Some(user_id.as_str()))
            }
            ProfileSelector::All => all,
        };
        let org = org.clone();
        self.writer.write(move |tx| PROFILES.delete(tx, &org, predicate, at)).await
    }

    async fn upgrade_profiles(
        &self,
        org: &OrgId,
        user_id: Option<&UserId>,
        only_affected: bool,
        run: &RunStart,
        at: Timestamp,
    ) -> Result<Upgrade> {
        let scope = of_users(org, user_id, only_affected.then_some(Status::Pending));
        let replaced = Replaced::Archived;
        self.write_run(org, run, at, move |tx, org| upgrade(tx, PROFILES, org, &scope, replaced, at)).await
    }

    async fn downgrade_profiles(
        &self,
        org: &OrgId,
        user_id: Option<&UserId>,
        only_affected: bool,
        run: &RunStart,
        at: Timestamp,
    ) -> Result<Downgrade> {
        let scope = of_users(org, user_id, only_affected.then_some(Status::Archived));
        self.write_run(org, run, at, move |tx, org| downgrade(tx, PROFILES, org, &scope, at)).await
    }
}

/// The profiles of one user or of all; only of users with a profile of this status, if one is given.
fn of_users(org: &OrgId, user_id: Option<&UserId>, with: Option<Status>) -> Predicate {
    let scope = Predicate::of_org(org).text("t.user_id", user_id.map(UserId::as_str));
    match with {
        Some(status) => {
            let affected = "t.user_id IN (SELECT p.user_id FROM profiles p
                            WHERE p.org_id = t.org_id AND p.status = ?)";
            scope.and(affected, [Value::Text(status.as_str().to_owned())])
        }
        None => scope,
    }
}

fn scope(filter: &ProfileFilter) -> Scope {
    Scope {
        user: filter.user_id.clone(),
        source: filter.source.clone(),
        status: filter.status.clone(),
        time: filter.time,
        tags: filter.tags.clone(),
        few: filter.profile_id.is_some() || filter.request_id.is_some(),
        ..Scope::default()
    }
}

pub(crate) fn filtered(org: &OrgId, filter: &ProfileFilter) -> Predicate {
    let mut predicate = Predicate::of_org(org)
        .text("t.user_id", filter.user_id.as_ref().map(UserId::as_str))
        .text("t.id", filter.profile_id.as_ref().map(ProfileId::as_str))
        .text("t.request_id", filter.request_id.as_ref().map(RequestId::as_str))
        .text("t.source", filter.source.as_deref())
        .text("t.time_to_live", filter.time_to_live.map(ProfileTimeToLive::as_str))
        .time("t.last_modified", filter.time)
        .one_of("t.status", filter.status.iter().map(|status| status.as_str()))
        .any_in_body("$.tags", &filter.tags);
    if let Some(name) = &filter.extractor_name {
        predicate = predicate.any_in_body("$.extractor_names", std::slice::from_ref(name));
    }
    if let Some(piece) = &filter.custom_feature {
        let holds = "instr(t.body -> '$.custom_features', ?) > 0";
        predicate = predicate.and(holds, [Value::Text(piece.clone())]);
    }
    match filter.alive_at {
        Some(at) => predicate.and("t.expires_at >= ?", [Value::Integer(at.0)]),
        None => predicate,
    }
}

pub(crate) fn add(
    tx: &mut Tx<'_>,
    org: &OrgId,
    profile: &Profile,
    entry: Entry,
    actor: Option<&str>,
) -> Outcome<()> {
    let Some(key) = insert(tx.sql, org, profile)? else {
        return Err(Fault::duplicate("profile_id", &profile.id));
    };
    tx.index.put(Index::Profiles, key, entry);
    let event = Event {
        subject: (PROFILES.subject, profile.id.as_str()),
        action: LineageAction::Added,
        user: Some(profile.user_id.as_str()),
        request: Some(profile.request_id.as_str()),
        actor,
        at: profile.last_modified,
    };
    lineage::record(tx.sql, org, &event)
}

/// The key of the new row; nothing when the org already has a profile of this id.
pub(crate) fn insert(sql: &Connection, org: &OrgId, profile: &Profile) -> Outcome<Option<i64>> {
    let mut statement = sql.prepare_cached(
        "INSERT INTO profiles
         (org_id, id, user_id, request_id, last_modified, time_to_live, expires_at, source, status, body)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING key",
    )?;
    let values = (
        org.as_str(),
        profile.id.as_str(),
        profile.user_id.as_str(),
        profile.request_id.as_str(),
        profile.last_modified.0,
        profile.time_to_live.as_str(),
        profile.expires_at.0,
        &profile.source,
        profile.status.as_str(),
        compact(&profile.body)?,
    );
    Ok(statement.query_row(values, |row| row.get(0)).optional()?)
}
