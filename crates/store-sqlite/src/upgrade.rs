use reflexio_store::{Downgrade, Upgrade};
use reflexio_types::{LineageAction, OrgId, Status, Timestamp};
use rusqlite::params_from_iter;

use crate::error::Result;
use crate::learned::Kind;
use crate::predicate::Predicate;
use crate::writer::Tx;

/// What happens to the rows that the pending ones replace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Replaced {
    Archived,
    Kept,
}

/// Archived rows go, current ones are archived, pending ones become current; nothing at all happens
/// when there is nothing to promote.
pub(crate) fn upgrade(
    tx: &mut Tx<'_>,
    kind: Kind,
    org: &OrgId,
    scope: &Predicate,
    replaced: Replaced,
    at: Timestamp,
) -> Result<Upgrade> {
    let of = |status: Status| scope.clone().text("t.status", Some(status.as_str()));
    if !any(tx, kind, of(Status::Pending))? {
        return Ok(Upgrade::default());
    }
    let mut done = Upgrade::default();
    if replaced == Replaced::Archived {
        done.deleted = kind.delete(tx, org, of(Status::Archived), at)?;
        let to_archive = (Status::Archived, LineageAction::Archived);
        done.archived = kind.move_to(tx, org, of(Status::Current), to_archive, at)?;
    }
    done.promoted =
        kind.move_to(tx, org, of(Status::Pending), (Status::Current, LineageAction::Promoted), at)?;
    Ok(done)
}

/// Archived rows become current and current ones archived; nothing at all happens when there is nothing to
/// restore.
pub(crate) fn downgrade(
    tx: &mut Tx<'_>,
    kind: Kind,
    org: &OrgId,
    scope: &Predicate,
    at: Timestamp,
) -> Result<Downgrade> {
    let of = |status: Status| scope.clone().text("t.status", Some(status.as_str()));
    // Remembered before the others join them in the archive.
    let archived = kind.keys(tx, of(Status::Archived))?;
    if archived.is_empty() {
        return Ok(Downgrade::default());
    }
    let to_archive = (Status::Archived, LineageAction::Archived);
    let demoted = kind.move_to(tx, org, of(Status::Current), to_archive, at)?;
    let back = Predicate::checking_org(org)
        .within(&format!("t.{}", kind.key), archived.into_iter().map(Into::into).collect());
    let restored = kind.move_to(tx, org, back, (Status::Current, LineageAction::Restored), at)?;
    Ok(Downgrade { demoted, restored })
}

fn any(tx: &Tx<'_>, kind: Kind, which: Predicate) -> Result<bool> {
    let text = format!("SELECT EXISTS (SELECT 1 FROM {} t WHERE {})", kind.table, which.sql());
    let mut statement = tx.sql.prepare_cached(&text)?;
    Ok(statement.query_row(params_from_iter(which.into_values()), |row| row.get(0))?)
}
