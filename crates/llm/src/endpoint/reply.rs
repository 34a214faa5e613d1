use serde_json::{Value, json};

use super::Seen;

/// What the endpoint does with a request.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// An answer whose text is this JSON.
    Json(Value),
    /// An answer with this text.
    Text(String),
    /// JSON that fits no sensible schema.
    SchemaViolation,
    /// The schema of the request, said back.
    SchemaEcho,
    /// The beginning of this JSON, with the server saying that the limit was reached.
    Truncated(Value),
    /// This JSON between sentences and in a code fence.
    Prose(Value),
    /// An answer without text.
    Empty,
    /// 401.
    Unauthorized,
    /// 402.
    PaymentRequired,
    /// 429 because the account is empty.
    QuotaExhausted,
    /// 429 with this `Retry-After`.
    RateLimited(String),
    /// 500.
    ServerError,
    /// 400 that names `response_format`.
    FormatRefused,
    /// No answer at all.
    Hang,
    /// An answer of which a byte comes now and then.
    SlowDrip,
    /// Blanks for this many milliseconds, then an answer with the text `OK`.
    KeptAlive(u64),
    /// An answer of this many bytes.
    Huge(usize),
    /// A page of HTML with status 200.
    WrongContentType,
    /// Another answer, so many milliseconds later.
    Late(u64, Box<Reply>),
    /// An answer in these pieces, as server-sent events; one that breaks off has no end.
    Pieces { pieces: Vec<String>, breaks_off: bool },
    /// 400 that names `stream`.
    StreamRefused,
    /// This JSON as the whole body, for other protocols.
    Body(Value),
    /// Anything else.
    Status { status: u16, headers: Vec<(String, String)>, body: String },
}

/// What goes over the wire.
pub(super) enum Delivery {
    Whole {
        status: u16,
        headers: Vec<(String, String)>,
        content_type: &'static str,
        body: Vec<u8>,
    },
    /// One after the other, with pauses.
    Events(Vec<String>),
    Drip,
    KeepAlive {
        milliseconds: u64,
        body: Vec<u8>,
    },
    Nothing,
}

impl Reply {
    pub(super) fn deliver(self, seen: &Seen) -> Delivery {
        match self {
            Self::Json(value) => completion(&value.to_string(), "stop", seen),
            Self::Text(text) => completion(&text, "stop", seen),
            Self::SchemaViolation => completion(r#"{"surely_not_a_field": [1, 2, 3]}"#, "stop", seen),
            Self::SchemaEcho => completion(&schema_of(seen).to_string(), "stop", seen),
            Self::Truncated(value) => {
                let text = value.to_string();
                completion(&text[..text.floor_char_boundary(text.len() * 2 / 3)], "length", seen)
            }
            Self::Prose(value) => {
                let text =
                    format!("Sure! Here it is {{as you asked}}:\n```json\n{value}\n```\nAnything [else]?");
                completion(&text, "stop", seen)
            }
            Self::Empty => completion("", "stop", seen),
            Self::Unauthorized => error(401, "invalid_api_key", "Incorrect API key provided"),
            Self::PaymentRequired => error(402, "payment_required", "This request requires more credits"),
            Self::QuotaExhausted => error(429, "insufficient_quota", "You exceeded your current quota"),
            Self::RateLimited(wait) => match error(429, "rate_limit_exceeded", "Slow down") {
                Delivery::Whole { status, content_type, body, .. } => {
                    let headers = vec![("retry-after".to_owned(), wait)];
                    Delivery::Whole { status, headers, content_type, body }
                }
                other @ (Delivery::Events(_)
                | Delivery::Drip
                | Delivery::KeepAlive { .. }
                | Delivery::Nothing) => other,
            },
            Self::ServerError => error(500, "server_error", "The server had an error"),
            Self::FormatRefused => {
                error(400, "invalid_request_error", "'response_format' of this type is not supported")
            }
            Self::StreamRefused => {
                error(400, "invalid_request_error", "Unrecognized request argument supplied: stream_options")
            }
            Self::Pieces { pieces, breaks_off } => streamed(&pieces, breaks_off, seen),
            Self::Hang => Delivery::Nothing,
            Self::SlowDrip => Delivery::Drip,
            Self::KeptAlive(milliseconds) => match completion("OK", "stop", seen) {
                Delivery::Whole { body, .. } => Delivery::KeepAlive { milliseconds, body },
                other @ (Delivery::Events(_)
                | Delivery::Drip
                | Delivery::KeepAlive { .. }
                | Delivery::Nothing) => other,
            },
            Self::Huge(size) => json_body(200, vec![b'x'; size]),
            Self::WrongContentType => {
                let body = b"<html><body>Welcome to the proxy</body></html>".to_vec();
                Delivery::Whole { status: 200, headers: Vec::new(), content_type: "text/html", body }
            }
            Self::Late(_, reply) => reply.deliver(seen),
            Self::Body(value) => json_body(200, value.to_string().into_bytes()),
            Self::Status { status, headers, body } => {
                Delivery::Whole { status, headers, content_type: "application/json", body: body.into_bytes() }
            }
        }
    }
}

fn json_body(status: u16, body: Vec<u8>) -> Delivery {
    Delivery::Whole { status, headers: Vec::new(), content_type: "application/json", body }
}

fn error(status: u16, code: &str, message: &str) -> Delivery {
    let body = json!({"error": {"message": message, "type": code, "code": code}});
    json_body(status, body.to_string().into_bytes())
}

/// A chat completion that counts four characters as a token.
fn completion(text: &str, finish: &str, seen: &Seen) -> Delivery {
    let (prompt, output) = (seen.prompt().chars().count().div_ceil(4), text.chars().count().div_ceil(4));
    let body = json!({
        "id": "chatcmpl-test",
        "object": "chat.completion",
        "model": seen.body["model"],
        "choices": [{"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": prompt, "completion_tokens": output, "total_tokens": prompt + output},
    });
    json_body(200, body.to_string().into_bytes())
}

fn streamed(pieces: &[String], breaks_off: bool, seen: &Seen) -> Delivery {
    let chunk = |delta: Value, finish: Value| {
        let body = json!({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]});
        format!("data: {body}\n\n")
    };
    let mut events: Vec<String> =
        pieces.iter().map(|piece| chunk(json!({"content": piece}), Value::Null)).collect();
    if !breaks_off {
        let output: usize = pieces.iter().map(|piece| piece.chars().count()).sum();
        let prompt = seen.prompt().chars().count().div_ceil(4);
        let usage = json!({"prompt_tokens": prompt, "completion_tokens": output.div_ceil(4)});
        events.push(chunk(json!({}), json!("stop")));
        events.push(format!("data: {}\n\ndata: [DONE]\n\n", json!({"choices": [], "usage": usage})));
    }
    Delivery::Events(events)
}

/// The schema that the request carries, in its own field or in words.
fn schema_of(seen: &Seen) -> Value {
    let native = &seen.body["response_format"]["json_schema"]["schema"];
    if native.is_object() {
        return native.clone();
    }
    let prompt = seen.prompt();
    let told = prompt.lines().rev().find_map(|line| serde_json::from_str::<Value>(line).ok());
    told.unwrap_or_else(|| json!({"type": "object", "properties": {}}))
}
