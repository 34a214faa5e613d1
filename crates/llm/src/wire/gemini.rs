//! Gemini's generateContent.

use serde_json::{Value, json};

use super::{Encoded, Unusable, base64, count};
use crate::message::{Message, Part, Speaker};
use crate::request::{Answer, Finish, Output, Request, Usage};
use crate::target::HttpRoute;

pub(super) fn encode(route: &HttpRoute, model: &str, request: &Request) -> Encoded {
    let (system, rest): (Vec<_>, Vec<_>) =
        request.messages.iter().partition(|message| message.speaker == Speaker::System);
    let contents: Vec<Value> = rest.into_iter().map(content).collect();
    let mut body = json!({ "contents": contents });
    let system: Vec<Value> = system.into_iter().flat_map(|message| message.parts.iter().map(part)).collect();
    if !system.is_empty() {
        body["systemInstruction"] = json!({ "parts": system });
    }
    let mut config = json!({});
    if let Some(temperature) = request.temperature {
        config["temperature"] = json!(temperature);
    }
    if let Some(limit) = request.max_output_tokens {
        config["maxOutputTokens"] = json!(limit);
    }
    match &request.output {
        Output::Text => {}
        Output::Json => config["responseMimeType"] = json!("application/json"),
        Output::JsonWithSchema { schema } | Output::Schema { schema, .. } | Output::Tool { schema, .. } => {
            config["responseMimeType"] = json!("application/json");
            config["responseJsonSchema"] = schema.clone();
        }
    }
    if config != json!({}) {
        body["generationConfig"] = config;
    }
    let headers = route.key.iter().map(|key| ("x-goog-api-key", key.expose().to_owned())).collect();
    Encoded { url: format!("{}/v1beta/models/{model}:generateContent", route.base_url), headers, body }
}

fn content(message: &Message) -> Value {
    let role = if message.speaker == Speaker::Assistant { "model" } else { "user" };
    let parts: Vec<Value> = message.parts.iter().map(part).collect();
    json!({"role": role, "parts": parts})
}

fn part(part: &Part) -> Value {
    match part {
        Part::Text(text) => json!({ "text": text }),
        Part::Image(picture) => {
            json!({"inlineData": {"mimeType": picture.media_type.as_str(), "data": base64(picture)}})
        }
    }
}

pub(super) fn decode(body: &Value) -> Result<Answer, Unusable> {
    if let Some(reason) = body["promptFeedback"]["blockReason"].as_str() {
        return Err(Unusable::Declined(format!("the prompt was blocked: {reason}")));
    }
    let candidate = &body["candidates"][0];
    if !candidate.is_object() {
        return Err(Unusable::Malformed("it holds no `candidates`".to_owned()));
    }
    let finish = match candidate["finishReason"].as_str() {
        Some("MAX_TOKENS") => Finish::Truncated,
        None | Some("STOP") => Finish::Complete,
        Some(reason) => return Err(Unusable::Declined(format!("it stopped: {reason}"))),
    };
    let parts = candidate["content"]["parts"].as_array().into_iter().flatten();
    // Thoughts are parts too, and not the answer.
    let spoken = parts.filter(|part| part["thought"] != true).filter_map(|part| part["text"].as_str());
    Ok(Answer { text: spoken.collect(), finish, usage: usage(&body["usageMetadata"]) })
}

fn usage(usage: &Value) -> Option<Usage> {
    usage.is_object().then(|| Usage {
        prompt_tokens: count(&usage["promptTokenCount"]),
        output_tokens: count(&usage["candidatesTokenCount"]) + count(&usage["thoughtsTokenCount"]),
        cached_tokens: count(&usage["cachedContentTokenCount"]),
    })
}
