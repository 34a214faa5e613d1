pub use reflexio_types::RolloutMessage as Message;
use reflexio_types::SessionId;
use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// What an assistant is asked, the same for every backend.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Payload {
    pub messages: Vec<Message>,
    pub playbooks: Vec<Playbook>,
    /// The session that is replayed. Strangers are not told.
    #[serde(skip)]
    pub session: Option<SessionId>,
}

/// A rule that the assistant has to follow while it answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Playbook {
    pub id: i64,
    pub content: String,
    /// When it applies; empty if nobody said.
    pub trigger: String,
}

#[derive(Deserialize)]
struct Answer {
    content: String,
}

/// The text of an answer.
pub(crate) fn read(body: &[u8]) -> Result<String> {
    if body.trim_ascii().is_empty() {
        return Err(Error::Unusable("it is empty; it must be `{\"content\": \"…\"}`".to_owned()));
    }
    let answer: Answer = serde_json::from_slice(body).map_err(|error| {
        Error::Unusable(format!(
            "it is not `{{\"content\": \"…\"}}`: {error}; it begins `{}`",
            beginning(body)
        ))
    })?;
    if answer.content.trim().is_empty() {
        return Err(Error::Unusable("its `content` is empty".to_owned()));
    }
    Ok(answer.content)
}

fn beginning(body: &[u8]) -> String {
    let start = body.get(..body.len().min(400)).unwrap_or_default();
    String::from_utf8_lossy(start).trim().chars().take(80).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_payload_is_the_one_of_the_documents() {
        let payload = Payload {
            messages: vec![Message::user("Hi")],
            playbooks: vec![Playbook {
                id: 123,
                content: "Be brief.".to_owned(),
                trigger: "always".to_owned(),
            }],
            session: Some(SessionId::new("s1")),
        };
        let wanted = json!({"messages": [{"role": "user", "content": "Hi"}],
                            "playbooks": [{"id": 123, "content": "Be brief.", "trigger": "always"}]});
        assert_eq!(serde_json::to_value(payload).unwrap(), wanted);
    }

    #[test]
    fn an_answer_is_an_object_with_content_and_anything_else_says_what_is_wrong() {
        assert_eq!(read(br#" {"content": "Hello", "model": "x"} "#), Ok("Hello".to_owned()));
        for (body, said) in [
            ("", "it is empty"),
            ("  \n", "it is empty"),
            ("Hello", "begins `Hello`"),
            (r#"{"text": "Hello"}"#, "missing field `content`"),
            (r#"{"content": 7}"#, "expected a string"),
            (r#"{"content": " "}"#, "`content` is empty"),
        ] {
            let error = read(body.as_bytes()).expect_err(body).to_string();
            assert!(error.contains(said), "{body}: {error}");
        }
    }
}
