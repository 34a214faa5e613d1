//! The four wire formats: what is sent, and where the text is in the answer.

mod anthropic;
pub(crate) mod fault;
mod gemini;
mod ollama;
mod openai;
pub(crate) mod stream;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::message::Picture;
use crate::provider::Wire;
use crate::request::{Answer, Request};
use crate::target::HttpRoute;

/// A request ready to be sent. The key is in `headers` and nowhere else.
pub(crate) struct Encoded {
    pub(crate) url: String,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Value,
}

/// Why a successful response holds no answer.
#[derive(Debug, PartialEq)]
pub(crate) enum Unusable {
    /// It is not what the protocol promises.
    Malformed(String),
    /// The model or its provider does not want to.
    Declined(String),
    /// It is an error with a successful status: the status it should have had.
    Fault(u16),
}

pub(crate) fn encode(route: &HttpRoute, model: &str, request: &Request) -> Encoded {
    match route.wire {
        Wire::OpenAi => openai::encode(route, model, request),
        Wire::Anthropic => anthropic::encode(route, model, request),
        Wire::Gemini => gemini::encode(route, model, request),
        Wire::Ollama => ollama::encode(route, model, request),
    }
}

pub(crate) fn decode(wire: Wire, body: &Value) -> Result<Answer, Unusable> {
    match wire {
        Wire::OpenAi => openai::decode(body),
        Wire::Anthropic => anthropic::decode(body),
        Wire::Gemini => gemini::decode(body),
        Wire::Ollama => ollama::decode(body),
    }
}

fn bearer(route: &HttpRoute) -> Vec<(&'static str, String)> {
    let header = |key: &str| ("authorization", format!("Bearer {key}"));
    route.key.iter().map(|key| header(key.expose())).collect()
}

fn base64(picture: &Picture) -> String {
    STANDARD.encode(&picture.bytes)
}

/// A count in an answer; what is missing is none.
fn count(value: &Value) -> u64 {
    value.as_u64().unwrap_or_default()
}
