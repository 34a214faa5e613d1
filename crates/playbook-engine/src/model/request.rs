//! What a model is asked: everything it may know, as data. The words around it are in `prompts/`.

use std::sync::Arc;

use playbook_lang::Value;
use serde::{Deserialize, Serialize};

use crate::effect::Message;
use crate::journal::Purpose;

/// One request. The caller renders [`ModelRequest::prompt`] with [`ModelRequest::context`] and asks for JSON that
/// follows [`ModelRequest::schema`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ModelRequest {
    pub id: u64,
    pub purpose: Purpose,
    /// The name of the prompt in [`crate::PROMPTS`].
    pub prompt: &'static str,
    pub context: Context,
    /// A text instead of JSON is wanted if there is none.
    pub schema: Option<serde_json::Value>,
    /// The model named in the playbook's metadata.
    pub model: Option<String>,
}

/// Everything the prompt shows.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Context {
    pub agent: AgentContext,
    pub playbook: Option<PlaybookContext>,
    /// All steps of the playbook, to see where this is.
    pub skeleton: Vec<SkeletonStep>,
    pub steps: Vec<OfferedStep>,
    pub questions: Vec<OfferedQuestion>,
    /// Conditions the program decides once the steps before them are done.
    pub forks: Vec<OfferedFork>,
    /// Variables and their values.
    pub state: Vec<(Arc<str>, Value)>,
    pub tools: Vec<ToolContext>,
    pub triggers: Vec<Candidate>,
    /// What calls of this playbook gave.
    pub results: Vec<ResultContext>,
    pub transcript: Vec<Arc<Message>>,
    /// Why the last answer was refused.
    pub repair: Option<Repair>,
    /// Words are wanted for a message that fits no trigger.
    pub wants_reply: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AgentContext {
    pub name: String,
    pub description: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PlaybookContext {
    pub title: String,
    /// With its placeholders filled in.
    pub description: String,
    pub call: String,
    pub sections: Vec<(String, String)>,
    /// What the author wrote. It stands above what was learned.
    pub notes: Vec<NoteContext>,
    /// What experience taught: data, below the notes.
    pub learned: Vec<LearnedContext>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NoteContext {
    pub label: String,
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LearnedContext {
    /// `L1`, `L2`, …
    pub label: String,
    pub rule: String,
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SkeletonStep {
    pub id: Arc<str>,
    pub text: Arc<str>,
    pub depth: usize,
    pub now: bool,
}

/// A step the answer may cover.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OfferedStep {
    pub id: Arc<str>,
    pub kind: &'static str,
    pub instruction: Arc<str>,
    /// `name` or `name: type`
    pub writes: Vec<String>,
    /// The values must come from a message of the user.
    pub from_user: bool,
    /// The question was put, and the user has said something since.
    pub asked: bool,
    /// `05 is true`: only then is this step reached.
    pub when: Vec<String>,
    /// `topic = "bills"`: values of variables in this turn of a loop.
    pub with: Vec<String>,
    /// The agent whose playbooks must be used.
    pub agent: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OfferedQuestion {
    pub id: Arc<str>,
    pub question: String,
    pub when: Vec<String>,
}

/// A condition whose truth depends on what the answer sets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OfferedFork {
    pub id: Arc<str>,
    pub text: Arc<str>,
    pub when: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ToolContext {
    pub name: String,
    pub description: String,
    /// `name`, `name: type`, `name: type = default`
    pub params: Vec<String>,
}

/// A trigger the message may fire.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Candidate {
    pub id: String,
    pub text: String,
    pub params: Vec<String>,
    /// The first steps of the playbook, which may be answered at once.
    pub opening: Vec<OfferedStep>,
    /// What the model must know to do them.
    pub playbook: Option<PlaybookContext>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResultContext {
    /// `Name(args)`
    pub call: String,
    pub value: Value,
}

/// The answer that was refused, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Repair {
    pub answer: serde_json::Value,
    pub problem: String,
}
