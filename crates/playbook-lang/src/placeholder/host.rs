//! What placeholders can reach. The caller decides; nothing else exists for them.

use crate::value::Value;

/// The world of an expression: variables, playbooks, the agent, the time.
pub trait Host {
    /// A parameter, local or state variable, in that order. Artifacts give their text.
    fn variable(&mut self, name: &str) -> Option<Value>;

    /// Whether `Name` or `Agent.Name` can be called.
    fn has_function(&self, _name: &str) -> bool {
        false
    }

    /// Runs a playbook or function to its end. Nobody needs to await it.
    fn call(
        &mut self,
        name: &str,
        _args: Vec<Value>,
        _named: Vec<(String, Value)>,
    ) -> Result<Value, HostError> {
        Err(HostError::new("NameError", format!("name '{name}' is not defined")))
    }

    /// The agent as a value: `klass`, `id`, `state`, ….
    fn agent(&mut self) -> Value {
        Value::None
    }

    /// The call whose description is being resolved.
    fn current_call(&self) -> CallInfo {
        CallInfo::default()
    }

    /// The time the playbook began.
    fn timestamp(&self) -> Option<Moment> {
        None
    }

    /// Every name that could have been meant, for suggestions.
    fn names(&self) -> Vec<String> {
        Vec::new()
    }
}

/// `current_playbook_call`: shown as its text, with the playbook's name in `playbook_name`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallInfo {
    pub playbook_name: String,
    /// `Name(args)`
    pub text: String,
}

/// A date and time without a zone, as `datetime.now()` gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    pub year: i32,
    pub month: u8,
    pub day: u8,
    pub hour: u8,
    pub minute: u8,
    pub second: u8,
    pub microsecond: u32,
}

/// A call that failed; the expression sees it as a Python exception.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}: {message}")]
pub struct HostError {
    /// A Python exception's name, `ValueError`.
    pub kind: String,
    pub message: String,
}

impl HostError {
    pub fn new(kind: impl Into<String>, message: impl Into<String>) -> Self {
        Self { kind: kind.into(), message: message.into() }
    }
}
