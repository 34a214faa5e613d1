//! Ollama's chat.

use serde_json::{Value, json};

use super::{Encoded, Unusable, base64, bearer, count};
use crate::message::{Message, Part};
use crate::request::{Answer, Finish, Output, Request, Usage};
use crate::spend::tokens;
use crate::target::HttpRoute;

const SMALLEST_WINDOW: u64 = 4_096;
const LARGEST_WINDOW: u64 = 131_072;
/// Room for an answer for which the caller set no limit.
const USUAL_ANSWER: u64 = 2_048;

pub(super) fn encode(route: &HttpRoute, model: &str, request: &Request) -> Encoded {
    let messages: Vec<Value> = request.messages.iter().map(message).collect();
    let mut options = json!({"num_ctx": window(request)});
    if let Some(temperature) = request.temperature {
        options["temperature"] = json!(temperature);
    }
    if let Some(limit) = request.max_output_tokens {
        options["num_predict"] = json!(limit);
    }
    let mut body = json!({"model": model, "messages": messages, "stream": false, "options": options});
    match &request.output {
        Output::Text => {}
        Output::Json => body["format"] = json!("json"),
        Output::JsonWithSchema { schema } | Output::Schema { schema, .. } | Output::Tool { schema, .. } => {
            body["format"] = schema.clone();
        }
    }
    Encoded { url: format!("{}/api/chat", route.base_url), headers: bearer(route), body }
}

/// Ollama silently drops the beginning of what does not fit its window, which is small unless asked for. Powers of
/// two, because each other size loads the model anew.
fn window(request: &Request) -> u64 {
    let answer = request.max_output_tokens.map_or(USUAL_ANSWER, u64::from);
    let needed = tokens::of_messages(&request.messages) * 5 / 4 + answer;
    needed.next_power_of_two().clamp(SMALLEST_WINDOW, LARGEST_WINDOW)
}

fn message(message: &Message) -> Value {
    let picture = |part: &Part| match part {
        Part::Image(picture) => Some(base64(picture)),
        Part::Text(_) => None,
    };
    let images: Vec<String> = message.parts.iter().filter_map(picture).collect();
    let mut out = json!({"role": message.speaker.as_str(), "content": message.joined_text()});
    if !images.is_empty() {
        out["images"] = json!(images);
    }
    out
}

pub(super) fn decode(body: &Value) -> Result<Answer, Unusable> {
    if body.get("error").is_some_and(Value::is_string) {
        return Err(Unusable::Fault(500));
    }
    let Some(text) = body["message"]["content"].as_str() else {
        return Err(Unusable::Malformed("it holds no `message.content`".to_owned()));
    };
    let finish = if body["done_reason"] == "length" { Finish::Truncated } else { Finish::Complete };
    let usage = Usage {
        prompt_tokens: count(&body["prompt_eval_count"]),
        output_tokens: count(&body["eval_count"]),
        cached_tokens: 0,
    };
    let counted = body["eval_count"].is_u64();
    Ok(Answer { text: text.to_owned(), finish, usage: counted.then_some(usage) })
}
