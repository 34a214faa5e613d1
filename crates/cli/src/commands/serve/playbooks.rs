use std::path::PathBuf;

use clap::Args;
use reflexio_app::{
    CommandTool, CommandTools, McpOperator, McpTools, PlaybookFile, PlaybookProgram, PlaybookSettings, Tools,
};

use crate::commands::playbook::programs_in;

/// Markdown playbooks that callers may run.
#[derive(Debug, Clone, Args)]
pub(super) struct PlaybookArgs {
    /// A folder of Markdown playbooks that can be run over HTTP and replayed by the optimiser; each goes by the name of its
    /// file.
    #[arg(long, value_name = "DIR", env = "REFLEXIO_PLAYBOOKS")]
    playbooks: Option<PathBuf>,
    /// A tool that playbooks may call: `Name(parameters) => command`. May be given several times.
    #[arg(long, value_name = "TOOL")]
    playbook_tool: Vec<CommandTool>,
    /// Let an agent of a playbook start a command of its own (`remote` with `transport: stdio`).
    #[arg(long, env = "REFLEXIO_PLAYBOOK_COMMANDS")]
    playbook_commands: bool,
}

impl PlaybookArgs {
    /// Reads the folder. A program with errors is there too: whoever lists it sees why it cannot run.
    pub(super) fn settings(&self) -> anyhow::Result<PlaybookSettings> {
        let mut programs = Vec::new();
        if let Some(folder) = &self.playbooks {
            for program in programs_in(folder)? {
                let file = |file: &playbook_lang::SourceFile| PlaybookFile {
                    name: file.name.clone(),
                    text: file.text.clone(),
                };
                let sources: Vec<PlaybookFile> =
                    program.sources().iter().map(|(_, source)| file(source)).collect();
                let Some((first, imports)) = sources.split_first() else { continue };
                let name = std::path::Path::new(&first.name).file_stem().unwrap_or_default();
                let name = name.to_string_lossy().into_owned();
                if programs.iter().any(|known: &PlaybookProgram| known.name == name) {
                    tracing::warn!(name, "two playbooks have this name; the first one is used");
                    continue;
                }
                programs.push(PlaybookProgram {
                    name,
                    files: vec![first.clone()],
                    imports: imports.to_vec(),
                });
            }
            tracing::info!(count = programs.len(), folder = %folder.display(), "playbooks can be run");
        }
        let operator = McpOperator {
            variable: |name| std::env::var(name).ok(),
            may_run_commands: self.playbook_commands,
        };
        let commands = CommandTools::new(self.playbook_tool.clone());
        Ok(PlaybookSettings { programs, tools: Tools { commands, mcp: McpTools::new(operator) } })
    }
}
