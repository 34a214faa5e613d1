use std::time::Duration;

use reflexio_llm::prompts::{Registry, Template};
use reflexio_llm::{Options, Role, Schema, prompt_file};
use reflexio_types::OrgId;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::App;

/// The prompts of this crate.
const PROMPTS: &[Template] = &[prompt_file!("reformulation", "v1")];
/// A search waits no longer for another wording; then it asks as it was asked.
const LONGEST_WAIT: Duration = Duration::from_secs(3);
/// Older turns and the ends of long ones are left out.
const MOST_TURNS: usize = 10;
const LONGEST_TURN_BYTES: usize = 1_000;
const LONGEST_QUERY_BYTES: usize = 4_000;

/// A turn before the question.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PastTurn {
    pub role: String,
    pub content: String,
}

#[derive(Deserialize)]
struct Answer {
    query: String,
}

impl App {
    /// The question as it would be asked without the conversation; nothing without a model, in time.
    pub(super) async fn reformulated(
        &self,
        org: &OrgId,
        query: &str,
        history: &[PastTurn],
    ) -> Option<String> {
        let asking = self.ask_for_wording(org, query, history);
        match tokio::time::timeout(LONGEST_WAIT, asking).await {
            Ok(Some(text)) if !text.trim().is_empty() => Some(text.trim().to_owned()),
            Ok(_) => None,
            Err(_) => {
                tracing::warn!(seconds = LONGEST_WAIT.as_secs(), "no other wording of the query in time");
                None
            }
        }
    }

    async fn ask_for_wording(&self, org: &OrgId, query: &str, history: &[PastTurn]) -> Option<String> {
        let models = self.models(org, Role::Reformulation).await.ok()??;
        let prompts = Registry::new(PROMPTS.iter().copied()).ok()?;
        let recent: Vec<PastTurn> =
            history.iter().skip(history.len().saturating_sub(MOST_TURNS)).map(cut).collect();
        let query = query.get(..query.floor_char_boundary(LONGEST_QUERY_BYTES))?;
        let prompt = prompts.render("reformulation", json!({"history": recent, "query": query})).ok()?;
        let fields = json!({"type": "object", "properties": {"query": {"type": "string"}},
            "required": ["query"], "additionalProperties": false});
        let schema = Schema::new("reformulation", fields).ok()?;
        let options = Options { deadline: Some(LONGEST_WAIT), ..Options::default() };
        match models.complete_json::<Answer>(Role::Reformulation, &prompt, &schema, &options).await {
            Ok(answer) => Some(answer.value.query),
            Err(error) => {
                tracing::warn!(%error, "the query is asked as it is");
                None
            }
        }
    }
}

fn cut(turn: &PastTurn) -> PastTurn {
    let content = &turn.content[..turn.content.floor_char_boundary(LONGEST_TURN_BYTES)];
    PastTurn { role: turn.role.clone(), content: content.to_owned() }
}
