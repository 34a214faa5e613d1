//! What the expressions of a fuzzed text can reach: a value of each kind, and functions.

use std::time::Duration;

use playbook_lang::Value;
use playbook_lang::placeholder::{CallInfo, Host, HostError, Limits, Moment};

pub(crate) struct World;

impl Host for World {
    fn variable(&mut self, name: &str) -> Option<Value> {
        Some(match name {
            "n" => Value::Int(7),
            "x" => Value::Float(2.5),
            "name" => Value::from("Ada é🎉"),
            "yes" => Value::Bool(true),
            "none" => Value::None,
            "list" => Value::List(vec![Value::Int(3), Value::from("b"), Value::None]),
            "order" => Value::Dict(vec![
                ("id".to_owned(), Value::from("A-17")),
                ("lines".to_owned(), Value::List(vec![Value::Int(1), Value::Int(2)])),
            ]),
            _ => return None,
        })
    }

    fn has_function(&self, name: &str) -> bool {
        matches!(name, "F" | "Fail" | "Shop.Tax")
    }

    fn call(&mut self, name: &str, args: Vec<Value>, _: Vec<(String, Value)>) -> Result<Value, HostError> {
        if name == "Fail" {
            return Err(HostError::new("ValueError", "no"));
        }
        Ok(args.into_iter().next().unwrap_or_default())
    }

    fn agent(&mut self) -> Value {
        Value::Dict(vec![("klass".to_owned(), Value::from("Shop"))])
    }

    fn current_call(&self) -> CallInfo {
        CallInfo { playbook_name: "Main".to_owned(), text: "Main($x)".to_owned() }
    }

    fn timestamp(&self) -> Option<Moment> {
        Some(Moment { year: 2026, month: 1, day: 5, hour: 12, minute: 0, second: 0, microsecond: 0 })
    }

    fn names(&self) -> Vec<String> {
        ["n", "name", "list", "order"].map(str::to_owned).into()
    }
}

/// Less time than a program has, so that more is tried.
pub(crate) fn limits() -> Limits {
    Limits { time: Duration::from_millis(3), ..Limits::default() }
}
