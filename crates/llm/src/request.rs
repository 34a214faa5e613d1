//! One request and its answer, before and after any wire format.

use serde_json::{Value, json};

use crate::message::{Message, Part};

/// The form in which the answer is asked for.
#[derive(Debug, Clone, PartialEq)]
pub enum Output {
    Text,
    /// Any JSON; the prompt says which.
    Json,
    /// Any JSON, with the schema for servers that heed it there.
    JsonWithSchema {
        schema: Value,
    },
    /// JSON that the server holds to a schema.
    Schema {
        name: String,
        schema: Value,
    },
    /// The input of a tool that the model must call.
    Tool {
        name: String,
        schema: Value,
    },
}

/// What a model is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    pub messages: Vec<Message>,
    pub output: Output,
    pub temperature: Option<f64>,
    pub max_output_tokens: Option<u32>,
}

impl Request {
    /// The request as JSON that is the same for the same request: pictures by their hash, keys in order.
    pub fn canonical(&self) -> Value {
        let part = |part: &Part| match part {
            Part::Text(text) => json!({ "text": text }),
            Part::Image(picture) => json!({
                "image": picture.media_type.as_str(),
                "blake3": blake3::hash(&picture.bytes).to_hex().as_str(),
            }),
        };
        let message = |message: &Message| {
            let parts: Vec<Value> = message.parts.iter().map(part).collect();
            json!({ "speaker": message.speaker.as_str(), "parts": parts })
        };
        let output = match &self.output {
            Output::Text => json!("text"),
            Output::Json => json!("json"),
            Output::JsonWithSchema { schema } => json!({"json": schema}),
            Output::Schema { name, schema } => json!({"schema": schema, "name": name}),
            Output::Tool { name, schema } => json!({"tool": schema, "name": name}),
        };
        json!({
            "messages": self.messages.iter().map(message).collect::<Vec<_>>(),
            "output": output,
            "temperature": self.temperature,
            "max_output_tokens": self.max_output_tokens,
        })
    }
}

/// Why a model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finish {
    /// It was done.
    Complete,
    /// It reached the limit of tokens.
    Truncated,
}

/// What a call used, as the server counted it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// All tokens of the prompt, the cached ones included.
    pub prompt_tokens: u64,
    pub output_tokens: u64,
    pub cached_tokens: u64,
}

/// What a model said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    pub text: String,
    pub finish: Finish,
    /// Absent when the server does not count.
    pub usage: Option<Usage>,
}
