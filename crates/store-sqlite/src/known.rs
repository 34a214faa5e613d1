//! What a lesson does to rows that are there already: they give way, are confirmed, or are forgotten.

use reflexio_store::{Confirmed, Error, Lesson, Retired, Retirement};
use reflexio_types::{
    InteractionId, LineageAction, LineageSubject, OrgId, Profile, ProfileId, RequestId, Status, Timestamp,
    UserId, UserPlaybook, UserPlaybookId,
};

use crate::error::Result;
use crate::learned::{Kind, PROFILES, USER_PLAYBOOKS};
use crate::lineage::{self, Event};
use crate::predicate::Predicate;
use crate::rows::{compact, find};
use crate::writer::Tx;

/// A row that is confirmed over and over keeps the newest turns that show it.
const MOST_EVIDENCE: usize = 64;
const CHANGED: Error = Error::Changed { what: "a row that was to give way to a new one" };

/// The new rows of the lesson are written; `playbook_ids` are theirs.
pub(crate) fn change(
    tx: &mut Tx<'_>,
    org: &OrgId,
    user: &UserId,
    lesson: &Lesson,
    playbook_ids: &[UserPlaybookId],
    at: Timestamp,
) -> Result<()> {
    let known = KnownRows { org, user, at };
    for retired in &lesson.retired {
        match &retired.row {
            LineageSubject::Profile(id) => {
                let successor = lesson.profiles.get(retired.successor).ok_or(CHANGED)?;
                known.retire_profile(tx, id, retired, successor)?;
            }
            LineageSubject::UserPlaybook(id) => {
                let successor = lesson.user_playbooks.get(retired.successor).ok_or(CHANGED)?;
                let new_id = playbook_ids.get(retired.successor).ok_or(CHANGED)?;
                known.retire_playbook(tx, *id, retired, (*new_id, &successor.request_id))?;
            }
            // They belong to no user.
            LineageSubject::AgentPlaybook(_) => return Err(CHANGED.into()),
        }
    }
    lesson.confirmed.iter().try_for_each(|confirmed| known.confirm(tx, confirmed))?;
    let forgotten = lesson.forgotten.iter().map(|id| id.as_str().into()).collect();
    PROFILES.delete(tx, org, known.all().within("t.id", forgotten), at)?;
    Ok(())
}

/// The rows of one user.
struct KnownRows<'a> {
    org: &'a OrgId,
    user: &'a UserId,
    at: Timestamp,
}

impl KnownRows<'_> {
    fn all(&self) -> Predicate {
        Predicate::of_org(self.org).text("t.user_id", Some(self.user.as_str()))
    }

    fn retire_profile(
        &self,
        tx: &mut Tx<'_>,
        id: &ProfileId,
        retired: &Retired,
        successor: &Profile,
    ) -> Result<()> {
        let row = find::<Profile>(tx.sql, self.all().text("t.id", Some(id.as_str())))?;
        let mut row = row.filter(|row| in_use(row.status) && row.body.content == retired.content);
        let Some(row) = &mut row else { return Err(CHANGED.into()) };
        match retired.how {
            Retirement::Merged => row.body.merged_into = Some(successor.id.clone()),
            Retirement::Superseded => row.body.superseded_by = Some(successor.id.clone()),
        }
        self.put_body(tx, PROFILES, id.as_str(), &compact(&row.body)?)?;
        self.end(tx, PROFILES, id.as_str(), retired.how, &successor.request_id)
    }

    fn retire_playbook(
        &self,
        tx: &mut Tx<'_>,
        id: UserPlaybookId,
        retired: &Retired,
        (new_id, request): (UserPlaybookId, &RequestId),
    ) -> Result<()> {
        let row = find::<UserPlaybook>(tx.sql, self.all().number("t.id", Some(id.0)))?;
        let mut row = row.filter(|row| in_use(row.status) && row.body.content == retired.content);
        let Some(row) = &mut row else { return Err(CHANGED.into()) };
        match retired.how {
            Retirement::Merged => row.body.merged_into = Some(new_id),
            Retirement::Superseded => row.body.superseded_by = Some(new_id),
        }
        self.put_body(tx, USER_PLAYBOOKS, &id.to_string(), &compact(&row.body)?)?;
        self.end(tx, USER_PLAYBOOKS, &id.to_string(), retired.how, request)
    }

    fn end(&self, tx: &mut Tx<'_>, kind: Kind, id: &str, how: Retirement, request: &RequestId) -> Result<()> {
        let (status, action) = match how {
            Retirement::Merged => (Status::Merged, LineageAction::Merged),
            Retirement::Superseded => (Status::Superseded, LineageAction::Superseded),
        };
        let text = format!(
            "UPDATE {} SET status = ? WHERE org_id = ? AND id = ? RETURNING {}",
            kind.table, kind.key
        );
        let values = (status.as_str(), self.org.as_str(), id);
        let key: i64 = tx.sql.prepare_cached(&text)?.query_row(values, |row| row.get(0))?;
        tx.index.relabel(kind.index, self.org, key);
        let event = Event {
            subject: (kind.subject, id),
            action,
            user: Some(self.user.as_str()),
            request: Some(request.as_str()),
            actor: None,
            at: self.at,
        };
        lineage::record(tx.sql, self.org, &event)
    }

    fn confirm(&self, tx: &mut Tx<'_>, confirmed: &Confirmed) -> Result<()> {
        match &confirmed.row {
            LineageSubject::Profile(id) => self.confirm_profile(tx, id, &confirmed.evidence),
            LineageSubject::UserPlaybook(id) => {
                let found = find::<UserPlaybook>(tx.sql, self.all().number("t.id", Some(id.0)))?;
                let Some(mut row) = found else { return Ok(()) };
                add_evidence(&mut row.body.source_interaction_ids, &confirmed.evidence);
                self.put_body(tx, USER_PLAYBOOKS, &id.to_string(), &compact(&row.body)?)
            }
            LineageSubject::AgentPlaybook(_) => Ok(()),
        }
    }

    fn confirm_profile(&self, tx: &mut Tx<'_>, id: &ProfileId, evidence: &[InteractionId]) -> Result<()> {
        let found = find::<Profile>(tx.sql, self.all().text("t.id", Some(id.as_str())))?;
        let Some(mut row) = found else { return Ok(()) };
        add_evidence(&mut row.body.source_interaction_ids, evidence);
        self.put_body(tx, PROFILES, id.as_str(), &compact(&row.body)?)?;
        let text =
            "UPDATE profiles SET last_modified = max(last_modified, ?1), expires_at = max(expires_at, ?2)
                    WHERE org_id = ?3 AND id = ?4 RETURNING key";
        let values = (self.at.0, row.time_to_live.expiry(self.at).0, self.org.as_str(), id.as_str());
        let key: i64 = tx.sql.prepare_cached(text)?.query_row(values, |row| row.get(0))?;
        tx.index.relabel(PROFILES.index, self.org, key);
        Ok(())
    }

    /// Stores a body whose searchable text is as it was.
    fn put_body(&self, tx: &Tx<'_>, kind: Kind, id: &str, body: &str) -> Result<()> {
        let text = format!("UPDATE {} SET body = ? WHERE org_id = ? AND id = ?", kind.table);
        tx.sql.prepare_cached(&text)?.execute((body, self.org.as_str(), id))?;
        Ok(())
    }
}

fn in_use(status: Status) -> bool {
    matches!(status, Status::Current | Status::Pending)
}

fn add_evidence(known: &mut Vec<InteractionId>, more: &[InteractionId]) {
    known.extend_from_slice(more);
    known.sort_unstable();
    known.dedup();
    let too_many = known.len().saturating_sub(MOST_EVIDENCE);
    known.drain(..too_many);
}
