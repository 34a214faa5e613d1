use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use reflexio_assistant::{Operator, Scripts};
use reflexio_llm::Reach;

/// What a script may always see: without it, it finds no interpreter.
const ALWAYS: &str = "PATH";

/// Which assistants the optimiser may replay conversations with.
#[derive(Debug, Args)]
pub(crate) struct AssistantArgs {
    /// The folder from which `assistant_script_path` may name a script; without it, no script runs.
    #[arg(long, value_name = "FOLDER", env = "REFLEXIO_ASSISTANT_SCRIPTS")]
    assistant_scripts: Option<PathBuf>,
    /// A variable of the environment that such scripts see beside PATH. May be given several times.
    #[arg(long, value_name = "NAME", env = "REFLEXIO_ASSISTANT_ENV", value_delimiter = ',')]
    assistant_env: Vec<String>,
    /// Let `webhook_url` name an address in a private network or on this machine.
    #[arg(long, env = "REFLEXIO_ASSISTANT_PRIVATE_NETWORK")]
    assistant_private_network: bool,
}

impl AssistantArgs {
    pub(super) fn operator(&self) -> anyhow::Result<Operator> {
        let names = std::iter::once(ALWAYS).chain(self.assistant_env.iter().map(|name| name.trim()));
        let environment =
            names.filter_map(|name| Some((name.to_owned(), std::env::var(name).ok()?))).collect();
        let scripts = self.assistant_scripts.as_ref().map(|folder| {
            Scripts::from(folder, environment)
                .with_context(|| format!("--assistant-scripts {}: no such folder", folder.display()))
        });
        let reach = if self.assistant_private_network { Reach::Anywhere } else { Reach::Public };
        Ok(Operator { reach, scripts: scripts.transpose()? })
    }
}
