//! Every trigger of a program, by what makes it fire.

use playbook_lang::{Decided, FlowMoment, TriggerKind};
use rustc_hash::FxHashMap;

use super::{Callee, PlaybookId, Playbooks};
use crate::eval::Expression;

/// One trigger.
#[derive(Debug)]
pub(crate) struct TriggerCode {
    /// `Agent.Name:T1`
    pub(crate) id: String,
    pub(crate) text: String,
    pub(crate) playbook: PlaybookId,
    pub(crate) agent: usize,
    pub(crate) kind: TriggerKind,
    pub(crate) condition: Option<Expression>,
}

/// Triggers by what makes them fire. All lists are in the order of the file.
#[derive(Debug, Default)]
pub(crate) struct TriggerTable {
    pub(crate) all: Vec<TriggerCode>,
    pub(crate) begin: Vec<usize>,
    pub(crate) timed: Vec<usize>,
    pub(crate) meaning: Vec<usize>,
    /// By agent and variable.
    watched: FxHashMap<(usize, String), Vec<usize>>,
    flow: FxHashMap<(FlowMomentKey, String), Vec<usize>>,
}

/// [`FlowMoment`] as a key.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum FlowMomentKey {
    Before,
    After,
    Failed,
}

impl From<FlowMoment> for FlowMomentKey {
    fn from(moment: FlowMoment) -> Self {
        match moment {
            FlowMoment::Before => Self::Before,
            FlowMoment::After => Self::After,
            FlowMoment::Failed => Self::Failed,
        }
    }
}

impl TriggerTable {
    pub(super) fn new(code: &Playbooks) -> Self {
        let mut table = Self::default();
        for (agent, found) in code.program().agents.iter().enumerate() {
            for (index, playbook) in found.playbooks.iter().enumerate() {
                let Some(id) = code.id_of(agent, index) else { continue };
                for trigger in &playbook.triggers {
                    table.add(code, agent, id, trigger);
                }
            }
        }
        table
    }

    fn add(
        &mut self,
        code: &Playbooks,
        agent: usize,
        playbook: PlaybookId,
        trigger: &playbook_lang::Trigger,
    ) {
        let at = self.all.len();
        let mut condition = None;
        match &trigger.kind {
            TriggerKind::Begin => self.begin.push(at),
            TriggerKind::After { .. } | TriggerKind::Every { .. } | TriggerKind::At { .. } => {
                self.timed.push(at)
            }
            TriggerKind::Meaning => self.meaning.push(at),
            TriggerKind::State { condition: state } => {
                if let Decided::Expression { expr } | Decided::Phrase { expr } = &state.decided {
                    condition = Some(Expression::new(&expr.source, &|name| code.is_callable(agent, name)));
                }
                for variable in &trigger.watches {
                    self.watched.entry((agent, variable.clone())).or_default().push(at);
                }
            }
            TriggerKind::Flow { moment, playbook } => {
                let callee = code.callee(agent, playbook);
                let name = match &callee {
                    Callee::Refused(_) => playbook.as_str(),
                    Callee::Playbook(_) | Callee::Tool(_) | Callee::Function(_) | Callee::Builtin(_) => {
                        code.callee_name(&callee)
                    }
                };
                self.flow.entry(((*moment).into(), name.to_owned())).or_default().push(at);
            }
        }
        let name = code.playbook(playbook).map_or("", |code| code.name.as_str());
        self.all.push(TriggerCode {
            id: format!("{name}:{}", trigger.id),
            text: trigger.text.clone(),
            playbook,
            agent,
            kind: trigger.kind.clone(),
            condition,
        });
    }

    pub(crate) fn get(&self, index: usize) -> Option<&TriggerCode> {
        self.all.get(index)
    }

    /// Whether any trigger of an agent watches any variable: most programs have none.
    pub(crate) fn watches_nothing(&self) -> bool {
        self.watched.is_empty()
    }

    pub(crate) fn watching(&self, agent: usize, variable: &str) -> &[usize] {
        self.watched.get(&(agent, variable.to_owned())).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn hooks(&self, moment: FlowMomentKey, callee: &str) -> &[usize] {
        if self.flow.is_empty() {
            return &[];
        }
        self.flow.get(&(moment, callee.to_owned())).map_or(&[], Vec::as_slice)
    }
}
