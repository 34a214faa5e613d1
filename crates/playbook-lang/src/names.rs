//! Every name of a program and what it means.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::name;
use crate::tree::{Agent, Playbook};

/// Playbooks that every agent has.
pub const BUILTIN_PLAYBOOKS: &[&str] = &[
    "Say",
    "CreateAgent",
    "LoadArtifact",
    "SaveArtifact",
    "InviteToMeeting",
    "Loadfile",
    "LoadFile",
    "EndProgram",
    "SendMessage",
    "WaitForMessage",
];

/// Functions and types of Python that expressions may use.
pub const BUILTIN_FUNCTIONS: &[&str] = &[
    "abs",
    "all",
    "any",
    "bin",
    "bool",
    "bytes",
    "chr",
    "dict",
    "divmod",
    "enumerate",
    "filter",
    "float",
    "frozenset",
    "getattr",
    "hasattr",
    "hash",
    "hex",
    "int",
    "isinstance",
    "len",
    "list",
    "map",
    "max",
    "min",
    "oct",
    "ord",
    "pow",
    "print",
    "range",
    "repr",
    "reversed",
    "round",
    "set",
    "sorted",
    "str",
    "sum",
    "tuple",
    "type",
    "zip",
];

/// Names that expressions always know.
pub(crate) const SPECIAL: &[&str] =
    &["agent", "agents", "call", "current_playbook_call", "memory", "self", "state", "timestamp"];

/// The names of a program, for lookups that forgive case and separators.
#[derive(Clone, Debug, Default)]
pub struct Names {
    agents: FxHashMap<String, usize>,
    playbooks: Vec<FxHashMap<String, usize>>,
    functions: Vec<FxHashSet<String>>,
}

/// What a callee turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callee {
    Playbook {
        agent: usize,
        playbook: usize,
    },
    /// A built-in playbook, a function of Python or of a Python block, a tool of a remote agent.
    Known,
    Unknown,
}

impl Names {
    pub(crate) fn new(agents: &[Agent]) -> Self {
        let mut names = Self::default();
        for (index, agent) in agents.iter().enumerate() {
            names.agents.entry(name::key(&agent.class)).or_insert(index);
            names.agents.entry(name::key(&agent.title.value)).or_insert(index);
            let mut playbooks = FxHashMap::default();
            for (index, playbook) in agent.playbooks.iter().enumerate() {
                playbooks.entry(playbook.key.clone()).or_insert(index);
            }
            names.playbooks.push(playbooks);
            names
                .functions
                .push(agent.python.iter().flat_map(|block| block.functions.iter().cloned()).collect());
        }
        names
    }

    #[must_use]
    pub fn agent(&self, name: &str) -> Option<usize> {
        self.agents.get(&name::key(name)).copied()
    }

    #[must_use]
    pub fn playbook(&self, agent: usize, name: &str) -> Option<usize> {
        self.playbooks.get(agent)?.get(&name::key(name)).copied()
    }

    /// What `callee` means when `agent` calls it.
    #[must_use]
    pub fn callee(&self, agents: &[Agent], agent: usize, callee: &str) -> Callee {
        let Some((owner, inner)) = callee.split_once('.') else {
            return self.plain_callee(agents, agent, callee);
        };
        if owner == "self" || owner == "agent" {
            return self.plain_callee(agents, agent, inner);
        }
        let Some(other) = self.agent(owner) else {
            let is_module = self.functions.get(agent).is_some_and(|functions| functions.contains(owner));
            return if is_module { Callee::Known } else { Callee::Unknown };
        };
        match self.playbook(other, inner) {
            Some(playbook) => Callee::Playbook { agent: other, playbook },
            None if agents.get(other).is_some_and(is_open) || BUILTIN_PLAYBOOKS.contains(&inner) => {
                Callee::Known
            }
            None => Callee::Unknown,
        }
    }

    fn plain_callee(&self, agents: &[Agent], agent: usize, callee: &str) -> Callee {
        if let Some(playbook) = self.playbook(agent, callee) {
            return Callee::Playbook { agent, playbook };
        }
        let is_function = self.functions.get(agent).is_some_and(|functions| functions.contains(callee));
        if is_function || BUILTIN_PLAYBOOKS.contains(&callee) || BUILTIN_FUNCTIONS.contains(&callee) {
            return Callee::Known;
        }
        // An unqualified name also reaches the public playbooks of other agents.
        let public = |(index, other): (usize, &Agent)| {
            let playbook = self.playbook(index, callee)?;
            other.playbooks.get(playbook).is_some_and(Playbook::is_public).then_some((index, playbook))
        };
        match agents.iter().enumerate().find_map(public) {
            Some((agent, playbook)) => Callee::Playbook { agent, playbook },
            None if agents.get(agent).is_some_and(is_open) => Callee::Known,
            None => Callee::Unknown,
        }
    }
}

/// The tools of a remote agent are known when it is connected, not here.
fn is_open(agent: &Agent) -> bool {
    agent.meta.get("remote").is_some() || agent.kind == crate::tree::AgentKind::Mcp
}
