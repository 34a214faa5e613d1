//! A row that takes the place of another one, unless somebody touched that one meanwhile.

use reflexio_store::Error;
use reflexio_types::{
    AgentPlaybook, AgentPlaybookId, LineageAction, OrgId, PlaybookStatus, Status, Timestamp, UserId,
    UserPlaybook, UserPlaybookId,
};

use crate::error::Result;
use crate::fts::{Entry, Index};
use crate::learned::USER_PLAYBOOKS;
use crate::lineage::{self, Event};
use crate::predicate::Predicate;
use crate::rows::{compact, find};
use crate::writer::Tx;
use crate::{agent_playbooks, user_playbooks};

pub(crate) fn of_agent_playbook(
    tx: &mut Tx<'_>,
    org: &OrgId,
    row: &AgentPlaybook,
    replaces: &AgentPlaybook,
    entry: Entry,
    at: Timestamp,
) -> Result<AgentPlaybookId> {
    let id = agent_playbooks::add(tx, org, row, entry, None)?;
    retire(tx, org, replaces, Some(id), at)?;
    Ok(id)
}

/// A pending rule that nobody touched since it was read gives way.
pub(crate) fn retire(
    tx: &mut Tx<'_>,
    org: &OrgId,
    old: &AgentPlaybook,
    by: Option<AgentPlaybookId>,
    at: Timestamp,
) -> Result<()> {
    let stored = find::<AgentPlaybook>(tx.sql, Predicate::of_org(org).number("t.id", Some(old.id.0)))?;
    let untouched = |row: &AgentPlaybook| {
        row.playbook_status == PlaybookStatus::Pending
            && row.status == Status::Current
            && row.body.content == old.body.content
    };
    let Some(mut row) = stored.filter(untouched) else {
        return Err(Error::Changed { what: "the agent playbook" }.into());
    };
    row.body.superseded_by = by;
    let text = "UPDATE agent_playbooks SET status = ?, body = ? WHERE org_id = ? AND id = ?";
    let values = (Status::Superseded.as_str(), compact(&row.body)?, org.as_str(), row.id.0);
    tx.sql.prepare_cached(text)?.execute(values)?;
    tx.index.relabel(Index::AgentPlaybooks, org, row.id.0);
    agent_playbooks::note(tx.sql, org, row.id, LineageAction::Superseded, None, at)
}

pub(crate) fn of_user_playbook(
    tx: &mut Tx<'_>,
    org: &OrgId,
    row: &UserPlaybook,
    replaces: &UserPlaybook,
    entry: Entry,
    at: Timestamp,
) -> Result<UserPlaybookId> {
    let which = Predicate::of_org(org).number("t.id", Some(replaces.id.0));
    let untouched =
        |row: &UserPlaybook| row.status == Status::Current && row.body.content == replaces.body.content;
    let Some(mut old) = find::<UserPlaybook>(tx.sql, which)?.filter(untouched) else {
        return Err(Error::Changed { what: "the user playbook" }.into());
    };
    let id = user_playbooks::add(tx, org, row, entry, None)?;
    old.body.superseded_by = Some(id);
    let text = "UPDATE user_playbooks SET status = ?, body = ? WHERE org_id = ? AND id = ?";
    let values = (Status::Superseded.as_str(), compact(&old.body)?, org.as_str(), old.id.0);
    tx.sql.prepare_cached(text)?.execute(values)?;
    tx.index.relabel(Index::UserPlaybooks, org, old.id.0);
    let event = Event {
        subject: (USER_PLAYBOOKS.subject, &old.id.to_string()),
        action: LineageAction::Superseded,
        user: old.user_id.as_ref().map(UserId::as_str),
        request: Some(old.request_id.as_str()),
        actor: None,
        at,
    };
    lineage::record(tx.sql, org, &event)?;
    Ok(id)
}
