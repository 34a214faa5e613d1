//! Conversations to learn from, and the model that is asked about them.

use bytes::Bytes;
use reflexio_llm::endpoint::TestEndpoint;
use serde_json::{Value, json};
use tokio::process::Command;

use crate::connection::{Answer, Call, Connection};
use crate::server::Server;
use crate::text::{self, Speaker};

/// A conversation of three turns in which the user corrects the agent.
pub(super) fn correction(user: &str) -> Value {
    json!({
        "user_id": user,
        "force_extraction": true,
        "agent_version": "v1",
        "interaction_data_list": [
            {"role": "User", "content": "Please summarise this report for me."},
            {"role": "Assistant", "content": "Here is a long summary in prose, paragraph after paragraph."},
            {"role": "User", "content": "No, that's wrong. Always use bullet points when you summarise reports. I work as a nurse in Berlin."},
        ],
    })
}

/// What a sensible model says about it.
pub(super) fn answer() -> Value {
    json!({
        "profiles": [{"content": "Works as a nurse in Berlin.", "time_to_live": "one_year", "evidence": ["T3"]}],
        "playbooks": [{
            "playbook_name": "playbook", "trigger": "The user asks for a summary of a report",
            "instruction": "Use bullet points", "pitfall": "A long text was rejected",
            "rationale": "The user corrected the agent", "evidence": ["T1", "T3"],
        }],
    })
}

/// Many turns of one user, as a long talk that is not learned from at once.
pub(super) fn talk(seed: u64, user: u64, turns: u64) -> Value {
    let mut random = crate::random::Random::stream(seed, user);
    let turn = |at: u64| {
        let speaker = if at.is_multiple_of(2) { Speaker::User } else { Speaker::Agent };
        let role = if at.is_multiple_of(2) { "User" } else { "Assistant" };
        let mut said = text::turn(&mut random, speaker);
        if at.is_multiple_of(10) {
            said.push_str(" No, that's wrong. Always check the order number first.");
        }
        json!({"role": role, "content": said})
    };
    json!({"user_id": format!("user-{user:04}"), "agent_version": "v1",
           "interaction_data_list": (0..turns).map(turn).collect::<Vec<_>>()})
}

pub(super) async fn post(server: &Server, path: &'static str, body: &Value) -> anyhow::Result<Value> {
    let call = Call::post(path, Bytes::from(serde_json::to_vec(body)?));
    read(path, &Connection::open(server.address()).await?.send(&call).await?)
}

pub(super) async fn get(server: &Server, path: &'static str) -> anyhow::Result<Value> {
    read(path, &Connection::open(server.address()).await?.send(&Call::get(path)).await?)
}

fn read(path: &str, answer: &Answer) -> anyhow::Result<Value> {
    anyhow::ensure!(answer.is_success(), "{path} answered {}: {}", answer.status, answer.text());
    Ok(serde_json::from_slice(&answer.body)?)
}

/// Lets a server learn with the model behind an endpoint.
pub(super) fn with_model(endpoint: &TestEndpoint) -> impl FnOnce(&mut Command) {
    let base = format!("{}/v1", endpoint.url());
    move |command| {
        command
            .env("OPENAI_API_KEY", "none")
            .env("OPENAI_BASE_URL", base)
            .env("REFLEXIO_MODEL", "openai/bench");
    }
}
