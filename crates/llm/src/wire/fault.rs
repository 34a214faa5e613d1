//! What a failure means for the caller. Providers agree on little: the status, the code and the words all count.

use std::time::Duration;

use reflexio_types::Timestamp;
use serde_json::Value;

use crate::error::{Error, LONGEST_MESSAGE, Parameter, bounded};
use crate::http::reset;

/// A response that is not an answer.
pub(crate) struct Fault<'a> {
    pub(crate) model: &'a str,
    pub(crate) status: u16,
    /// What the headers ask for.
    pub(crate) retry_after: Option<Duration>,
    pub(crate) body: &'a [u8],
    pub(crate) now: Timestamp,
}

const BILLING: [&str; 18] = [
    "insufficient_quota",
    "insufficient quota",
    "insufficient balance",
    "insufficient_balance",
    "insufficient credit",
    "credit balance is too low",
    "billing_hard_limit",
    "billing_not_active",
    "billing hard limit",
    "billing_error",
    "exceeded_current_quota",
    "exceeded your current quota",
    "arrearage",
    "usage limit",
    "spending limit",
    "out of credits",
    "requires more credits",
    "regain access on",
];
const AUTH: [&str; 9] = [
    "api_key_invalid",
    "api key not valid",
    "invalid api key",
    "invalid_api_key",
    "incorrect api key",
    "invalid x-api-key",
    "authentication_error",
    "please log in",
    "not logged in",
];
const CONTEXT: [&str; 9] = [
    "context_length_exceeded",
    "context length",
    "context window",
    "prompt is too long",
    "input token count",
    "too many tokens",
    "exceeds the maximum number of tokens",
    "request_too_large",
    "exceed context limit",
];
const FORMAT: [&str; 10] = [
    "response_format",
    "response format",
    "json_schema",
    "json schema",
    "responsejsonschema",
    "response_json_schema",
    "output_config",
    "tool_choice",
    "structured output",
    "output format",
];

/// The error that a response stands for.
pub(crate) fn classify(fault: &Fault<'_>) -> Error {
    let parsed: Value = serde_json::from_slice(fault.body).unwrap_or_default();
    let message = message(&parsed, fault.body);
    let words = words(&parsed, &message);
    let says = |list: &[&str]| list.iter().any(|word| words.contains(word));
    let model = fault.model.to_owned();
    let retry_after = fault.retry_after.or_else(|| reset::in_body(&parsed));
    let per_minute = words.contains("perminute") || words.contains("per minute");
    let billing = fault.status == 402 || says(&BILLING) || (fault.status == 429 && words.contains("perday"));
    let client_error = (400..500).contains(&fault.status);
    if client_error && billing && !per_minute {
        let resets_at = reset::in_words(&message)
            .or_else(|| retry_after.map(|wait| Timestamp(fault.now.0.saturating_add(wait.as_secs() as i64))));
        return Error::Billing { model, message, resets_at };
    }
    // Some servers break over a schema instead of refusing it.
    if matches!(fault.status, 500 | 501) && (says(&FORMAT) || words.contains("grammar")) {
        let parameter = Some(Parameter::ResponseFormat);
        return Error::BadRequest { model, status: fault.status, message, parameter };
    }
    match fault.status {
        401 => Error::Auth { model, message },
        403 if words.contains("moderation") || words.contains("flagged") => {
            Error::Declined { model, message }
        }
        403 => Error::Auth { model, message },
        429 => Error::RateLimited { model, message, retry_after },
        408 | 425 | 500.. => Error::Unavailable { model, message, retry_after },
        _ if says(&AUTH) => Error::Auth { model, message },
        413 => Error::ContextTooLong { model, message },
        _ if says(&CONTEXT) => Error::ContextTooLong { model, message },
        status => Error::BadRequest { model, status, parameter: parameter(status, &words), message },
    }
}

/// What a program said that means it cannot work: its account, or its login.
pub(crate) fn classify_words(model: &str, text: &str) -> Option<Error> {
    let words = text.to_lowercase();
    let says = |list: &[&str]| list.iter().any(|word| words.contains(word));
    let (model, message) = (model.to_owned(), bounded(text.trim(), LONGEST_MESSAGE));
    if says(&BILLING) || words.contains("limit reached") {
        let resets_at = reset::in_words(&message);
        return Some(Error::Billing { model, message, resets_at });
    }
    (says(&AUTH) || words.contains("/login") || words.contains("oauth token"))
        .then_some(Error::Auth { model, message })
}

/// The optional part of the request that a server does not want.
fn parameter(status: u16, words: &str) -> Option<Parameter> {
    if !matches!(status, 400 | 404 | 415 | 422) {
        return None;
    }
    if words.contains("temperature") {
        return Some(Parameter::Temperature);
    }
    if words.contains("max_tokens") || words.contains("max_completion_tokens") {
        return Some(Parameter::TokenLimit);
    }
    if words.contains("schema") || FORMAT.iter().any(|word| words.contains(word)) {
        return Some(Parameter::ResponseFormat);
    }
    if !["image", "vision", "multimodal"].iter().any(|word| words.contains(word)) {
        return None;
    }
    let blind =
        ["not support image", "not support vision", "not support multimodal", "only text", "unknown variant"];
    let blind = blind.iter().any(|word| words.contains(word)) || words.contains("not a multimodal");
    Some(if blind { Parameter::Images } else { Parameter::Picture })
}

/// `error.message`, `error`, `message`, or the beginning of whatever was sent.
fn message(parsed: &Value, body: &[u8]) -> String {
    let error = error_of(parsed);
    let said =
        [&error["message"], error, &parsed["message"], &parsed["detail"], &parsed["base_resp"]["status_msg"]];
    let said = said.into_iter().find_map(|value| value.as_str()).map(str::to_owned);
    let text = said.unwrap_or_else(|| {
        String::from_utf8_lossy(&body[..body.len().min(4 * LONGEST_MESSAGE)]).into_owned()
    });
    let text = bounded(text.trim(), LONGEST_MESSAGE);
    if text.is_empty() { "no explanation".to_owned() } else { text }
}

/// Gemini sends a list of one; gateways put it into the choice.
fn error_of(parsed: &Value) -> &Value {
    let places = [parsed.get("error"), parsed[0].get("error"), parsed["choices"][0].get("error")];
    places.into_iter().flatten().next().unwrap_or(&Value::Null)
}

/// Everything that carries meaning, in lower case.
fn words(parsed: &Value, message: &str) -> String {
    let error = error_of(parsed);
    let mut words = message.to_lowercase();
    for key in ["code", "type", "status", "param", "details", "metadata"] {
        if let Some(value) = error.get(key).or_else(|| parsed.get(key)) {
            words.push(' ');
            words.push_str(&bounded(&value.to_string(), 4 * LONGEST_MESSAGE).to_lowercase());
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classified(status: u16, body: &str) -> Error {
        let fault =
            Fault { model: "p/m", status, retry_after: None, body: body.as_bytes(), now: Timestamp(1_000) };
        classify(&fault)
    }

    #[track_caller]
    fn check(status: u16, body: &str, code: &str) {
        assert_eq!(classified(status, body).code(), code, "{status} {body}");
    }

    #[test]
    fn wrong_keys_are_auth_however_they_are_said() {
        check(401, r#"{"error":{"message":"Incorrect API key provided"}}"#, "auth");
        check(403, r#"{"error":{"message":"Country not supported"}}"#, "auth");
        check(
            400,
            r#"[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key."}}]"#,
            "auth",
        );
    }

    #[test]
    fn empty_accounts_are_billing_however_they_are_said() {
        check(402, "", "billing");
        check(
            429,
            r#"{"error":{"code":"insufficient_quota","message":"You exceeded your current quota"}}"#,
            "billing",
        );
        check(
            400,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the API."}}"#,
            "billing",
        );
        check(
            429,
            r#"{"error":{"code":"1113","message":"Insufficient balance or no resource package."}}"#,
            "billing",
        );
        check(429, r#"{"error":{"type":"exceeded_current_quota_error","message":"suspended"}}"#, "billing");
        check(
            429,
            r#"{"error":{"status":"RESOURCE_EXHAUSTED","message":"quota","details":[{"quotaId":"GenerateRequestsPerDayPerProject"}]}}"#,
            "billing",
        );
    }

    #[test]
    fn the_end_of_a_limit_is_read_from_the_words() {
        let said = r#"{"error":{"message":"You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC."}}"#;
        let Error::Billing { resets_at, .. } = classified(400, said) else { panic!("another error") };
        assert_eq!(resets_at, Timestamp::parse_iso("2026-12-01T00:00:00Z"));
    }

    #[test]
    fn a_limit_per_minute_is_not_an_empty_account() {
        let said = r#"{"error":{"status":"RESOURCE_EXHAUSTED","message":"You exceeded your current quota",
            "details":[{"quotaId":"GenerateRequestsPerMinutePerProject"},{"retryDelay":"17s"}]}}"#;
        let error = classified(429, said);
        assert!(
            matches!(error, Error::RateLimited { retry_after: Some(wait), .. } if wait.as_secs() == 17),
            "{error:?}"
        );
        check(429, r#"{"error":{"message":"Rate limit reached for requests"}}"#, "rate_limited");
    }

    #[test]
    fn servers_in_trouble_are_unavailable() {
        for status in [408, 500, 502, 503, 504, 529] {
            check(
                status,
                r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
                "unavailable",
            );
        }
    }

    #[test]
    fn long_prompts_are_told_apart_from_bad_requests() {
        check(
            400,
            r#"{"error":{"code":"context_length_exceeded","message":"This model's maximum context length is 8192 tokens"}}"#,
            "context_too_long",
        );
        check(
            400,
            r#"{"error":{"message":"prompt is too long: 210000 tokens > 200000 maximum"}}"#,
            "context_too_long",
        );
        check(413, "", "context_too_long");
        check(404, r#"{"error":{"message":"The model `nope` does not exist"}}"#, "bad_request");
    }

    #[test]
    fn a_refused_parameter_is_named() {
        for (body, expected) in [
            (
                r#"{"error":{"message":"Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model."}}"#,
                Some(Parameter::ResponseFormat),
            ),
            (r#"{"error":"'response_format.type' must be 'json_schema'"}"#, Some(Parameter::ResponseFormat)),
            (
                r#"{"error":{"message":"Unsupported value: 'temperature' does not support 0.2"}}"#,
                Some(Parameter::Temperature),
            ),
            (
                r#"{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."}}"#,
                Some(Parameter::TokenLimit),
            ),
            (r#"{"error":{"message":"this model does not support image input"}}"#, Some(Parameter::Images)),
            (r#"{"error":{"message":"You uploaded an unsupported image"}}"#, Some(Parameter::Picture)),
            (r#"{"error":{"message":"bad"}}"#, None),
        ] {
            let Error::BadRequest { parameter, .. } = classified(400, body) else { panic!("{body}") };
            assert_eq!(parameter, expected, "{body}");
        }
    }

    #[test]
    fn a_server_that_breaks_over_a_schema_refuses_it() {
        let error = classified(500, r#"{"error":{"message":"failed to parse grammar"}}"#);
        let format = Some(Parameter::ResponseFormat);
        assert!(matches!(error, Error::BadRequest { parameter, .. } if parameter == format), "{error:?}");
    }

    #[test]
    fn programs_say_it_in_words() {
        let billing = classify_words("command:x", "Claude AI usage limit reached|1800000000");
        assert!(
            matches!(billing, Some(Error::Billing { resets_at: Some(Timestamp(1_800_000_000)), .. })),
            "{billing:?}"
        );
        assert!(matches!(
            classify_words("command:x", "Invalid API key · Please run /login"),
            Some(Error::Auth { .. })
        ));
        assert!(classify_words("command:x", "segmentation fault").is_none());
    }
}
