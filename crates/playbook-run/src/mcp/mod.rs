//! Tools of MCP servers: what agents of the type `MCP` stand for.
//!
//! A server is connected when it is needed first and kept for the process. What it offers is asked once for a run that
//! a model takes part in, and belongs to the run from then on: a run that is resumed or looked back at never asks.

mod answer;
mod fault;
mod http;
mod process;
mod remote;
mod schema;
mod server;

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::future::join_all;
use playbook_engine::{Tool, Value};
use playbook_lang::{
    Agent, AgentKind, BUILTIN_PLAYBOOKS, Doer, Mode, Program, explain_step, explain_trigger, name,
};

use crate::command::CommandTools;
use fault::Fault;
use remote::Remote;
use rmcp::model::Tool as Described;
use server::Server;

/// What a run waits at most before it begins without knowing what a server offers.
const MOST_WAITING: Duration = Duration::from_secs(10);

/// What whoever runs this lets programs do.
#[derive(Clone, Copy, Debug)]
pub struct McpOperator {
    /// Variables of the environment that `auth` may name.
    pub variable: fn(&str) -> Option<String>,
    /// Whether an agent with the transport `stdio` may start its command.
    pub may_run_commands: bool,
}

impl Default for McpOperator {
    fn default() -> Self {
        Self { variable: |_| None, may_run_commands: false }
    }
}

/// The servers of programs, each connected once.
#[derive(Clone, Default)]
pub struct McpTools {
    operator: McpOperator,
    /// By what `remote` says.
    servers: Arc<Mutex<HashMap<String, Arc<Server>>>>,
}

/// What the servers of a program offer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offered {
    /// What its steps and its model may call.
    pub tools: Vec<Tool>,
    /// Agents whose servers could not be asked, and why. Their tools can be called all the same.
    pub silent: Vec<(String, String)>,
}

impl McpTools {
    #[must_use]
    pub fn new(operator: McpOperator) -> Self {
        Self { operator, servers: Arc::default() }
    }

    /// Calls `Agent.Tool`.
    pub async fn call(
        &self,
        program: &Program,
        tool: &str,
        args: &[(String, Value)],
    ) -> Result<Value, String> {
        let agent_and_tool =
            tool.split_once('.').and_then(|(agent, inner)| Some((program.agent(agent)?, inner)));
        let Some((agent, inner)) = agent_and_tool.filter(|(agent, _)| is_remote(agent)) else {
            return Err(format!("there is no tool `{tool}`"));
        };
        let called = async { self.server(agent)?.call(inner, args).await };
        called.await.map_err(|fault: Fault| fault.to_string())
    }

    /// What a program may call besides `commands`. Servers are asked only if a model has to know; a tool that a step
    /// names and nobody described takes what it is given, until it is called.
    pub async fn offered(&self, program: &Program, commands: &CommandTools) -> Offered {
        let mut offered = Offered::default();
        let asks_model = asks_model(program);
        let agents = program.agents.iter().filter(|agent| is_remote(agent));
        let asked = agents.map(|agent| async move {
            let mut written = written(program, agent);
            let count = written.len();
            written.retain(|name| !commands.has(name));
            // Commands stand for the whole server if they do everything the program writes.
            let is_replaced = count > 0 && written.is_empty();
            let described = if asks_model && !is_replaced { Some(self.described(agent).await) } else { None };
            (agent, written, described)
        });
        for (agent, mut written, described) in join_all(asked).await {
            match described {
                Some(Ok(described)) => {
                    let known = named(agent, &described, &mut written);
                    offered.tools.extend(known.filter(|tool| !commands.has(&tool.name)));
                }
                Some(Err(fault)) => offered.silent.push((agent.class.clone(), fault.to_string())),
                None => {}
            }
            offered.tools.extend(written.iter().map(|name| Tool::open(name)));
        }
        offered
    }

    /// The tools of each server as headings of playbooks, `find_order(id: str, *, note = None)`, or why it cannot say.
    pub async fn headings(&self, program: &Program) -> Vec<(String, Result<Vec<String>, String>)> {
        let agents = program.agents.iter().filter(|agent| is_remote(agent));
        let asked = agents.map(|agent| async move {
            let described = self.described(agent).await;
            let heading =
                |tool: &Described| schema::heading(&schema::signature(schema::identifier(&tool.name), tool));
            let headings = described.map(|tools| tools.iter().map(heading).collect());
            (agent.class.clone(), headings.map_err(|fault| fault.to_string()))
        });
        join_all(asked).await
    }

    async fn described(&self, agent: &Agent) -> Result<Arc<[Described]>, Fault> {
        let server = self.server(agent)?;
        let asked = tokio::time::timeout(MOST_WAITING, server.tools()).await;
        asked.unwrap_or(Err(Fault::Late(MOST_WAITING)))
    }

    fn server(&self, agent: &Agent) -> Result<Arc<Server>, Fault> {
        let key = agent.meta.get("remote").map(ToString::to_string).unwrap_or_default();
        let mut servers = self.servers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(server) = servers.get(&key) {
            return Ok(Arc::clone(server));
        }
        let server = Arc::new(Server::new(Remote::of(agent, &self.operator)?));
        servers.insert(key, Arc::clone(&server));
        Ok(server)
    }
}

fn is_remote(agent: &Agent) -> bool {
    agent.kind == AgentKind::Mcp || agent.meta.get("remote").is_some()
}

/// Described tools under the names the program writes, else under their own. What is found is taken out of `written`.
fn named<'a>(
    agent: &'a Agent,
    described: &'a [Described],
    written: &mut BTreeSet<String>,
) -> impl Iterator<Item = Tool> + use<'a> {
    let mut tools: Vec<(String, &Described)> = Vec::new();
    written.retain(|name| {
        let inner = name.split_once('.').map_or(name.as_str(), |(_, inner)| inner);
        let found = schema::find(described, inner).ok();
        tools.extend(found.map(|tool| (name.clone(), tool)));
        found.is_none()
    });
    for tool in described {
        if !tools.iter().any(|(_, known)| known.name == tool.name) {
            tools.push((format!("{}.{}", agent.class, schema::identifier(&tool.name)), tool));
        }
    }
    tools.into_iter().map(|(name, tool)| schema::signature(name, tool))
}

/// Calls of an agent's tools as they are written anywhere in the program: `Agent.Tool(`.
fn written(program: &Program, agent: &Agent) -> BTreeSet<String> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '.';
    let is_tool = |name: &&str| {
        name.split_once('.').is_some_and(|(owner, inner)| {
            name::key(owner) == name::key(&agent.class)
                && name::is_identifier(inner)
                && !BUILTIN_PLAYBOOKS.contains(&inner)
                && !agent.playbooks.iter().any(|playbook| playbook.key == name::key(inner))
        })
    };
    let before = |text: &'_ str| text.rsplit(|letter| !is_part(letter)).next().unwrap_or_default().to_owned();
    let texts = program.sources().iter().map(|(_, file)| file.text.as_str());
    let heads = texts.flat_map(|text| text.match_indices('(').map(|(at, _)| before(&text[..at])));
    heads.filter(|name| is_tool(&name.as_str())).collect()
}

/// Whether anything in a program is left to a model, which then must know what it can call.
fn asks_model(program: &Program) -> bool {
    program.agents.iter().flat_map(|agent| &agent.playbooks).any(|playbook| {
        matches!(playbook.mode, Mode::React | Mode::Raw)
            || playbook.all_steps().any(|step| explain_step(step).0 == Doer::Model)
            || playbook.triggers.iter().any(|trigger| explain_trigger(trigger).0 == Doer::Model)
    })
}
