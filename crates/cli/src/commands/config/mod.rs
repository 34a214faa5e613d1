mod check;
mod document;
mod edit;

use std::path::PathBuf;

use clap::Subcommand;
use serde_json::{Value, json};

use crate::context::Context;
use crate::failure::Failure;
use crate::output::{Output, Panel};

#[derive(Debug, Subcommand)]
pub(crate) enum Config {
    /// Show what is set; with --json the whole document.
    Show,
    /// Change one value, named by its path.
    ///
    /// `reflexio config set window_size 20`, `reflexio config set playbook_configs.0.playbook_name refunds`.
    Set {
        /// The way to the value, parts divided by dots.
        key: String,
        /// JSON, or else a plain text.
        #[arg(allow_hyphen_values = true)]
        value: String,
        /// Take the value as a text even if it looks like JSON.
        #[arg(long)]
        string: bool,
    },
    /// Change the document in your editor.
    Edit,
    /// Check a JSON file without a server.
    Check { file: PathBuf },
}

impl Config {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        match self {
            Config::Show => show(context).await,
            Config::Set { key, value, string } => {
                let value = if *string { json!(value) } else { document::value_of(value) };
                set(context, key, value).await
            }
            Config::Edit => edit::run(context).await,
            Config::Check { file } => check::run(context, file),
        }
    }
}

async fn show(context: &Context) -> anyhow::Result<()> {
    let config = context.client()?.config().await?;
    Ok(context.out.result(&config, || panel(&context.out, &config))?)
}

fn panel(out: &Output, config: &Value) -> String {
    let mut rows = Vec::new();
    document::flatten(config, &mut String::new(), &mut rows);
    rows.into_iter().fold(Panel::new(out), |panel, (path, value)| panel.row(&path, value)).render()
}

/// A nested value travels with the whole top-level field around it, as the server replaces those.
async fn set(context: &Context, key: &str, value: Value) -> anyhow::Result<()> {
    let client = context.client()?;
    let mut config = client.config().await?;
    document::put(&mut config, key, value.clone()).map_err(Failure::bad_input)?;
    let top = key.split('.').next().unwrap_or(key);
    let field = config.get(top).cloned().unwrap_or(Value::Null);
    client.update_config(&json!({ top: field })).await?;
    Ok(context.out.done(&json!({ "key": key, "value": value }), || format!("{key} is now {value}"))?)
}
