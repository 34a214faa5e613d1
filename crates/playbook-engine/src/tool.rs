//! Functions outside of the program: what a caller of the engine offers to its playbooks.

use playbook_lang::Value;
use serde::{Deserialize, Serialize};

use crate::{bind, code};

/// A function that steps and models may call by its name; the caller runs it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Tool {
    /// `GetOrderStatus` or `Agent.GetOrderStatus`.
    pub name: String,
    #[serde(default)]
    pub description: String,
    #[serde(default)]
    pub params: Vec<ToolParam>,
    /// Its parameters are not known yet: it takes what it is given, positions as a list under the name [`POSITIONS`].
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_open: bool,
}

/// Under what name the positional arguments of an open tool are handed over. No parameter can be called this.
pub const POSITIONS: &str = "*";

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ToolParam {
    pub name: String,
    /// A Python type, `str`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ty: Option<String>,
    #[serde(default)]
    pub is_optional: bool,
    /// It has no position.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_named_only: bool,
}

impl Tool {
    /// A tool whose parameters are all required and of any type.
    #[must_use]
    pub fn new(name: &str, params: &[&str]) -> Self {
        let param = |name: &&str| ToolParam { name: (*name).to_owned(), ..ToolParam::default() };
        let params = params.iter().map(param).collect();
        Self { name: name.to_owned(), description: String::new(), params, is_open: false }
    }

    /// Arguments by the names of parameters, converted where nothing is lost. An open tool gets them as they are given.
    pub fn bind(
        &self,
        positional: Vec<Value>,
        named: Vec<(String, Value)>,
    ) -> Result<Vec<(String, Value)>, String> {
        if self.is_open {
            let positions = (!positional.is_empty()).then(|| (POSITIONS.to_owned(), Value::List(positional)));
            return Ok(positions.into_iter().chain(named).collect());
        }
        let bound = bind::bind(&code::parameters(self), positional, named)?;
        Ok(bound.into_iter().map(|(name, value)| (name.into_string(), value)).collect())
    }

    /// A tool of which only the name is known.
    #[must_use]
    pub fn open(name: &str) -> Self {
        Self { is_open: true, ..Self::new(name, &[]) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_open_tool_gets_what_it_is_given() {
        let named = || vec![("note".to_owned(), Value::Int(2))];
        let tool = Tool::open("Shop.Find");
        let positions = (POSITIONS.to_owned(), Value::List(vec![Value::Int(1)]));
        assert_eq!(tool.bind(vec![Value::Int(1)], named()), Ok([vec![positions], named()].concat()));
        assert_eq!(tool.bind(Vec::new(), named()), Ok(named()));
    }

    #[test]
    fn a_parameter_without_a_position_must_be_named() {
        let mut tool = Tool::new("Shop.Find", &["id", "note"]);
        tool.params[1].is_named_only = true;
        tool.params[1].is_optional = true;
        let two = vec![Value::Int(1), Value::Int(2)];
        let refused = tool.bind(two, Vec::new());
        assert!(refused.is_err_and(|why| why.ends_with("name the others")));
        let bound = tool.bind(vec![Value::Int(1)], vec![("note".to_owned(), Value::Int(2))]);
        assert_eq!(bound, Ok(vec![("id".to_owned(), Value::Int(1)), ("note".to_owned(), Value::Int(2))]));
    }
}
