//! From a JSON value and the options to a request that can be sent.

use clap::Args;
use reflexio_api_types::{Detail, Parsed, PublishUserInteractionRequest, Rejected, parse_body};
use serde_json::{Value, json};

use super::input::request_of;

/// What the options say about every request that does not say it itself.
#[derive(Debug, Args)]
pub(super) struct Defaults {
    /// Whose conversation it is.
    #[arg(long, value_name = "USER")]
    user_id: Option<String>,
    /// The conversation it belongs to.
    #[arg(long, value_name = "SESSION")]
    session_id: Option<String>,
    /// Where it comes from: a label in lower case, such as support_chat.
    #[arg(long)]
    source: Option<String>,
    /// The version of the agent that answered.
    #[arg(long, value_name = "VERSION")]
    agent_version: Option<String>,
    /// Do not make agent playbooks of what is learned from it.
    #[arg(long)]
    skip_aggregation: bool,
    /// Learn from it even if the window is not full.
    #[arg(long, conflicts_with = "evaluation_only")]
    force_extraction: bool,
    /// Store and evaluate, but do not learn from it.
    #[arg(long)]
    evaluation_only: bool,
}

impl Defaults {
    /// What a request says itself stays.
    fn fill(&self, value: Value) -> Value {
        let mut value = request_of(value);
        let texts = [
            ("user_id", &self.user_id),
            ("session_id", &self.session_id),
            ("source", &self.source),
            ("agent_version", &self.agent_version),
        ];
        let flags = [
            ("skip_aggregation", self.skip_aggregation),
            ("force_extraction", self.force_extraction),
            ("evaluation_only", self.evaluation_only),
        ];
        let texts = texts.into_iter().filter_map(|(key, text)| Some((key, json!(text.as_ref()?))));
        let flags = flags.into_iter().filter(|(_, set)| *set).map(|(key, set)| (key, json!(set)));
        if let Some(fields) = value.as_object_mut() {
            for (key, default) in texts.chain(flags) {
                let place = fields.entry(key).or_insert(Value::Null);
                if place.is_null() {
                    *place = default;
                }
            }
        }
        value
    }
}

/// Where a request gets its id from, if it has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RequestId<'a> {
    /// The server makes one.
    Server,
    Given(&'a str),
    /// Made of the content and its place, so that publishing a file again stores nothing twice.
    Derived {
        number: usize,
    },
}

pub(super) fn request(
    value: Value,
    defaults: &Defaults,
    id: RequestId<'_>,
) -> Result<Parsed<PublishUserInteractionRequest>, Vec<Detail>> {
    let mut value = defaults.fill(value);
    let given = value.get("request_id").is_some_and(|id| !id.is_null());
    let id = match id {
        RequestId::Server => None,
        RequestId::Given(id) => Some(id.to_owned()),
        RequestId::Derived { number } => Some(derived_id(&value, number)),
    };
    if let (Some(id), Some(fields), false) = (id, value.as_object_mut(), given) {
        fields.insert("request_id".to_owned(), json!(id));
    }
    parse_body(value.to_string().as_bytes()).map_err(|Rejected(details)| details)
}

/// Keys are sorted in a JSON value, so their order in the file does not matter.
fn derived_id(value: &Value, number: usize) -> String {
    let mut hasher = blake3::Hasher::new_derive_key("reflexio publish request id v1");
    hasher.update(&(number as u64).to_le_bytes());
    hasher.update(value.to_string().as_bytes());
    format!("file-{}", &hasher.finalize().to_hex()[..32])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn defaults(user_id: &str) -> Defaults {
        Defaults {
            user_id: Some(user_id.to_owned()),
            session_id: None,
            source: None,
            agent_version: None,
            skip_aggregation: true,
            force_extraction: false,
            evaluation_only: false,
        }
    }

    fn id_of(value: &Value, user_id: &str, number: usize) -> String {
        let parsed = request(value.clone(), &defaults(user_id), RequestId::Derived { number }).unwrap();
        parsed.value.request_id.unwrap().into_string()
    }

    #[test]
    fn a_derived_id_changes_with_content_place_and_options() {
        let turns = json!([{"content": "hello"}]);
        let id = id_of(&turns, "u", 1);
        assert!(id.starts_with("file-") && id.len() == 37, "{id}");
        assert_eq!(id_of(&turns, "u", 1), id);
        assert_ne!(id_of(&turns, "u", 2), id);
        assert_ne!(id_of(&turns, "other", 1), id);
        assert_ne!(id_of(&json!([{"content": "hello!"}]), "u", 1), id);
    }

    #[test]
    fn what_a_request_says_itself_wins() {
        let value =
            json!({"user_id": "own", "request_id": "mine", "interaction_data_list": [{"content": "x"}]});
        let parsed = request(value, &defaults("u"), RequestId::Given("other")).unwrap().value;
        assert_eq!(parsed.user_id.as_str(), "own");
        assert_eq!(parsed.request_id.unwrap().as_str(), "mine");
        assert_eq!(parsed.skip_aggregation, Some(true));
    }
}
