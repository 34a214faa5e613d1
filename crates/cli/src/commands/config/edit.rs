use reflexio_client::{Client, Error};
use serde_json::{Value, json};

use crate::ask;
use crate::context::Context;
use crate::editor;
use crate::failure::Failure;
use crate::report::{Report, of_client};

/// Edits until the server accepts the document or the person gives up.
pub(super) async fn run(context: &Context) -> anyhow::Result<()> {
    let client = context.client()?;
    let before = client.config().await?;
    let mut text = format!("{}\n", serde_json::to_string_pretty(&before)?);
    loop {
        text = editor::edit(&text, ".json")?;
        let problem = match save(&client, &before, &text).await? {
            Outcome::Saved => return Ok(context.out.done(&json!({"saved": true}), || "saved".to_owned())?),
            Outcome::Unchanged => {
                context.out.note("nothing was changed");
                return Ok(());
            }
            Outcome::Refused(report) => report,
        };
        context.out.failure(&problem);
        if !ask::again("Edit again?")? {
            return Err(Failure::new(problem.code, "the configuration was not changed").into());
        }
    }
}

enum Outcome {
    Saved,
    Unchanged,
    /// The person can correct it.
    Refused(Report),
}

async fn save(client: &Client, before: &Value, text: &str) -> anyhow::Result<Outcome> {
    let document: Value = match serde_json::from_str(text) {
        Ok(document) => document,
        Err(error) => return Ok(Outcome::Refused(not_json(&error))),
    };
    if document == *before {
        return Ok(Outcome::Unchanged);
    }
    match client.set_config(&document).await {
        Ok(()) => Ok(Outcome::Saved),
        Err(error @ (Error::Invalid(_) | Error::Refused(_))) => Ok(Outcome::Refused(of_client(&error))),
        Err(error) => Err(error.into()),
    }
}

fn not_json(error: &serde_json::Error) -> Report {
    Report {
        code: crate::exit::Code::BadInput,
        message: "this is not JSON".to_owned(),
        details: vec![error.to_string()],
        hint: None,
    }
}
