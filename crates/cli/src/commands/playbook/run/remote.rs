//! The same chat with a run on the server: what it says is read from its journal.

use std::collections::BTreeSet;
use std::time::Duration;

use playbook_run::Host as _;
use playbook_run::engine::Entry;
use reflexio_api_types::{
    DecidePlaybookRunRequest, PlaybookRunStatus, PlaybookStateResponse, StartPlaybookRunRequest,
};
use reflexio_client::Client;
use serde_json::{Map, Value};

use super::host::Terminal;
use crate::context::Context;
use crate::exit::Code;
use crate::failure::Failure;

const LOOK_EVERY: Duration = Duration::from_millis(200);

/// What is asked of the server.
pub(super) struct Remote<'a> {
    pub(super) program: &'a str,
    pub(super) start: Option<String>,
    pub(super) params: &'a [String],
    pub(super) user_id: Option<String>,
    pub(super) publish: bool,
    pub(super) recall: bool,
    pub(super) resume: Option<String>,
}

impl Remote<'_> {
    pub(super) async fn converse(&self, context: &Context, host: &Terminal<'_>) -> anyhow::Result<()> {
        let client = context.client()?;
        let run = match &self.resume {
            Some(run) => run.clone(),
            None => client.start_playbook_run(&self.request()?).await?.run.run_id,
        };
        let mut seen = if self.resume.is_some() { client.playbook_run(&run).await?.position } else { 0 };
        let mut told = BTreeSet::new();
        loop {
            seen = show(&client, host, &run, seen).await?;
            let state = client.playbook_run(&run).await?;
            if state.position > seen {
                continue;
            }
            match state.run.status {
                PlaybookRunStatus::Running => tokio::time::sleep(LOOK_EVERY).await,
                // One answer to one question: until the run has gone on, nothing more is asked.
                PlaybookRunStatus::Waiting
                    if !told.contains(&seen) && (state.waits_for_user || state.waits_for_approval) =>
                {
                    if !tell(&client, host, &run, &state).await? {
                        return end(context, &state);
                    }
                    told.insert(seen);
                }
                PlaybookRunStatus::Waiting => tokio::time::sleep(LOOK_EVERY).await,
                PlaybookRunStatus::NeedsModel
                | PlaybookRunStatus::Done
                | PlaybookRunStatus::Ended
                | PlaybookRunStatus::Partial
                | PlaybookRunStatus::HandedOff
                | PlaybookRunStatus::Failed
                | PlaybookRunStatus::Cancelled => return end(context, &state),
            }
        }
    }

    /// Of what begins by itself, the server knows the parameters: a name it does not know is a variable.
    fn request(&self) -> Result<StartPlaybookRunRequest, Failure> {
        let mut args = Map::new();
        for text in self.params {
            let (name, value) = text.split_once('=').ok_or_else(|| {
                Failure::usage(format!("--param {text} lacks `=`")).hint("write --param name=value")
            })?;
            let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
            args.insert(name.trim().trim_start_matches('$').to_owned(), value);
        }
        Ok(StartPlaybookRunRequest {
            playbook: self.program.to_owned(),
            user_id: self.user_id.clone(),
            start: self.start.clone(),
            variables: if self.start.is_some() { Map::new() } else { args.clone() },
            args,
            publish: Some(self.publish),
            recall: Some(self.recall),
            ..StartPlaybookRunRequest::default()
        })
    }
}

/// Shows what happened since; gives the position it has come to.
async fn show(client: &Client, host: &Terminal<'_>, run: &str, seen: u64) -> anyhow::Result<u64> {
    let found = client.playbook_journal(run, seen).await?;
    let mut last = seen;
    for view in found.entries {
        last = view.position;
        let entry: Entry = serde_json::from_value(view.entry)?;
        host.told(std::slice::from_ref(&entry)).await;
        if let Entry::Said { message } = &entry {
            host.say(message).await;
        }
    }
    Ok(last)
}

/// Says what the user says; nothing is said when the user is gone.
async fn tell(
    client: &Client,
    host: &Terminal<'_>,
    run: &str,
    state: &PlaybookStateResponse,
) -> anyhow::Result<bool> {
    if state.waits_for_approval {
        let text = state.run.reason.as_deref().unwrap_or("an approval");
        let Some(verdict) = host.approve(None, text).await else { return Ok(false) };
        let request = DecidePlaybookRunRequest { approved: verdict.is_granted, by: None };
        client.decide_playbook_run(run, &request).await?;
        return Ok(true);
    }
    let Some(text) = host.user().await else { return Ok(false) };
    client.tell_playbook_run(run, &text).await?;
    Ok(true)
}

fn end(context: &Context, state: &PlaybookStateResponse) -> anyhow::Result<()> {
    let run = &state.run;
    if context.out.is_json() {
        context.out.json(state)?;
    }
    let status = serde_json::to_value(run.status)?;
    let status = status.as_str().unwrap_or_default().replace('_', " ");
    let reason = run.reason.as_deref().map(|reason| format!(" ({reason})")).unwrap_or_default();
    context.out.note(format_args!("run {}: {status}{reason}, {} model calls", run.run_id, state.model_calls));
    let resume = format!("`reflexio playbook run --server --resume {}` goes on", run.run_id);
    Err(match run.status {
        PlaybookRunStatus::Done | PlaybookRunStatus::Ended | PlaybookRunStatus::HandedOff => return Ok(()),
        PlaybookRunStatus::Waiting | PlaybookRunStatus::Running => {
            Failure::new(Code::NeedsInput, "the run waits for an answer, and there is nobody to give one")
                .hint(resume)
        }
        PlaybookRunStatus::NeedsModel => {
            Failure::failed(format!("a step needs a model{reason}")).hint("configure one on the server")
        }
        PlaybookRunStatus::Partial | PlaybookRunStatus::Failed | PlaybookRunStatus::Cancelled => {
            Failure::failed(format!("the run is {status}{reason}"))
        }
    }
    .into())
}
