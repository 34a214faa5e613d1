use std::sync::Arc;

use clap::{Args, Subcommand};
use reflexio_app::{App, EmbedderChoice, Options};
use reflexio_llm::Settings;
use reflexio_store_sqlite::SqliteStore;
use reflexio_types::{ApiKey, KeyId, OrgId, Scope, Scopes, SystemClock};
use serde_json::{Value, json};

use crate::context::Context;
use crate::data_dir::DataDirArg;
use crate::output::{Align, Output, Table, short};

#[derive(Debug, Subcommand)]
pub(crate) enum Keys {
    /// Make a key. Its secret is shown once. From the first key on, every caller needs one.
    Create(Create),
    /// Show all keys, without their secrets.
    List(DataDirArg),
    /// Take a key out of force, within a second.
    Revoke {
        #[arg(value_name = "ID")]
        id: String,
        #[command(flatten)]
        data: DataDirArg,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Create {
    /// What the key is for.
    #[arg(long)]
    name: String,
    /// What it may do: read, write, review, admin.
    #[arg(long, value_delimiter = ',', default_value = "read,write,review,admin", value_parser = scope)]
    scopes: Vec<Scope>,
    /// Whose rows it opens.
    #[arg(long, default_value = "default")]
    org: String,
    #[command(flatten)]
    data: DataDirArg,
}

fn scope(text: &str) -> Result<Scope, String> {
    let names = Scope::ALL.map(Scope::as_str).join(", ");
    Scope::parse(text).ok_or_else(|| format!("not one of {names}"))
}

impl Keys {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        match self {
            Keys::Create(create) => create.run(context).await,
            Keys::List(data) => {
                let keys = app(data.folder()?.open()?).keys().await?;
                let values: Vec<Value> = keys.iter().map(shown).collect();
                Ok(context.out.result(&values, || table(&context.out, &keys))?)
            }
            Keys::Revoke { id, data } => {
                app(data.folder()?.open()?).revoke_key(&KeyId(id.clone())).await?;
                Ok(context.out.done(&json!({"revoked": id}), || format!("revoked key {id}"))?)
            }
        }
    }
}

impl Create {
    async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let app = app(self.data.folder()?.open_or_create()?);
        let scopes = Scopes::new(self.scopes.clone());
        let new = app.create_key(OrgId::new(self.org.as_str()), self.name.clone(), scopes).await?;
        let mut value = shown(&new.key);
        value["secret"] = json!(new.secret);
        context.out.result(&value, || new.secret.clone())?;
        if !context.out.is_json() {
            context
                .out
                .note(format_args!("made key {} (`{}`, {})", new.key.id, new.key.name, new.key.scopes));
            context.out.warning("this secret is shown only now and cannot be found again: keep it safe");
        }
        Ok(())
    }
}

/// Keys need no clock that can be set and no master key.
fn app(store: SqliteStore) -> App {
    App::new(Options {
        store: Arc::new(store),
        clock: Arc::new(SystemClock),
        master_key: None,
        api_key: None,
        embedder: EmbedderChoice::None("keys need no search".to_owned()),
        models: Arc::new(|_| Settings::default()),
        costs: Default::default(),
        assistants: Default::default(),
        injections: Default::default(),
        playbooks: reflexio_app::PlaybookSettings::default(),
    })
}

fn shown(key: &ApiKey) -> Value {
    json!({
        "id": key.id,
        "name": key.name,
        "org": key.org,
        "scopes": key.scopes,
        "created_at": key.created_at,
        "revoked_at": key.revoked_at,
    })
}

fn table(out: &Output, keys: &[ApiKey]) -> String {
    if keys.is_empty() {
        return "no keys: callers on this machine need none; make one with `reflexio keys create --name NAME`".to_owned();
    }
    let mut table = Table::new(
        out,
        &[
            ("id", Align::Left),
            ("name", Align::Rest),
            ("org", Align::Left),
            ("scopes", Align::Left),
            ("created", Align::Left),
            ("revoked", Align::Left),
        ],
    );
    for key in keys {
        table.row([
            key.id.to_string(),
            key.name.clone(),
            key.org.to_string(),
            key.scopes.to_string(),
            short(key.created_at),
            key.revoked_at.map(short).unwrap_or_default(),
        ]);
    }
    table.render()
}
