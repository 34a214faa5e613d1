//! Deleting by id, or everything after a question.

use clap::Args;
use reflexio_api_types::BulkDeleteResponse;

use crate::ask::confirm;
use crate::context::Context;
use crate::failure::Failure;

/// What to delete.
#[derive(Debug, Args)]
pub(crate) struct Delete<Id: Clone + Send + Sync + std::str::FromStr + 'static>
where
    Id::Err: std::error::Error + Send + Sync + 'static,
{
    /// The rows to delete.
    #[arg(value_name = "ID", required_unless_present = "all", conflicts_with = "all")]
    pub(crate) ids: Vec<Id>,
    #[command(flatten)]
    pub(crate) all: All,
}

/// Deleting everything of a kind.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct All {
    /// Delete all of them.
    #[arg(long)]
    pub(crate) all: bool,
    /// Do not ask.
    #[arg(long, short)]
    pub(crate) yes: bool,
}

impl All {
    pub(crate) fn confirm(self, context: &Context, what: &str) -> anyhow::Result<()> {
        confirm(context, &format!("delete all {what} on {}", context.server_url), self.yes)
    }
}

/// Says what was deleted, and fails when some of it was not there.
pub(crate) fn report(
    context: &Context,
    what: &str,
    asked: Option<usize>,
    answer: &BulkDeleteResponse,
) -> anyhow::Result<()> {
    let deleted = answer.deleted_count;
    let missing = asked.map_or(0, |asked| (asked as u64).saturating_sub(deleted));
    if missing > 0 && deleted == 0 {
        return Err(Failure::not_found(format!("no such {what}: nothing was deleted")).into());
    }
    context.out.done(answer, || format!("deleted {}", counted(deleted, what)))?;
    if missing > 0 {
        return Err(Failure::not_found(format!("{missing} of them did not exist")).into());
    }
    Ok(())
}

/// `1 profile`, `2 profiles`.
pub(crate) fn counted(count: u64, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
