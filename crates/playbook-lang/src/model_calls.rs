//! How often a run of a playbook has to ask a model, counted without running it.
//!
//! Every step that a model does counts as one call, every question as a second one that reads the answer. A runtime
//! asks less often where it puts neighbouring steps together, and more often where it has to ask again.

use rustc_hash::FxHashMap;
use serde::Serialize;
use serde_json::Value;

use crate::explain::{Doer, explain_step};
use crate::names::Callee;
use crate::program::Program;
use crate::step::{Decided, Items, Step, StepKind};
use crate::tree::{Agent, Mode, Playbook};

/// Calls nested deeper than this count as open.
const MAX_DEPTH: usize = 64;

/// An upper bound: `at_most`, plus what each turn of a loop costs, if nothing is `open`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ModelCalls {
    pub at_most: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub loops: Vec<LoopCalls>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<Open>,
}

/// A loop whose number of turns only the run knows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LoopCalls {
    pub playbook: String,
    pub step: String,
    pub each_turn: u64,
}

/// Why there is no bound.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum Open {
    /// The playbook has no steps: the model decides when it is done.
    NoSteps { playbook: String },
    /// The playbook calls itself, perhaps through others.
    Recursion { playbook: String },
    /// An agent is asked in words for whatever it can do.
    Delegated { agent: String },
    /// Python calls playbooks as often as it likes.
    Python { playbook: String },
}

impl ModelCalls {
    fn of(at_most: u64) -> Self {
        Self { at_most, ..Self::default() }
    }

    fn open(why: Open) -> Self {
        Self { open: vec![why], ..Self::default() }
    }

    fn then(mut self, other: Self) -> Self {
        self.at_most = self.at_most.saturating_add(other.at_most);
        self.with_open_ends(other)
    }

    /// One of two ways is taken.
    fn or(mut self, other: Self) -> Self {
        self.at_most = self.at_most.max(other.at_most);
        self.with_open_ends(other)
    }

    fn with_open_ends(mut self, other: Self) -> Self {
        for one in other.loops {
            let known =
                self.loops.iter_mut().find(|known| known.playbook == one.playbook && known.step == one.step);
            match known {
                Some(known) => known.each_turn = known.each_turn.max(one.each_turn),
                None => self.loops.push(one),
            }
        }
        for one in other.open {
            if !self.open.contains(&one) {
                self.open.push(one);
            }
        }
        self
    }
}

/// Counts for one program; what was counted once is remembered.
pub(crate) struct Counter<'a> {
    program: &'a Program,
    known: FxHashMap<(usize, usize), ModelCalls>,
    /// The playbooks that are being counted, outermost first.
    stack: Vec<(usize, usize)>,
}

impl<'a> Counter<'a> {
    pub(crate) fn new(program: &'a Program) -> Self {
        Self { program, known: FxHashMap::default(), stack: Vec::new() }
    }

    pub(crate) fn playbook(&mut self, agent: usize, number: usize) -> ModelCalls {
        let at = (agent, number);
        if let Some(known) = self.known.get(&at) {
            return known.clone();
        }
        let Some(owner) = self.program.agents.get(agent) else { return ModelCalls::default() };
        let Some(playbook) = owner.playbooks.get(number) else { return ModelCalls::default() };
        if self.stack.contains(&at) || self.stack.len() >= MAX_DEPTH {
            return ModelCalls::open(Open::Recursion { playbook: playbook.name.value.clone() });
        }
        self.stack.push(at);
        let calls = self.description(agent, playbook).then(self.body(agent, owner, playbook));
        self.stack.pop();
        self.known.insert(at, calls.clone());
        calls
    }

    /// Placeholders may call playbooks before the first step.
    fn description(&mut self, agent: usize, playbook: &Playbook) -> ModelCalls {
        let names = playbook.description.placeholders().flat_map(|placeholder| &placeholder.calls);
        names.fold(ModelCalls::default(), |sum, name| sum.then(self.callee(agent, name)))
    }

    fn body(&mut self, agent: usize, owner: &Agent, playbook: &Playbook) -> ModelCalls {
        let name = || playbook.name.value.clone();
        match playbook.mode {
            Mode::Steps => self.steps(agent, playbook, &playbook.steps),
            Mode::React => ModelCalls::open(Open::NoSteps { playbook: name() }),
            Mode::Raw => ModelCalls::of(1),
            Mode::Python if names_others(owner) => ModelCalls::open(Open::Python { playbook: name() }),
            Mode::Python => ModelCalls::default(),
        }
    }

    fn steps(&mut self, agent: usize, playbook: &Playbook, steps: &[Step]) -> ModelCalls {
        let mut sum = ModelCalls::default();
        let mut rest = steps;
        while let Some((step, after)) = rest.split_first() {
            if matches!(step.kind, StepKind::If { .. }) {
                let is_branch = |step: &&Step| matches!(step.kind, StepKind::ElseIf { .. } | StepKind::Else);
                let len = 1 + after.iter().take_while(is_branch).count();
                sum = sum.then(self.branches(agent, playbook, &rest[..len]));
                rest = &rest[len..];
            } else {
                sum = sum.then(self.step(agent, playbook, step));
                rest = after;
            }
        }
        sum
    }

    /// Every condition may have to be judged, one body runs.
    fn branches(&mut self, agent: usize, playbook: &Playbook, chain: &[Step]) -> ModelCalls {
        let mut judged = ModelCalls::default();
        let mut bodies = ModelCalls::default();
        for step in chain {
            judged = judged.then(self.own(agent, step));
            bodies = bodies.or(self.steps(agent, playbook, &step.body));
        }
        judged.then(bodies)
    }

    fn step(&mut self, agent: usize, playbook: &Playbook, step: &Step) -> ModelCalls {
        let own = self.own(agent, step);
        let body = self.steps(agent, playbook, &step.body);
        let Some(turns) = turns(step) else { return own.then(body) };
        let is_judged = step.kind.condition().is_some_and(|condition| condition.decided == Decided::Model);
        let each_turn = body.at_most.saturating_add(u64::from(is_judged));
        match turns {
            Some(count) => {
                let at_most = body.at_most.saturating_mul(count);
                own.then(ModelCalls { at_most, ..body })
            }
            None => {
                let looped =
                    LoopCalls { playbook: playbook.name.value.clone(), step: step.id.clone(), each_turn };
                let loops = if each_turn > 0 { vec![looped] } else { Vec::new() };
                own.with_open_ends(ModelCalls { loops, ..ModelCalls::default() }).with_open_ends(body)
            }
        }
    }

    /// The step itself and the playbooks it calls.
    fn own(&mut self, agent: usize, step: &Step) -> ModelCalls {
        let (doer, _) = explain_step(step);
        // Finding the words of a question and reading its answer are two requests.
        let answers =
            u64::from(matches!(&step.kind, StepKind::Ask { fills, words: None, .. } if !fills.is_empty()));
        let mut sum = ModelCalls::of(u64::from(doer == Doer::Model) + answers);
        if let StepKind::Delegate { agent, .. } = &step.kind {
            sum = sum.then(ModelCalls::open(Open::Delegated { agent: agent.clone() }));
        }
        for call in &step.effects.calls {
            sum = sum.then(self.callee(agent, &call.callee));
        }
        sum
    }

    fn callee(&mut self, agent: usize, name: &str) -> ModelCalls {
        match self.program.names().callee(&self.program.agents, agent, name) {
            Callee::Playbook { agent, playbook } => self.playbook(agent, playbook),
            Callee::Known | Callee::Unknown => ModelCalls::default(),
        }
    }
}

/// For a loop: how many turns it has, if the program says so.
#[expect(clippy::wildcard_enum_match_arm, reason = "only these are loops")]
fn turns(step: &Step) -> Option<Option<u64>> {
    match &step.kind {
        StepKind::While { .. } | StepKind::Until { .. } => Some(None),
        StepKind::ForEach { items: Items::Expression { expr }, .. } => Some(match &expr.literal {
            Some(Value::Array(items)) => u64::try_from(items.len()).ok(),
            _ => None,
        }),
        StepKind::ForEach { .. } => Some(None),
        _ => None,
    }
}

/// Whether the Python of an agent names a playbook that is written in words.
fn names_others(agent: &Agent) -> bool {
    let worded = || agent.playbooks.iter().filter(|playbook| playbook.mode != Mode::Python);
    agent.python.iter().any(|block| worded().any(|playbook| block.code.contains(&playbook.name.value)))
}
