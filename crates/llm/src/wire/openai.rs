//! OpenAI's chat completions, and everybody who speaks them.

use serde_json::{Value, json};

use super::{Encoded, Unusable, base64, bearer, count};
use crate::message::{Message, Part};
use crate::request::{Answer, Finish, Output, Request, Usage};
use crate::target::{HttpRoute, LimitName};

pub(super) fn encode(route: &HttpRoute, model: &str, request: &Request) -> Encoded {
    let messages: Vec<Value> = request.messages.iter().map(message).collect();
    let mut body = json!({"model": model, "messages": messages});
    if let Some(temperature) = request.temperature {
        body["temperature"] = json!(temperature);
    }
    if let Some(limit) = request.max_output_tokens {
        let name = match route.limit_name {
            LimitName::MaxTokens => "max_tokens",
            LimitName::MaxCompletionTokens => "max_completion_tokens",
        };
        body[name] = json!(limit);
    }
    match &request.output {
        Output::Text => {}
        Output::Json => body["response_format"] = json!({"type": "json_object"}),
        Output::JsonWithSchema { schema } => {
            body["response_format"] = json!({"type": "json_object", "schema": schema});
        }
        Output::Schema { name, schema } | Output::Tool { name, schema } => {
            let schema = json!({"name": name, "schema": schema, "strict": is_closed(schema)});
            body["response_format"] = json!({"type": "json_schema", "json_schema": schema});
        }
    }
    let base = &route.base_url;
    match &route.azure_version {
        None => Encoded { url: format!("{base}/chat/completions"), headers: bearer(route), body },
        Some(version) => {
            let url = format!("{base}/openai/deployments/{model}/chat/completions?api-version={version}");
            let headers = route.key.iter().map(|key| ("api-key", key.expose().to_owned())).collect();
            Encoded { url, headers, body }
        }
    }
}

/// Whether every object of a schema says which fields it has; only then can it be held to strictly.
fn is_closed(schema: &Value) -> bool {
    let object = schema.get("type").is_some_and(|name| {
        name == "object" || name.as_array().is_some_and(|names| names.iter().any(|name| name == "object"))
    });
    if object && schema.get("additionalProperties") != Some(&Value::Bool(false)) {
        return false;
    }
    match schema {
        Value::Object(fields) => fields.values().all(is_closed),
        Value::Array(items) => items.iter().all(is_closed),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}

/// Text alone goes as a string, because simple servers know nothing else.
fn message(message: &Message) -> Value {
    let part = |part: &Part| match part {
        Part::Text(text) => json!({"type": "text", "text": text}),
        Part::Image(picture) => {
            let url = format!("data:{};base64,{}", picture.media_type.as_str(), base64(picture));
            json!({"type": "image_url", "image_url": {"url": url}})
        }
    };
    let text_only = message.parts.iter().all(|part| matches!(part, Part::Text(_)));
    let content =
        if text_only { json!(message.joined_text()) } else { message.parts.iter().map(part).collect() };
    json!({"role": message.speaker.as_str(), "content": content})
}

pub(super) fn decode(body: &Value) -> Result<Answer, Unusable> {
    // Gateways report failures of those behind them with status 200.
    if let Some(error) =
        body.get("error").or_else(|| body["choices"][0].get("error")).filter(|e| !e.is_null())
    {
        let code = error["code"].as_u64().and_then(|code| u16::try_from(code).ok());
        return Err(Unusable::Fault(code.filter(|code| (400..600).contains(code)).unwrap_or(500)));
    }
    if let Some(status) = minimax_status(body) {
        return Err(Unusable::Fault(status));
    }
    let choice = &body["choices"][0];
    let message = &choice["message"];
    if !message.is_object() {
        return Err(Unusable::Malformed("it holds no `choices[0].message`".to_owned()));
    }
    if let Some(refusal) = message["refusal"].as_str().filter(|refusal| !refusal.is_empty()) {
        return Err(Unusable::Declined(refusal.to_owned()));
    }
    let finish = match choice["finish_reason"].as_str() {
        Some("content_filter") => return Err(Unusable::Declined("the content filter stopped it".to_owned())),
        Some("length") => Finish::Truncated,
        _ => Finish::Complete,
    };
    Ok(Answer { text: content(&message["content"]), finish, usage: usage(&body["usage"]) })
}

/// Text, or the text parts of a list.
fn content(content: &Value) -> String {
    let parts = content.as_array().into_iter().flatten().filter_map(|part| part["text"].as_str());
    content.as_str().map_or_else(|| parts.collect(), str::to_owned)
}

fn usage(usage: &Value) -> Option<Usage> {
    usage.is_object().then(|| Usage {
        prompt_tokens: count(&usage["prompt_tokens"]),
        output_tokens: count(&usage["completion_tokens"]),
        cached_tokens: count(&usage["prompt_tokens_details"]["cached_tokens"])
            .max(count(&usage["prompt_cache_hit_tokens"])),
    })
}

/// MiniMax answers with status 200 and a code of its own.
fn minimax_status(body: &Value) -> Option<u16> {
    match body["base_resp"]["status_code"].as_u64()? {
        0 => None,
        1002 | 1039 => Some(429),
        1004 | 2049 => Some(401),
        1008 => Some(402),
        2013 => Some(400),
        _ => Some(500),
    }
}
