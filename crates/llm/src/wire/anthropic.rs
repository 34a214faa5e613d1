//! Anthropic's messages.

use serde_json::{Value, json};

use super::{Encoded, Unusable, base64, count};
use crate::message::{Message, Part, Speaker};
use crate::request::{Answer, Finish, Output, Request, Usage};
use crate::target::HttpRoute;

/// The protocol insists on a limit.
const DEFAULT_LIMIT: u32 = 8_192;

pub(super) fn encode(route: &HttpRoute, model: &str, request: &Request) -> Encoded {
    let (system, rest): (Vec<_>, Vec<_>) =
        request.messages.iter().partition(|message| message.speaker == Speaker::System);
    let messages: Vec<Value> = rest.into_iter().map(message).collect();
    let limit = request.max_output_tokens.unwrap_or(DEFAULT_LIMIT);
    let mut body = json!({"model": model, "max_tokens": limit, "messages": messages});
    let system: Vec<String> = system.into_iter().map(Message::joined_text).collect();
    if !system.is_empty() {
        // The system prompt is the same for many calls: marked, it is paid for once.
        let cache = json!({"type": "ephemeral"});
        body["system"] = json!([{"type": "text", "text": system.join("\n\n"), "cache_control": cache}]);
    }
    if let Some(temperature) = request.temperature {
        body["temperature"] = json!(temperature.min(1.0));
    }
    match &request.output {
        Output::Text | Output::Json | Output::JsonWithSchema { .. } => {}
        Output::Schema { schema, .. } => {
            body["output_config"] = json!({"format": {"type": "json_schema", "schema": schema}});
        }
        Output::Tool { name, schema } => {
            let description = "Takes the answer. Call it once, with the whole answer.";
            body["tools"] = json!([{"name": name, "description": description, "input_schema": schema}]);
            body["tool_choice"] = json!({"type": "tool", "name": name});
        }
    }
    let mut headers = vec![("anthropic-version", "2023-06-01".to_owned())];
    headers.extend(route.key.iter().map(|key| ("x-api-key", key.expose().to_owned())));
    Encoded { url: format!("{}/v1/messages", route.base_url), headers, body }
}

fn message(message: &Message) -> Value {
    let part = |part: &Part| match part {
        Part::Text(text) => json!({"type": "text", "text": text}),
        Part::Image(picture) => {
            let media_type = picture.media_type.as_str();
            let source = json!({"type": "base64", "media_type": media_type, "data": base64(picture)});
            json!({"type": "image", "source": source})
        }
    };
    let content: Vec<Value> = message.parts.iter().map(part).collect();
    json!({"role": message.speaker.as_str(), "content": content})
}

pub(super) fn decode(body: &Value) -> Result<Answer, Unusable> {
    let Some(blocks) = body["content"].as_array() else {
        return Err(Unusable::Malformed("it holds no `content`".to_owned()));
    };
    let finish = match body["stop_reason"].as_str() {
        Some("refusal") => return Err(Unusable::Declined("it refused".to_owned())),
        Some("max_tokens" | "model_context_window_exceeded") => Finish::Truncated,
        _ => Finish::Complete,
    };
    let tool = blocks.iter().find(|block| block["type"] == "tool_use");
    let texts =
        blocks.iter().filter(|block| block["type"] == "text").filter_map(|block| block["text"].as_str());
    let text = tool.map_or_else(|| texts.collect(), |block| block["input"].to_string());
    Ok(Answer { text, finish, usage: usage(&body["usage"]) })
}

/// Anthropic counts what was read from and written to the cache apart.
fn usage(usage: &Value) -> Option<Usage> {
    let cached_tokens = count(&usage["cache_read_input_tokens"]);
    usage.is_object().then(|| Usage {
        prompt_tokens: count(&usage["input_tokens"])
            + count(&usage["cache_creation_input_tokens"])
            + cached_tokens,
        output_tokens: count(&usage["output_tokens"]),
        cached_tokens,
    })
}
