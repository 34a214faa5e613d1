//! What expressions in the sandbox can reach.

use playbook_lang::Value;
use playbook_lang::placeholder::{CallInfo, Host, HostError, Moment};

use super::evaluate::Names;
use super::frame::{Body, CallOutcome, Frame};
use super::state::{Instance, State};
use crate::code::Playbooks;
use crate::eval::Scope;

/// A call an expression makes for which there is no result yet.
pub(super) struct Wanted {
    pub(super) name: String,
    pub(super) args: Vec<Value>,
    pub(super) named: Vec<(String, Value)>,
}

/// The world of an expression. Calls are answered from what the frame remembers; the first one it does not remember
/// ends the evaluation and is wanted.
pub(super) struct Sandbox<'a> {
    code: &'a Playbooks,
    frame: &'a Frame,
    names: Option<Names<'a>>,
    instance: Option<&'a Instance>,
    offset_minutes: i32,
    pub(super) may_call: bool,
    /// Results of calls used so far, counted over the whole operation.
    pub(super) used: usize,
    pub(super) wanted: Option<Wanted>,
}

impl<'a> Sandbox<'a> {
    pub(super) fn new(
        code: &'a Playbooks,
        state: &'a State,
        frame: &'a Frame,
        used: usize,
        is_lenient: bool,
    ) -> Self {
        let instance = state.instances.get(frame.instance);
        let names = instance.map(|instance| Names { frame: Some(frame), instance, is_lenient });
        let offset_minutes = state.settings.utc_offset_minutes;
        Self { code, frame, names, instance, offset_minutes, may_call: true, used, wanted: None }
    }

    fn agent_index(&self) -> usize {
        self.instance.map_or(0, |instance| instance.agent)
    }
}

impl Host for Sandbox<'_> {
    fn variable(&mut self, name: &str) -> Option<Value> {
        let names = self.names.as_ref()?;
        // A name that is a function is not a variable that was never set.
        if names.is_lenient && self.code.is_callable(names.instance.agent, name) {
            let strict = Names { is_lenient: false, ..*names };
            return strict.get(name).cloned();
        }
        names.get(name).cloned()
    }

    fn has_function(&self, name: &str) -> bool {
        self.may_call && self.code.is_callable(self.agent_index(), name)
    }

    fn call(
        &mut self,
        name: &str,
        args: Vec<Value>,
        named: Vec<(String, Value)>,
    ) -> Result<Value, HostError> {
        let known: Option<&CallOutcome> = self.frame.memo.get(self.used);
        self.used += 1;
        match known {
            Some(Ok(value)) => Ok(value.clone()),
            Some(Err(reason)) => Err(HostError::new("RuntimeError", reason.clone())),
            None => {
                self.wanted = Some(Wanted { name: name.to_owned(), args, named });
                Err(HostError::new("RuntimeError", "waits for a call"))
            }
        }
    }

    fn agent(&mut self) -> Value {
        let class = self.code.agent_name(self.agent_index());
        let id = self.instance.and_then(|instance| instance.id.clone()).unwrap_or_else(|| class.to_owned());
        let variables = self.instance.into_iter().flat_map(|instance| &instance.variables);
        let state = variables.map(|(name, value)| (name.to_string(), value.clone())).collect();
        Value::Dict(vec![
            ("klass".to_owned(), Value::from(class)),
            ("id".to_owned(), Value::Text(id)),
            ("state".to_owned(), Value::Dict(state)),
        ])
    }

    fn current_call(&self) -> CallInfo {
        let plain = match &self.frame.body {
            Body::Playbook(id) => self.code.playbook(*id).map(|playbook| playbook.plain.clone()),
            Body::Tool { .. } | Body::Python { .. } => None,
        };
        CallInfo { playbook_name: plain.unwrap_or_default(), text: self.frame.call.clone() }
    }

    fn timestamp(&self) -> Option<Moment> {
        Some(moment(self.frame.began, self.offset_minutes))
    }

    fn names(&self) -> Vec<String> {
        let locals = self.frame.locals.keys();
        let variables = self.instance.into_iter().flat_map(|instance| instance.variables.keys());
        let playbooks = self.code.playbooks.iter().map(|playbook| playbook.plain.clone());
        locals.chain(variables).map(ToString::to_string).chain(playbooks).collect()
    }
}

/// A time of the clock: the days since 1970 as a date (the well-known algorithm for the civil calendar).
pub(super) fn moment(ms: u64, offset_minutes: i32) -> Moment {
    let ms = i64::try_from(ms).unwrap_or(i64::MAX / 2).saturating_add(i64::from(offset_minutes) * 60_000);
    let (days, rest) = (ms.div_euclid(86_400_000), ms.rem_euclid(86_400_000));
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let small = |number: i64| u8::try_from(number).unwrap_or(0);
    Moment {
        year: i32::try_from(year).unwrap_or(9_999),
        month: small(month),
        day: small(day),
        hour: small(rest / 3_600_000),
        minute: small(rest / 60_000 % 60),
        second: small(rest / 1_000 % 60),
        microsecond: u32::try_from(rest % 1_000 * 1_000).unwrap_or(0),
    }
}
