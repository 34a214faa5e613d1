use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// Measures a reflexio server on this machine.
#[derive(Debug, Parser)]
#[command(name = "reflexio-bench", version, max_term_width = 100)]
#[command(args_override_self = true, disable_help_subcommand = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) options: Options,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Subcommand)]
pub(crate) enum Command {
    /// Durable publishing over many connections, beside what HTTP and the disk alone can do.
    Publish,
    /// Time to the first answer, memory at rest, and size of the program.
    Startup,
    /// Searching and listing while a store grows, and starting on the grown store.
    Scale,
    /// The durable queue in this process: claiming and finishing empty jobs.
    Jobs,
    /// What learning costs, how fast it is with a model and without one, and its memory.
    Learning,
    /// Everything that is measured of a server, but learning.
    All,
}

impl Command {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Command::Publish => "publish",
            Command::Startup => "startup",
            Command::Scale => "scale",
            Command::Jobs => "jobs",
            Command::Learning => "learning",
            Command::All => "all",
        }
    }

    pub(crate) fn includes(self, other: Self) -> bool {
        self == other || (self == Command::All && other != Command::Learning)
    }
}

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// The server to measure [default: `reflexio` beside this program].
    #[arg(long, global = true, value_name = "PATH")]
    pub(crate) server: Option<PathBuf>,
    /// Where stores are made: a folder on a real disk, or durable writes cost nothing.
    #[arg(long, global = true, value_name = "DIR", default_value = "target/bench")]
    pub(crate) work_dir: PathBuf,
    /// Tiny sizes, to see that everything works.
    #[arg(long, global = true)]
    pub(crate) quick: bool,
    /// Other texts, users and queries.
    #[arg(long, global = true, value_name = "NUMBER", default_value_t = 42)]
    pub(crate) seed: u64,
    /// No store grows any further once so much time is gone.
    #[arg(long, global = true, value_name = "SECONDS", default_value_t = 780)]
    pub(crate) max_seconds: u64,
    /// Put the results into this Markdown file too, in the place of the section of the same name.
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// The name of that section [default: what was run, how, and on which machine].
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) section: Option<String>,
    /// The command to show in the results, when a script called this program.
    #[arg(long, global = true, value_name = "COMMAND")]
    pub(crate) invoked_as: Option<String>,
}
