use std::io::Read;
use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use jiff::Timestamp;
use playbook_run::engine::Start;
use playbook_run::{
    AssistantError, AssistantRequest, CommandTool, CommandTools, FileJournal, Journal as _, Recording, assist,
};
use serde_json::json;

use super::run::{answerer, compile, parse, start_with};
use crate::context::Context;
use crate::failure::Failure;

/// Arguments of `playbook assistant`.
#[derive(Debug, Args)]
#[command(
    after_help = "Reads {\"messages\": [{\"role\", \"content\"}], \"playbooks\": [{\"id\", \"content\", \"trigger\"}]} and prints \
                  {\"content\"}: what an optimiser's `assistant_script_path` must do. The rules are shown to the model as \
                  learned notes, below the notes of the author."
)]
pub(crate) struct Assistant {
    /// Files, read together as one program.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// A parameter or variable; the value is JSON, or else a text. May be given several times.
    #[arg(long, value_name = "NAME=VALUE")]
    param: Vec<String>,
    /// The model for steps in words; otherwise the environment's.
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// The journal of an earlier run (in `playbook-runs` of the data folder): tools give what they gave then. May be given several
    /// times.
    #[arg(long, value_name = "JOURNAL")]
    recorded: Vec<PathBuf>,
    /// A tool to call for what was not recorded: `Name(parameters) => command`. May be given several times.
    #[arg(long, value_name = "TOOL")]
    tool: Vec<CommandTool>,
    /// A tool of the program, by its parameters, whose results are all recorded: `Name(parameters)`.
    #[arg(long, value_name = "SIGNATURE")]
    recorded_tool: Vec<String>,
}

impl Assistant {
    pub(crate) fn run(&self, context: &Context) -> anyhow::Result<()> {
        crate::run::wait(self.answer(context))
    }

    async fn answer(&self, context: &Context) -> anyhow::Result<()> {
        let mut text = String::new();
        std::io::stdin().lock().read_to_string(&mut text).context("standard input cannot be read")?;
        let request: AssistantRequest = serde_json::from_str(&text).map_err(|error| {
            Failure::bad_input(format!("standard input is not a request: {error}"))
                .hint("`reflexio playbook assistant --help` shows what it looks like")
        })?;
        let mut tools: Vec<_> = self.tool.iter().map(|tool| tool.tool.clone()).collect();
        for signature in &self.recorded_tool {
            tools.push(
                playbook_run::parse_tool(signature).map_err(|error| Failure::usage(error.to_string()))?,
            );
        }
        let files: Vec<String> = self.files.iter().map(|file| file.to_string_lossy().into_owned()).collect();
        let mut recording = Recording::default();
        for path in &self.recorded {
            let journal = FileJournal::open(path).with_context(|| path.display().to_string())?;
            recording.add(&journal.read().await?);
            // Calls are replayed with the arguments as they were named then.
            let offered = journal.header().tools.iter();
            let new = offered.filter(|tool| !tools.iter().any(|known| known.name == tool.name));
            tools.extend(new.cloned().collect::<Vec<_>>());
        }
        let code = compile(parse(&files)?, tools)?;
        let start: Start = start_with(&code, None, &self.param)?;
        let model = answerer(self.model.as_deref(), "assistant")?;
        let commands = CommandTools::new(self.tool.clone());
        let now = u64::try_from(Timestamp::now().as_millisecond()).unwrap_or(0);
        let content = assist(code, start, &request, &*model, recording, &commands, now).await;
        let content = content.map_err(|error| match error {
            AssistantError::Request(_) | AssistantError::Over(_) | AssistantError::Silent => {
                Failure::bad_input(error.to_string())
            }
            AssistantError::Model(reason) => Failure::failed(format!("a step needs a model: {reason}"))
                .hint("set a key such as OPENAI_API_KEY, or give --model"),
            AssistantError::Run(error) => Failure::failed(error.to_string()),
        })?;
        Ok(context.out.json(&json!({ "content": content }))?)
    }
}
