use playbook_engine::{Learned, Tool, Value};

use super::expect::Expectation;

/// A file of tests.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Suite {
    /// The files of the program, relative to this one.
    pub files: Vec<String>,
    pub cases: Vec<Case>,
}

/// One conversation. Each part knows the line it stands in.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Case {
    pub title: String,
    pub line: usize,
    pub given: Given,
    /// What the user does and what the agent must say, in order.
    pub turns: Vec<Line<Turn>>,
    /// Answers of the model, in the order they are asked for.
    pub answers: Vec<Line<Answer>>,
    pub expectations: Vec<Line<Expectation>>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    pub json: serde_json::Value,
    /// The engine must refuse it.
    pub is_refused: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Line<T> {
    pub line: usize,
    pub what: T,
}

/// What there is before the run starts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Given {
    /// The playbook to start; without one, all that begin by themselves.
    pub playbook: Option<String>,
    pub args: Vec<(String, Value)>,
    pub variables: Vec<(String, Value)>,
    pub tools: Vec<Tool>,
    /// Results in the order of the calls; the last one of a tool stays.
    pub results: Vec<(String, ToolResult)>,
    pub learned: Vec<Learned>,
    pub approves: Option<bool>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ToolResult {
    Gives(Value),
    Fails(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Turn {
    User(String),
    /// A message of an agent holds this.
    Agent(String),
    /// The next timer comes.
    TimePasses,
}
