//! Triggers: variables that are watched, timers, hooks, and what a message means.

use std::sync::Arc;

use playbook_lang::{TriggerKind, Value};

use super::Run;
use super::evaluate::{Eval, Names, Wants};
use super::frame::ReturnsTo;
use super::host::moment;
use super::state::{Firing, Open, State, Timer, Wakes};
use crate::code::{Callee, TriggerCode};
use crate::effect::Effect;
use crate::eval::Expression;
use crate::journal::{Entry, Evaluated};

/// Triggers firing inside what triggers started, at most this deep.
const MAX_NESTED: usize = 8;

const DAY_MS: u64 = 86_400_000;

impl Run {
    /// Sets a variable of an agent and looks whether a trigger has waited for it.
    pub(super) fn write(&mut self, instance: usize, name: &Arc<str>, value: Value) {
        let Some(found) = self.state.instances.get_mut(instance) else { return };
        match found.variables.get_mut(&**name) {
            Some(known) => *known = value,
            None => {
                found.variables.insert(Arc::clone(name), value);
            }
        }
        if !self.code.triggers.watches_nothing() {
            self.watch(instance, name);
        }
    }

    /// A condition that turns true fires once; it must turn false before it can fire again.
    fn watch(&mut self, instance: usize, name: &str) {
        let code = Arc::clone(&self.code);
        let Some(agent) = self.state.instances.get(instance).map(|found| found.agent) else { return };
        for &at in code.triggers.watching(agent, name) {
            let Some(TriggerCode { condition: Some(condition), .. }) = code.triggers.get(at) else {
                continue;
            };
            let holds = self.holds(instance, condition);
            let Some(found) = self.state.instances.get_mut(instance) else { return };
            let held = found.holding.contains(&at);
            match (held, holds) {
                (false, true) => {
                    found.holding.push(at);
                    let because = format!("`{}` became true when ${name} was set", condition.source);
                    let instance = Some(instance);
                    self.state.firings.push_back(Firing {
                        trigger: at,
                        instance,
                        because,
                        args: Vec::new(),
                        steps: Vec::new(),
                    });
                }
                (true, false) => found.holding.retain(|known| *known != at),
                (true, true) | (false, false) => {}
            }
        }
    }

    /// A condition that cannot be computed does not hold.
    fn holds(&mut self, instance: usize, condition: &Expression) -> bool {
        let Some(found) = self.state.instances.get(instance) else { return false };
        let names = Names { frame: None, instance: found, is_lenient: true };
        if let Some(value) = condition.quick(&names) {
            return value.is_truthy();
        }
        if self.state.frames.is_empty() {
            return false;
        }
        match self.sandboxed(&condition.source, true, Wants::Value, false) {
            Eval::Done(Evaluated::Value(value)) => value.is_truthy(),
            Eval::Done(_) | Eval::Calls | Eval::Failed(_) => false,
        }
    }

    pub(super) fn fire(&mut self, firing: Firing) {
        let is_begin = self.code.triggers.begin.contains(&firing.trigger);
        self.fire_as(firing, if is_begin { ReturnsTo::Run } else { ReturnsTo::Nobody });
    }

    /// Starts the playbook of a trigger, unless that would go round in circles.
    pub(super) fn fire_as(&mut self, firing: Firing, returns_to: ReturnsTo) -> bool {
        let code = Arc::clone(&self.code);
        let Some(trigger) = code.triggers.get(firing.trigger) else { return false };
        let held_back =
            |because: &str| Entry::HeldBack { trigger: trigger.id.as_str().into(), because: because.into() };
        let frames = &self.state.frames;
        if frames.iter().any(|frame| frame.playbook() == Some(trigger.playbook)) {
            self.tell(held_back("its playbook is already running"));
            return false;
        }
        if frames.iter().filter(|frame| frame.trigger.is_some()).count() >= MAX_NESTED {
            self.tell(held_back("too many triggers inside each other"));
            return false;
        }
        let named = match self.trigger_args(trigger, &firing) {
            Ok(named) => named,
            Err(why) => {
                self.tell(held_back(&why));
                return false;
            }
        };
        let (id, because) = (trigger.id.as_str().into(), firing.because.as_str().into());
        self.tell(Entry::Fired { trigger: id, because });
        let callee = Callee::Playbook(trigger.playbook);
        let before = self.state.frames.len();
        match self.call(&callee, None, (Vec::new(), named), returns_to, Some(firing.trigger)) {
            Ok(()) => {
                if let Some(frame) = self.state.frames.get_mut(before) {
                    frame.model.steps = firing.steps.into();
                }
                true
            }
            Err(why) => {
                self.tell(held_back(&why));
                false
            }
        }
    }

    /// Parameters of a triggered playbook: what was given, else variables of the same name, else nothing.
    fn trigger_args(&self, trigger: &TriggerCode, firing: &Firing) -> Result<Vec<(String, Value)>, String> {
        let at = firing.instance.or_else(|| {
            self.state.instances.iter().position(|found| found.agent == trigger.agent && found.id.is_none())
        });
        let variables = at.and_then(|at| self.state.instances.get(at)).map(|found| &found.variables);
        let mut named = Vec::new();
        let params = self.code.parameters_of(&Callee::Playbook(trigger.playbook));
        for param in &params {
            let given = firing.args.iter().find(|(name, _)| *name == *param.name).map(|(_, value)| value);
            let known = || variables.and_then(|variables| variables.get(&*param.name));
            let started = || self.state.start_variables.get(&*param.name);
            match given.or_else(known).or_else(started) {
                Some(value) => named.push((param.name.to_string(), value.clone())),
                None if param.is_optional => {}
                None => named.push((param.name.to_string(), Value::None)),
            }
        }
        crate::bind::bind(&params, Vec::new(), named.clone()).map(|_| named)
    }

    /// Triggers a message could fire: those of the agent that is talking and public ones, none that is running.
    pub(super) fn candidates(&self) -> Vec<usize> {
        let code = &self.code;
        let talking = self.state.frames.last().map(|_| self.running_agent());
        let is_running =
            |playbook: usize| self.state.frames.iter().any(|frame| frame.playbook() == Some(playbook));
        let fits = |at: &usize| {
            code.triggers.get(*at).is_some_and(|trigger| {
                let is_public = code.playbook(trigger.playbook).is_some_and(|playbook| playbook.is_public);
                let is_own = talking.is_none_or(|agent| agent == trigger.agent);
                (is_own || is_public) && !is_running(trigger.playbook)
            })
        };
        code.triggers.meaning.iter().copied().filter(fits).collect()
    }

    pub(super) fn set_timers(&mut self) {
        let code = Arc::clone(&self.code);
        for &at in &code.triggers.timed {
            if let Some(trigger) = code.triggers.get(at)
                && let Some(due) = self.due(&trigger.kind)
            {
                self.set_timer(Timer { due, wakes: Wakes::Trigger(at) }, &trigger.id);
            }
        }
    }

    /// When a trigger is due, counted from now.
    fn due(&self, kind: &TriggerKind) -> Option<u64> {
        let now = self.state.now;
        #[expect(clippy::wildcard_enum_match_arm, reason = "the others have no time")]
        match kind {
            TriggerKind::After { seconds } | TriggerKind::Every { seconds } => {
                Some(now.saturating_add(seconds.saturating_mul(1_000)))
            }
            TriggerKind::At { hour, minute } => {
                let clock = moment(now, self.state.settings.utc_offset_minutes);
                let ms = |hour: u8, minute: u8| (u64::from(hour) * 60 + u64::from(minute)) * 60_000;
                let shown = ms(clock.hour, clock.minute)
                    + u64::from(clock.second) * 1_000
                    + u64::from(clock.microsecond) / 1_000;
                let wanted = ms(*hour, *minute);
                let wait = if wanted > shown { wanted - shown } else { wanted + DAY_MS - shown };
                Some(now.saturating_add(wait))
            }
            _ => None,
        }
    }

    pub(super) fn set_timer(&mut self, timer: Timer, why: &str) -> u64 {
        let id = State::take_number(&mut self.state.next.timer);
        let due = timer.due;
        self.state.timers.insert(id, timer);
        self.ask_for(
            Entry::TimerSet { timer: id, due, why: why.into() },
            Effect::SetTimer { timer: id, due },
        );
        id
    }

    pub(super) fn timer_due(&mut self, id: u64) {
        let Some(timer) = self.state.timers.remove(&id) else { return };
        self.tell(Entry::TimerEnded { timer: id });
        let at = match timer.wakes {
            Wakes::Trigger(at) => at,
            Wakes::Frame(wanted) => {
                if let Some(frame) = self.state.frames.iter_mut().find(|frame| frame.id == wanted) {
                    frame.is_time_over = true;
                }
                if self.state.open == Some(Open::Timer { timer: id }) {
                    self.state.open = None;
                }
                return;
            }
        };
        let code = Arc::clone(&self.code);
        let Some(trigger) = code.triggers.get(at) else { return };
        if matches!(trigger.kind, TriggerKind::Every { .. } | TriggerKind::At { .. })
            && let Some(due) = self.due(&trigger.kind)
        {
            self.set_timer(Timer { due, wakes: Wakes::Trigger(at) }, &trigger.id);
        }
        let because = format!("it is time: {}", trigger.text);
        let firing = Firing { trigger: at, instance: None, because, args: Vec::new(), steps: Vec::new() };
        self.state.firings.push_back(firing);
        // Waiting can be interrupted; a request that is under way cannot.
        if matches!(self.state.open, Some(Open::User | Open::Timer { .. })) {
            self.state.open = None;
        }
    }
}
