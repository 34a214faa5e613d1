//! The join with a server: what was learned is shown to the model, and the conversation is published.

use std::time::Duration;

use playbook_run::Header;
use playbook_run::engine::{Learned, LearnedFrom, Playbooks, Speaker, State};
use reflexio_api_types::{PublishUserInteractionRequest, UnifiedSearchRequest, WireRequest, parse_body};
use reflexio_client::{Client, Wait};
use serde_json::{Value, json};

use crate::context::Context;

/// A server that does not answer soon is not waited for.
const PATIENCE: Duration = Duration::from_secs(5);
/// Learned notes of each kind that are looked for; the engine shows five of them.
const NOTES: usize = 3;

/// A server that remembers.
pub(super) struct Memory {
    client: Client,
    user_id: String,
}

impl Memory {
    /// Nothing, with a word about it, if the server cannot be asked: a run does not need it.
    pub(super) async fn connect(context: &Context, user_id: Option<&str>) -> Option<Self> {
        let client = context.impatient_client(PATIENCE).ok()?;
        if let Err(error) = client.whoami().await {
            context.out.note(format_args!(
                "nothing is published and no learned notes are shown ({error}); --no-publish and --no-learned say that this is meant"
            ));
            return None;
        }
        Some(Self { client, user_id: user_id.unwrap_or("anonymous").to_owned() })
    }

    /// Approved rules and the user's profile, nearest first. Whatever goes wrong, the run goes on without.
    pub(super) async fn recall(&self, query: &str) -> Vec<Learned> {
        let wanted = json!({
            "query": query, "user_id": self.user_id, "top_k": NOTES, "entity_types": ["agent_playbooks", "profiles"],
        });
        let Some(request) = request::<UnifiedSearchRequest>(&wanted) else { return Vec::new() };
        let Ok(found) = self.client.search(&request).await else { return Vec::new() };
        let rules = found.agent_playbooks.into_iter().map(|row| Learned {
            rule: format!("agent_playbook:{}", row.agent_playbook_id),
            text: match &row.trigger {
                Some(trigger) => format!("{trigger}: {}", row.content),
                None => row.content.clone(),
            },
            from: LearnedFrom::Agent,
        });
        let profiles = found.profiles.into_iter().map(|row| Learned {
            rule: format!("profile:{}", row.profile_id),
            text: row.content,
            from: LearnedFrom::User,
        });
        rules.chain(profiles).collect()
    }

    /// Publishes what was said after the first `from` messages. Doing it twice stores it once.
    pub(super) async fn publish(
        &self,
        header: &Header,
        code: &Playbooks,
        state: &State,
        from: usize,
    ) -> anyhow::Result<()> {
        let messages = state.transcript();
        if messages.len() <= from {
            return Ok(());
        }
        let turn = |message: &std::sync::Arc<playbook_run::engine::Message>| {
            let mut turn = json!({
                "role": if message.from == Speaker::User { "User" } else { "Agent" }, "content": message.text,
            });
            if let (Some(playbook), Some(step)) = (&message.playbook, &message.step) {
                let data = json!({ "playbook": playbook, "step": &**step });
                turn["tools_used"] =
                    json!([{ "tool_name": "playbook_step", "tool_data": data, "status": "done" }]);
            }
            turn
        };
        let agent = code.program().agents.first().map_or("agent", |agent| agent.class.as_str());
        let version = code.fingerprint().get(..12).unwrap_or_default();
        let wanted = json!({
            "request_id": format!("{}-{}", header.run, messages.len()),
            "user_id": self.user_id,
            "session_id": header.run,
            "source": label(header.files.first().map_or("playbook", String::as_str)),
            "agent_version": format!("{agent}@{version}"),
            "session_finished": state.outcome().is_some(),
            "interaction_data_list": messages[from..].iter().map(turn).collect::<Vec<_>>(),
        });
        let Some(request) = request::<PublishUserInteractionRequest>(&wanted) else {
            anyhow::bail!("the conversation does not fit the API")
        };
        self.client.publish(&request, Wait::No).await?;
        Ok(())
    }
}

fn request<T: WireRequest>(value: &Value) -> Option<T> {
    parse_body(value.to_string().as_bytes()).ok().map(|parsed| parsed.value)
}

/// The name of a file as a label: lower case, without what stands before and after it.
fn label(file: &str) -> String {
    let stem = std::path::Path::new(file).file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
    let letter = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
    let label: String = stem.chars().map(letter).collect();
    if label.chars().any(|letter| letter != '_') { label } else { "playbook".to_owned() }
}
