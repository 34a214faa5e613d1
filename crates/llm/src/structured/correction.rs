//! The two things this crate itself says to a model: the form of the answer, and what was wrong with it.

use std::fmt;

use super::{Problem, Schema};
use crate::error::bounded;
use crate::message::{Message, Speaker};

/// The most of a wrong answer that is shown to the model again.
const LONGEST_QUOTE: usize = 8_000;

/// The form of the answer, for models that are not held to it.
pub(crate) fn schema_in_words(schema: &Schema) -> String {
    format!(
        "Answer with one JSON object and nothing else: no introduction, no code fence, no comments. The object is \
         an instance of this JSON Schema, not the schema itself:\n{}",
        schema.as_value()
    )
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("it is empty"),
            Self::NoJson => f.write_str("it holds no JSON object"),
            Self::Truncated => f.write_str("it breaks off before its end"),
            Self::Echo => f.write_str("it repeats the JSON Schema instead of filling it in"),
            Self::Misfit(violations) => {
                let texts: Vec<String> = violations.iter().map(ToString::to_string).collect();
                f.write_str(&texts.join("; "))
            }
        }
    }
}

/// The conversation with the wrong answer in it and what is wrong with it; the form is told again when it is sent.
pub(crate) fn corrective(messages: &[Message], wrong: &str, problem: &Problem) -> Vec<Message> {
    let mut messages = messages.to_vec();
    // Some servers refuse a turn without words.
    if !wrong.trim().is_empty() {
        messages.push(Message::text(Speaker::Assistant, bounded(wrong.trim(), LONGEST_QUOTE)));
    }
    let advice = if *problem == Problem::Truncated { " Keep it much shorter." } else { "" };
    let what = match problem {
        Problem::Misfit(violations) => {
            let lines: Vec<String> = violations.iter().map(|violation| format!("- {violation}")).collect();
            format!("Your answer does not fit:\n{}", lines.join("\n"))
        }
        other @ (Problem::Empty | Problem::NoJson | Problem::Truncated | Problem::Echo) => {
            format!("Your answer cannot be used: {other}.")
        }
    };
    let text = format!("{what}\nGive the whole corrected answer.{advice}");
    messages.push(Message::text(Speaker::User, text));
    messages
}
