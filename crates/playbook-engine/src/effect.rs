//! What a run asks of its caller. Each effect stands for an entry of the journal.

use std::sync::Arc;

use playbook_lang::Value;
use serde::{Deserialize, Serialize};

use crate::model::ModelRequest;
use crate::settings::Limit;

/// Something to do. Only `Say` is over once it is done; the others bring an event back.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "effect", rename_all = "snake_case")]
pub enum Effect {
    /// Show a message. Its id is unique in the run.
    Say(Arc<Message>),
    /// Ask the model; answer with [`crate::Event::Answer`] or [`crate::Event::ModelFailed`].
    AskModel(Box<ModelRequest>),
    /// Run a tool; answer with [`crate::Event::ToolResult`] or [`crate::Event::ToolFailed`].
    CallTool { call: u64, tool: String, args: Vec<(String, Value)> },
    /// Wait for [`crate::Event::Message`].
    WaitForUser { playbook: Option<String>, step: Option<Arc<str>> },
    /// Tell [`crate::Event::Timer`] at `due`, in milliseconds since 1970.
    SetTimer { timer: u64, due: u64 },
    /// Somebody must agree; answer with [`crate::Event::Approval`].
    AskApproval { approval: u64, who: Option<String>, text: Arc<str> },
    /// Look for learned notes; answer with [`crate::Event::Recalled`].
    Recall { recall: u64, playbook: String, step: Arc<str>, query: String },
    /// No playbook wanted this message.
    Unhandled { message: String },
    /// The run is over.
    Finished(Outcome),
}

/// A message of the conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// `m1`, `m2`, …
    pub id: String,
    pub from: Speaker,
    /// `user`, or the name of an agent.
    pub to: String,
    pub text: String,
    /// Who said it where: `Agent.Playbook` and the step, for messages of agents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub playbook: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<Arc<str>>,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Speaker {
    User,
    Agent,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Outcome {
    /// Everything was done; `result` is what the started playbook returned.
    Done {
        result: Value,
    },
    /// A step said `End program`.
    Ended,
    /// A budget was reached. What was done so far stays; [`crate::Event::Continue`] goes on.
    Partial {
        limit: Limit,
        most: u64,
        at: String,
    },
    /// A person takes over.
    HandedOff {
        reason: String,
    },
    Failed {
        reason: String,
    },
}
