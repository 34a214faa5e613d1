use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a shown secret begins with. A secret that comes back in this form means "unchanged".
pub const REDACTED_PREFIX: &str = "****";

/// Keys of the configuration whose values are secrets, wherever they stand.
const SECRET_KEYS: [&str; 7] =
    ["api_key", "webhook_auth_header", "hmac_secrets", "key", "read_key", "db_url", "read_db_url"];

/// A provider's key or another secret: never printed, redacted in every answer.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into())
    }

    /// The secret itself, for the one place that sends it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// What may be shown: enough to recognise the key, too little to use it.
    pub fn redact(value: &str) -> String {
        let tail: String = value.chars().rev().take(4).collect::<Vec<_>>().into_iter().rev().collect();
        if value.chars().count() >= 12 {
            format!("{REDACTED_PREFIX}{tail}")
        } else {
            REDACTED_PREFIX.to_owned()
        }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secret({})", Self::redact(&self.0))
    }
}

/// Calls `visit` with the path and the text of every non-empty secret in a configuration document.
pub fn visit_secrets(config: &mut Value, visit: &mut dyn FnMut(&str, &mut String)) {
    walk(config, &mut String::new(), false, visit);
}

fn walk(value: &mut Value, path: &mut String, secret: bool, visit: &mut dyn FnMut(&str, &mut String)) {
    match value {
        Value::Object(fields) => {
            for (key, child) in fields {
                let length = path.len();
                path.push('/');
                path.push_str(key);
                walk(child, path, secret || SECRET_KEYS.contains(&key.as_str()), visit);
                path.truncate(length);
            }
        }
        Value::Array(items) => {
            for (index, child) in items.iter_mut().enumerate() {
                let length = path.len();
                path.push_str(&format!("/{index}"));
                walk(child, path, secret, visit);
                path.truncate(length);
            }
        }
        Value::String(text) if secret && !text.is_empty() => visit(path, text),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_secret_is_visited_with_its_path() {
        let mut config = json!({
            "api_key_config": {"openai": {"api_key": "sk-1234567890abcd", "azure_config": null}},
            "pending_tool_call_config": {"hmac_secrets": ["one", ""]},
            "agent_context_prompt": "not a secret",
        });
        let mut seen = Vec::new();
        visit_secrets(&mut config, &mut |path, text| seen.push((path.to_owned(), text.clone())));
        assert_eq!(
            seen,
            [
                ("/api_key_config/openai/api_key".to_owned(), "sk-1234567890abcd".to_owned()),
                ("/pending_tool_call_config/hmac_secrets/0".to_owned(), "one".to_owned()),
            ]
        );
    }

    #[test]
    fn a_secret_is_never_printed() {
        assert_eq!(format!("{:?}", Secret::new("sk-1234567890abcd")), "Secret(****abcd)");
        assert_eq!(format!("{:?}", Secret::new("short")), "Secret(****)");
    }
}
