use clap::Subcommand;

use super::delete::counted;
use crate::ask::confirm;
use crate::context::Context;

#[derive(Debug, Subcommand)]
pub(crate) enum Users {
    /// Erase everything of one user: interactions, profiles and user playbooks. Agent playbooks stay.
    Clear {
        #[arg(value_name = "USER_ID")]
        user_id: String,
        /// Do not ask.
        #[arg(long, short)]
        yes: bool,
    },
}

impl Users {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let Users::Clear { user_id, yes } = self;
        confirm(context, &format!("erase everything of user `{user_id}` on {}", context.server_url), *yes)?;
        let answer = context.client()?.clear_user_data(user_id).await?;
        let parts: Vec<String> = answer
            .deleted_counts
            .iter()
            .filter(|(_, count)| **count > 0)
            .map(|(what, count)| counted(*count, what.trim_end_matches('s')).replace('_', " "))
            .collect();
        Ok(context.out.done(&answer, || match parts.as_slice() {
            [] => format!("there was nothing of user `{user_id}`"),
            parts => format!("erased {}", parts.join(", ")),
        })?)
    }
}
