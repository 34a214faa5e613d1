//! A program as a chat in the terminal, or between pipes.

mod budget;
mod ending;
mod folder;
mod host;
mod input;
mod memory;
mod remote;
mod trace;

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context as _;
use clap::Args;
use jiff::{Timestamp, Zoned};
use playbook_lang::Program;
use playbook_run::engine::{Playbooks, Settings, Start, Tool};
use playbook_run::{
    Answerer, Around, Asker, CommandTool, CommandTools, Driver, FileJournal, Header, Journal as _,
    McpOperator, McpTools, NoModel, ParamError, Pause, Tools,
};
use reflexio_llm::{Models, Options, Services};
use reflexio_types::Config;

use super::disk::{self, Disk};
use super::given::Group;
use crate::context::Context;
use crate::data_dir::DataDirArg;
use crate::exit::Code;
use crate::failure::Failure;
use folder::Runs;
use host::Terminal;
use input::Input;
use memory::Memory;

/// Arguments of `playbook run`.
#[derive(Debug, Args)]
#[command(
    after_help = "Without a terminal, each line of standard input is a message of the user; standard output holds what the \
                  agents say and nothing else.\n\nExit status: 0 the run is over or waits for nothing that was \
                  begun, 1 it failed or stopped at a limit, 2 the command line is wrong, 3 an answer of the user was \
                  needed and there was none, 130 interrupted."
)]
pub(crate) struct Run {
    /// Files, read together as one program.
    #[arg(value_name = "FILE", required_unless_present = "resume", conflicts_with = "resume")]
    files: Vec<PathBuf>,
    /// Go on with a run that was interrupted, at the same step.
    #[arg(long, value_name = "RUN")]
    resume: Option<String>,
    /// The playbook to start; without it, those that begin by themselves.
    #[arg(long, value_name = "PLAYBOOK", conflicts_with = "resume")]
    start: Option<String>,
    /// A parameter or variable; the value is JSON, or else a text. May be given several times.
    #[arg(long, value_name = "NAME=VALUE", conflicts_with = "resume")]
    param: Vec<String>,
    /// Who talks to the playbooks.
    #[arg(long, value_name = "ID", env = "REFLEXIO_USER_ID")]
    user_id: Option<String>,
    /// The model for steps in words, such as openai/gpt-5-mini; otherwise the environment's.
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// Say this first. May be given several times.
    #[arg(long, value_name = "TEXT")]
    message: Vec<String>,
    /// A tool that playbooks may call: `Name(parameters) => command`. The command gets its arguments as JSON on standard
    /// input and prints the result. May be given several times, and again with --resume.
    #[arg(long, value_name = "TOOL")]
    tool: Vec<CommandTool>,
    /// Run it on the server: FILE is the name of one of its playbooks, and its tools and models are the server's.
    #[arg(long, conflicts_with_all = ["model", "tool"])]
    server: bool,
    /// Do not publish the conversation to the server.
    #[arg(long)]
    no_publish: bool,
    /// Do not show the model what the server has learned: approved rules, and the user's profile.
    #[arg(long)]
    no_learned: bool,
    #[command(flatten)]
    budget: budget::BudgetArgs,
    /// Show every step, decision and call on standard error.
    #[arg(long, short)]
    verbose: bool,
    #[command(flatten)]
    data: DataDirArg,
}

impl Run {
    pub(crate) fn run(&self, context: &Context) -> anyhow::Result<()> {
        if self.server {
            crate::run::wait(self.converse_remotely(context))
        } else {
            crate::run::wait(self.converse(context))
        }
    }

    async fn converse_remotely(&self, context: &Context) -> anyhow::Result<()> {
        let program = self.files.first().map(|file| file.to_string_lossy()).unwrap_or_default();
        let input = Input::new(self.message.clone(), true);
        let host = Terminal::new(&context.out, input, None, self.verbose, None);
        let remote = remote::Remote {
            program: &program,
            start: self.start.clone(),
            params: &self.param,
            user_id: self.user_id.clone(),
            publish: !self.no_publish,
            recall: !self.no_learned,
            resume: self.resume.clone(),
        };
        tokio::select! {
            ended = remote.converse(context, &host) => ended,
            _ = tokio::signal::ctrl_c() => Err(Failure::new(Code::Interrupted, "the run goes on without you").into()),
        }
    }

    async fn converse(&self, context: &Context) -> anyhow::Result<()> {
        let runs = Runs::new(&self.data.folder()?)?;
        let tools = Tools { commands: CommandTools::new(self.tool.clone()), mcp: mcp_tools() };
        let (journal, program) = match &self.resume {
            Some(run) => {
                let journal = runs.open(run)?;
                let program = parse(&journal.header().files)?;
                (journal, program)
            }
            None => {
                let header = self.header()?;
                let program = parse(&header.files)?;
                let offered = tools.offered(&program).await;
                for (agent, reason) in &offered.silent {
                    context
                        .out
                        .warning(format_args!("the model does not see the tools of `{agent}`: {reason}"));
                }
                (runs.create(Header { tools: offered.tools, ..header })?, program)
            }
        };
        let code = compile(program, tools.known(&journal.header().tools))?;
        let model = answerer(self.model.as_deref(), &journal.header().run)?;
        let memory = self.memory(context, &journal).await;
        let input = Input::new(self.message.clone(), self.reads_stdin());
        let recalls = memory.as_ref().filter(|_| !self.no_learned);
        let host = Terminal::new(&context.out, input, Some((&tools, code.program())), self.verbose, recalls);
        let now = || u64::try_from(Timestamp::now().as_millisecond()).unwrap_or(0);
        let around = Around { journal: &journal, model: &*model, host: &host, now: &now };
        let mut driver = if self.resume.is_some() {
            let driver = Driver::resume(Arc::clone(&code), around).await.context("the run cannot go on")?;
            host.show_past(driver.state(), &journal.read().await?);
            driver
        } else {
            let start = Start {
                playbook: self.start.clone(),
                settings: self.settings(recalls.is_some()),
                ..start_with(&code, self.start.as_deref(), &self.param)?
            };
            Driver::start(Arc::clone(&code), start, around).await.map_err(|error| {
                Failure::usage(error.to_string())
                    .hint("`reflexio playbook explain` lists playbooks and parameters")
            })?
        };
        let known = if self.resume.is_some() { driver.state().transcript().len() } else { 0 };
        let pause = tokio::select! {
            pause = driver.converse() => Some(pause?),
            _ = tokio::signal::ctrl_c() => None,
        };
        if let Some(memory) = memory.as_ref().filter(|_| !self.no_publish)
            && let Err(error) = memory.publish(journal.header(), &code, driver.state(), known).await
        {
            context.out.warning(format_args!("the conversation was not published: {error:#}"));
        }
        self.end(context, &journal, &driver, &code, pause)
    }

    fn end(
        &self,
        context: &Context,
        journal: &FileJournal,
        driver: &Driver<'_>,
        code: &Playbooks,
        pause: Option<Pause>,
    ) -> anyhow::Result<()> {
        let run = &journal.header().run;
        let ending = ending::Ending::new(run, driver.state(), pause.as_ref());
        ending.tell(&context.out)?;
        let Some(pause) = pause else {
            return Err(Failure::new(Code::Interrupted, format!("run {run} was interrupted"))
                .hint(ending::how_to_resume(run))
                .into());
        };
        ending.verdict(code, &pause)
    }

    fn header(&self) -> Result<Header, Failure> {
        let files = self.files.iter().map(|file| match file.canonicalize() {
            _ if file.as_os_str() == "-" => Ok("-".to_owned()),
            Ok(path) => Ok(path.to_string_lossy().into_owned()),
            Err(error) => Err(Failure::usage(format!("{} cannot be read: {error}", file.display()))),
        });
        Ok(Header {
            run: String::new(),
            files: files.collect::<Result<_, _>>()?,
            user_id: self.user_id.clone(),
            tools: Vec::new(),
        })
    }

    async fn memory(&self, context: &Context, journal: &FileJournal) -> Option<Memory> {
        if self.no_publish && self.no_learned {
            return None;
        }
        let user = self.user_id.as_deref().or_else(|| journal.header().user_id.as_deref());
        Memory::connect(context, user).await
    }

    fn reads_stdin(&self) -> bool {
        !self.files.iter().any(|file| file.as_os_str() == "-")
    }

    fn settings(&self, recalls: bool) -> Settings {
        let offset = Zoned::now().offset().seconds() / 60;
        Settings { budget: self.budget.budget(), recalls, utc_offset_minutes: offset, ..Settings::default() }
    }
}

/// Servers of MCP agents. Whoever types a command line may start what it names.
pub(super) fn mcp_tools() -> McpTools {
    McpTools::new(McpOperator { variable: |name| std::env::var(name).ok(), may_run_commands: true })
}

/// The program of these files.
pub(super) fn parse(files: &[String]) -> Result<Program, Failure> {
    let files = files.iter().map(|file| disk::read(file.as_ref())).collect::<Result<_, _>>()?;
    Ok(Group(files).parse(&Disk::default()))
}

/// A program, ready to run.
pub(super) fn compile(program: Program, tools: Vec<Tool>) -> anyhow::Result<Arc<Playbooks>> {
    Playbooks::compile(program, tools).map_err(|error| {
        let count = super::counted(error.problems.len(), "error");
        Failure::usage(format!("the program has {count}"))
            .details(error.problems)
            .hint("`reflexio playbook check` shows them in place")
            .into()
    })
}

/// How a run begins with what `--param` gave.
pub(super) fn start_with(
    code: &Playbooks,
    playbook: Option<&str>,
    given: &[String],
) -> Result<Start, Failure> {
    playbook_run::start_with(code, playbook, given).map_err(|error| {
        let hint = match error {
            ParamError::NoValue(_) => "write --param name=value",
            ParamError::Unknown(_) => "`reflexio playbook explain` lists what steps read and write",
        };
        Failure::usage(format!("--param {error}")).hint(hint)
    })
}

/// The model that was named, or the environment's; none if there is none.
pub(super) fn answerer(model: Option<&str>, run: &str) -> anyhow::Result<Box<dyn Answerer>> {
    let mut settings = crate::models::settings(&Config::default());
    // Whoever types a command line may run it.
    let command = model.and_then(|model| model.strip_prefix("command:"));
    settings.commands.allowed.extend(command.map(str::to_owned));
    settings.commands.environment.extend(std::env::vars().filter(|_| command.is_some()));
    let has_one = settings.default_model.is_some() || !settings.keys.is_empty() || !settings.roles.is_empty();
    if model.is_none() && !has_one {
        return Ok(Box::new(NoModel));
    }
    let models = Models::new(settings, Services::default())?;
    let options = Options::for_run(format!("playbook-{run}"));
    Ok(Box::new(Asker::new(models, model.map(str::to_owned), options)?))
}
