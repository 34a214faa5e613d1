use clap::Args;
use reflexio_api_types::{CarryAgentPlaybooksRequest, CarryAgentPlaybooksResponse, NonBlank};

use super::delete::counted;
use crate::context::Context;

/// Arguments of `agent-playbooks carry`.
#[derive(Debug, Args)]
pub(crate) struct Carry {
    /// The version whose approved rules are proposed.
    #[arg(long, value_name = "VERSION")]
    from: String,
    /// The version they are proposed for.
    #[arg(long, value_name = "VERSION")]
    to: String,
    /// Only say what would happen.
    #[arg(long)]
    dry_run: bool,
    /// Also for a version that nothing was published with yet.
    #[arg(long)]
    new: bool,
}

impl Carry {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let request = CarryAgentPlaybooksRequest {
            from_version: NonBlank(self.from.clone()),
            to_version: NonBlank(self.to.clone()),
            dry_run: self.dry_run,
            allow_new_version: self.new,
        };
        let answer = context.client()?.carry_agent_playbooks(&request).await?;
        Ok(context.out.result(&answer, || self.words(&answer))?)
    }

    fn words(&self, answer: &CarryAgentPlaybooksResponse) -> String {
        let count = counted(answer.carried.len() as u64, "rule");
        let verb = if answer.dry_run { "would be proposed" } else { "proposed" };
        let mut lines = vec![format!("{count} {verb} for {}", self.to)];
        lines.extend(
            answer
                .left_out
                .iter()
                .map(|rule| format!("  {} left out: {}", rule.agent_playbook_id, rule.reason)),
        );
        if let Some(run) = &answer.run_id {
            lines.push(format!("`reflexio agent-playbooks list --status pending` shows them, `reflexio runs undo {run}` takes them back"));
        }
        lines.join("\n")
    }
}
