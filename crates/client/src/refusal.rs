//! From the body of a refusal to an [`Error`].

use std::time::Duration;

use reflexio_api_types::{Detail, LocPart, ValidationErrors};
use serde_json::Value;

use crate::Error;

/// Enough of an unknown body to recognise it.
const PREVIEW_CHARS: usize = 200;

pub(crate) fn error_of(status: u16, retry_after: Option<Duration>, body: &[u8]) -> Error {
    let json: Option<Value> = serde_json::from_slice(body).ok();
    let message = json.as_ref().and_then(sentence).unwrap_or_else(|| plain(status, body));
    match status {
        401 | 403 => Error::Forbidden { status, message },
        404 | 405 => Error::NotFound(message),
        413 => Error::TooLarge(message),
        422 => Error::Invalid(json.as_ref().map_or_else(Vec::new, details).or_sentence(message)),
        _ => Error::Api { status, message, retry_after },
    }
}

trait OrSentence {
    fn or_sentence(self, message: String) -> Self;
}

impl OrSentence for Vec<Detail> {
    /// A refusal without named fields is one about the whole.
    fn or_sentence(self, message: String) -> Self {
        if self.is_empty() { vec![Detail::new("value_error", Vec::new(), message)] } else { self }
    }
}

/// Lists of details come as they are, or inside the object that `update_config` answers.
fn details(body: &Value) -> Vec<Detail> {
    if let Ok(errors) = serde_json::from_value::<ValidationErrors>(body.clone()) {
        return errors.detail;
    }
    let inner = body.get("detail").unwrap_or(body);
    let listed = inner.get("validation_errors").and_then(Value::as_array);
    listed.into_iter().flatten().filter_map(detail_of).collect()
}

fn detail_of(item: &Value) -> Option<Detail> {
    if let Ok(detail) = serde_json::from_value(item.clone()) {
        return Some(detail);
    }
    if let Some(text) = item.as_str() {
        return Some(Detail::new("value_error", Vec::new(), text));
    }
    let field = |names: [&str; 3]| names.iter().find_map(|name| item.get(name)?.as_str());
    let message = field(["msg", "message", "error"])?;
    let path = field(["path", "field", "loc"]).unwrap_or_default();
    let loc = path.split('.').filter(|part| !part.is_empty()).map(LocPart::from).collect();
    Some(Detail::new("value_error", loc, message))
}

/// The one sentence of a body: `detail`, `error`, `message` or `msg`, whichever is a text.
fn sentence(body: &Value) -> Option<String> {
    let text = |value: &Value| {
        ["detail", "error", "message", "msg"]
            .iter()
            .find_map(|name| value.get(name)?.as_str().map(str::to_owned))
    };
    text(body).or_else(|| body.get("detail").and_then(text))
}

fn plain(status: u16, body: &[u8]) -> String {
    let text: String = String::from_utf8_lossy(body).trim().chars().take(PREVIEW_CHARS).collect();
    if text.is_empty() { format!("an empty answer with status {status}") } else { text }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn paths(body: &Value) -> Vec<(Vec<LocPart>, String)> {
        let error = error_of(422, None, body.to_string().as_bytes());
        let Error::Invalid(details) = error else { panic!("{error}") };
        details.into_iter().map(|detail| (detail.loc, detail.msg)).collect()
    }

    #[test]
    fn every_shape_of_a_422_keeps_its_fields() {
        let detail = json!({"type": "missing", "loc": ["body", "user_id"], "msg": "Field required"});
        let expected =
            vec![(vec![LocPart::from("body"), LocPart::from("user_id")], "Field required".to_owned())];
        assert_eq!(paths(&json!({"detail": [detail]})), expected);
        assert_eq!(paths(&json!({"detail": {"error": "no", "validation_errors": [detail]}})), expected);
        assert_eq!(paths(&json!({"detail": "just no"})), [(Vec::new(), "just no".to_owned())]);
        assert_eq!(paths(&json!({"detail": {"error": "no", "hint": "…"}})), [(Vec::new(), "no".to_owned())]);
    }

    #[test]
    fn a_refusal_is_sorted_by_what_can_be_done() {
        let body = br#"{"detail": "words"}"#;
        assert!(
            matches!(error_of(401, None, body), Error::Forbidden { status: 401, message } if message == "words")
        );
        assert!(matches!(error_of(403, None, body), Error::Forbidden { status: 403, .. }));
        assert!(matches!(error_of(404, None, body), Error::NotFound(message) if message == "words"));
        assert!(matches!(error_of(413, None, body), Error::TooLarge(_)));
        assert!(error_of(429, None, br#"{"error": "Rate limit exceeded"}"#).is_passing());
        assert!(!error_of(500, None, b"<html>").is_passing());
    }
}
