//! Functions outside of the program: what a caller of the engine offers to its playbooks.

use serde::{Deserialize, Serialize};

/// A function that steps and models may call by its name; the caller runs it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tool {
    /// `GetOrderStatus` or `Agent.GetOrderStatus`.
    pub name: String,
    #[serde(default)]
    pub description: String,
    #[serde(default)]
    pub params: Vec<ToolParam>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolParam {
    pub name: String,
    /// A Python type, `str`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ty: Option<String>,
    #[serde(default)]
    pub is_optional: bool,
}

impl Tool {
    /// A tool whose parameters are all required and of any type.
    #[must_use]
    pub fn new(name: &str, params: &[&str]) -> Self {
        let param = |name: &&str| ToolParam { name: (*name).to_owned(), ty: None, is_optional: false };
        Self { name: name.to_owned(), description: String::new(), params: params.iter().map(param).collect() }
    }
}
