//! Assistants that behave as they are told, and those that do not.
#![expect(clippy::unwrap_used, reason = "a test fails where an answer is not as expected")]

mod examples;
mod script;
mod webhook;

use reflexio_assistant::{Message, Payload, Playbook};

fn payload() -> Payload {
    Payload {
        messages: vec![Message::user("Where is my order?")],
        playbooks: vec![Playbook {
            id: 7,
            content: "Ask for the number.".to_owned(),
            trigger: "orders".to_owned(),
        }],
        session: None,
    }
}
