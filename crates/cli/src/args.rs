use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::commands::{
    agent_playbooks, backup, completions, config, costs, demo, dev, doctor, embeddings, evaluations, export,
    import, interactions, jobs, keys, optimizations, optimize, playbook, profiles, publish, report, restore,
    runs, search, serve, sessions, shadow, user_playbooks, users,
};
use crate::exit;

/// Reflexio makes agents improve from their own conversations.
#[derive(Debug, Parser)]
#[command(name = "reflexio", version, after_help = exit::TABLE, max_term_width = 100, disable_help_subcommand = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) globals: Globals,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What every command understands.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Globals {
    /// Where the server is.
    #[arg(
        long,
        global = true,
        value_name = "URL",
        env = "REFLEXIO_URL",
        default_value = "http://127.0.0.1:8081"
    )]
    pub(crate) server_url: String,
    /// The key to show to the server; for `serve`, the key that callers must show.
    #[arg(long, global = true, value_name = "KEY", env = "REFLEXIO_API_KEY", hide_env_values = true)]
    pub(crate) api_key: Option<String>,
    /// Print JSON, and nothing but JSON, on standard output.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print results and errors only.
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// When to use colours; NO_COLOR is honoured.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run the server.
    Serve(Box<serve::Serve>),
    /// Try it: a server with bundled conversations, what it learned, and what to do next.
    Demo(demo::Demo),
    /// Publish conversations: inline, from a file, or from standard input.
    Publish(publish::Publish),
    /// Search everything that was learned, or interactions.
    Search(search::Search),
    /// Turns and actions as they were published.
    #[command(subcommand)]
    Interactions(interactions::Interactions),
    /// Facts about users.
    #[command(subcommand)]
    Profiles(profiles::Profiles),
    /// What conversations taught, user by user.
    #[command(subcommand)]
    UserPlaybooks(user_playbooks::UserPlaybooks),
    /// Rules for the agent, and their review.
    #[command(subcommand)]
    AgentPlaybooks(agent_playbooks::AgentPlaybooks),
    /// Look for a better wording of a pending playbook, by replaying the situations that taught it.
    Optimize(optimize::Optimize),
    /// Runs that looked for better wordings.
    #[command(subcommand)]
    Optimizations(optimizations::Optimizations),
    /// How sessions ended.
    #[command(subcommand)]
    Sessions(sessions::Sessions),
    /// Judged sessions: whether they served their users, and which learnings helped.
    #[command(subcommand)]
    Evaluations(evaluations::Evaluations),
    /// Answers of the agent, compared with alternatives that were not shown.
    #[command(subcommand)]
    Shadow(shadow::Shadow),
    /// How playbooks stand: counts, versions beside each other, what waits for review, and whether all is well.
    Report(report::Report),
    /// Markdown playbooks: checked, laid out, explained, tested and run.
    #[command(subcommand)]
    Playbook(playbook::Playbook),
    /// Background work: what waits, what failed and why.
    #[command(subcommand)]
    Jobs(jobs::Jobs),
    /// Operations that changed what was learned, and undoing them.
    #[command(subcommand)]
    Runs(runs::Runs),
    /// What models cost, and how the day's budget stands.
    Costs(costs::Costs),
    /// Everything that belongs to one user.
    #[command(subcommand)]
    Users(users::Users),
    /// The configuration of the server.
    #[command(subcommand)]
    Config(config::Config),
    /// Vectors for searching by meaning.
    #[command(subcommand)]
    Embeddings(embeddings::Embeddings),
    /// API keys, made and revoked in the data folder itself.
    #[command(subcommand)]
    Keys(keys::Keys),
    /// Show how the server is and what it holds.
    Status,
    /// Check that everything works, step by step.
    Doctor(doctor::Doctor),
    /// Copy the database into a file, while the server may go on running.
    Backup(backup::Backup),
    /// Put a backup in the place of the database.
    Restore(restore::Restore),
    /// Write everything an org owns as JSON lines.
    Export(export::Export),
    /// Read what `export` wrote.
    Import(import::Import),
    /// Try out on a file what the server does inside.
    #[command(subcommand)]
    Dev(dev::Dev),
    /// Print the OpenAPI document of the server.
    Openapi,
    /// Print a completion script for a shell.
    Completions(completions::Completions),
    /// Print the version.
    Version,
}
