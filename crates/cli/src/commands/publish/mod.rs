mod bulk;
mod inline;
mod input;
mod request;

use std::path::PathBuf;

use clap::{ArgGroup, Args};
use reflexio_api_types::{Detail, PublishUserInteractionResponse};
use reflexio_client::{Error, Wait};
use serde_json::{Value, json};

use crate::context::Context;
use crate::failure::Failure;
use crate::report::detail_line;
use inline::InlineTurns;
use input::Input;
use request::{Defaults, RequestId};

const FORMS: &str = "\
A file or the standard input may hold one publish request, a list of requests, requests as JSON lines, \
or a bare list of turns (then with --user-id). Options fill in what a request does not say itself.

Publishing the same file twice stores nothing twice: a request without a request_id gets one made of its \
content, the options and its line number.";

/// Arguments of `publish`.
#[derive(Debug, Args)]
#[command(
    after_help = FORMS,
    group = ArgGroup::new("from")
        .required(true)
        .multiple(true)
        .args(["user_message", "agent_response", "data", "file", "stdin"])
)]
pub(crate) struct Publish {
    #[command(flatten)]
    turns: InlineTurns,
    /// A publish request, a list of them, or a list of turns, as JSON.
    #[arg(long, value_name = "JSON", conflicts_with_all = ["user_message", "agent_response", "file", "stdin"])]
    data: Option<String>,
    /// A JSON or JSON lines file to publish.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["user_message", "agent_response", "stdin"])]
    file: Option<PathBuf>,
    /// Publish what comes from the standard input.
    #[arg(long, conflicts_with_all = ["user_message", "agent_response"])]
    stdin: bool,
    #[command(flatten)]
    defaults: Defaults,
    /// An id for a single request, so that a retry stores nothing twice.
    #[arg(long, value_name = "REQUEST")]
    request_id: Option<String>,
    /// Wait until it was learned from.
    #[arg(long)]
    wait: bool,
    /// How many requests are under way at once when there are many.
    #[arg(long, value_name = "N", default_value = "8", value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: u16,
}

impl Publish {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        match self.input()? {
            Input::One(value) => self.publish_one(context, value).await,
            Input::Many(many) => {
                if self.request_id.is_some() {
                    return Err(
                        Failure::usage("--request-id is for a single request, and these are many").into()
                    );
                }
                bulk::publish(context, many, &self.defaults, self.wait(), usize::from(self.jobs)).await
            }
        }
    }

    fn input(&self) -> anyhow::Result<Input> {
        if let Some(text) = &self.data {
            return Input::json(text);
        }
        if let Some(path) = &self.file {
            return Input::file(path);
        }
        if self.stdin {
            return Input::stdin();
        }
        Ok(Input::One(Value::Array(self.turns.0.clone())))
    }

    fn wait(&self) -> Wait {
        if self.wait { Wait::UntilLearned } else { Wait::No }
    }

    /// The same words may well be said twice, but not the same file published.
    fn id(&self) -> RequestId<'_> {
        match &self.request_id {
            Some(id) => RequestId::Given(id),
            None if self.file.is_some() || self.stdin => RequestId::Derived { number: 1 },
            None => RequestId::Server,
        }
    }

    async fn publish_one(&self, context: &Context, value: Value) -> anyhow::Result<()> {
        let parsed =
            request::request(value, &self.defaults, self.id()).map_err(|details| refused(&details))?;
        for key in &parsed.ignored {
            context.out.warning(format_args!("`{key}` means nothing here and was left out"));
        }
        let count = parsed.value.interaction_data_list.iter().filter(|turn| turn.carries_content()).count();
        let answer = context.client()?.publish(&parsed.value, self.wait()).await?;
        for warning in &answer.warnings {
            context.out.warning(warning);
        }
        if !answer.success && answer.duplicate != Some(true) {
            return Err(Error::Refused(answer.message).into());
        }
        Ok(context.out.done(&json!(answer), || words(&answer, count))?)
    }
}

fn refused(details: &[Detail]) -> Failure {
    let missing_user =
        details.iter().any(|detail| detail.kind == "missing" && detail_line(detail).starts_with("user_id:"));
    let failure =
        Failure::bad_input("this cannot be published").details(details.iter().map(detail_line).collect());
    if missing_user { failure.hint("say whose conversation it is with --user-id") } else { failure }
}

fn words(answer: &PublishUserInteractionResponse, count: usize) -> String {
    if answer.duplicate == Some(true) {
        return "this request was stored before; nothing was stored now".to_owned();
    }
    let id = answer.request_id.as_deref().unwrap_or("without an id");
    let turns = super::delete::counted(count as u64, "interaction");
    let learning = match (&answer.learning_status, &answer.learning_reason) {
        (Some(status), Some(reason)) => format!("; learning: {status} ({})", reason.replace('_', " ")),
        (Some(status), None) => format!("; learning: {status}"),
        (None, _) => String::new(),
    };
    format!("stored request {id} with {turns}{learning}")
}
