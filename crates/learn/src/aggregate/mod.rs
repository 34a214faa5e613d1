//! One rule for the agent out of the playbooks of many users: what a cluster of them has in common.
//!
//! A model words it ([`Aggregation`]) where there is one; otherwise the member in the middle speaks for all
//! ([`without_a_model`]). Whoever words it, `guard` refuses a rule that reaches further than its members or that tells
//! something of a single user. This crate does not cluster, and it stores nothing.

mod guard;
mod memory;
mod metadata;
mod wording;

use reflexio_llm::prompts::{PromptError, Registry, Template};
use reflexio_llm::{Error, Model, Options, Prompt, Schema, Violation, prompt_file};
use reflexio_store::AggregationScope;
use reflexio_types::{JobKind, Lane, NewJob, UserPlaybook};
use serde::{Deserialize, Serialize};
use serde_json::json;

pub use guard::objection;
pub use memory::{Group, Joined, Member, Memory, Refreshed};
pub use metadata::merged as merged_metadata;
pub use wording::{Wording, without_a_model};

/// The prompts of this module.
pub const PROMPTS: &[Template] = &[prompt_file!("aggregation", "v1")];

/// The payload of a job that aggregates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    pub agent_version: String,
    pub playbook_name: String,
    /// Somebody asked for it: it is done however few rows are new.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forced: bool,
}

/// Looks whether enough playbooks of a type and version are new. One that waits covers it.
pub fn due(scope: &AggregationScope) -> NewJob {
    let task = Task {
        agent_version: scope.agent_version.clone(),
        playbook_name: scope.playbook_name.clone(),
        forced: false,
    };
    job(&task)
}

/// Those of one type and version run one after the other.
pub fn job(task: &Task) -> NewJob {
    let lane = format!("aggregate:{}:{}", task.agent_version, task.playbook_name);
    let payload = json!(task);
    NewJob {
        dedup_key: (!task.forced).then(|| lane.clone()),
        lane: Lane::Named(lane),
        ..NewJob::new(JobKind::Aggregate, payload)
    }
}

/// So many members of a cluster are shown to a model; the rest says the same.
const MOST_SHOWN: usize = 40;

/// What a cluster came to.
#[derive(Debug, Clone, PartialEq)]
pub enum Written {
    Rule {
        wording: Wording,
        written_by: String,
    },
    /// There is no rule in it; why.
    Nothing(String),
}

/// A model that aggregates, with its prompts.
pub struct Aggregation {
    model: Model,
    prompts: Registry,
}

/// What a cluster is about, as far as a model has to know.
#[derive(Debug, Clone, Copy)]
pub struct Topic<'a> {
    pub playbook_name: &'a str,
    pub definition: &'a str,
    /// The rule that stands for the cluster so far.
    pub before: Option<&'a str>,
}

impl Aggregation {
    pub fn new(model: Model) -> Result<Self, PromptError> {
        Ok(Self { model, prompts: Registry::new(PROMPTS.iter().copied())? })
    }

    /// Asks the model for the rule of a cluster. The first members are shown, so the best ones come first. A rule that does not
    /// hold is told to the model once; if the next one does not hold either, there is none.
    pub async fn write(
        &self,
        topic: Topic<'_>,
        members: &[&UserPlaybook],
        options: &Options,
    ) -> Result<Written, Error> {
        let unusable =
            |error: String| Error::Misconfigured(format!("the aggregation prompt is broken: {error}"));
        let prompt = self.prompt(topic, members).map_err(|error| unusable(error.to_string()))?;
        let schema = schema().map_err(|error| unusable(error.to_string()))?;
        let check = |answer: &Answer| {
            let wording = answer.rule.clone().and_then(Rule::into_wording);
            let objection = wording.and_then(|wording| objection(members, &wording));
            let violation = |message| Violation { path: "rule".to_owned(), message };
            objection.map(violation).into_iter().collect()
        };
        let answered =
            match self.model.complete_json_checked::<Answer>(&prompt, &schema, options, &check).await {
                Ok(answered) => answered,
                // Nothing is lost: the notes stay, and the cluster is looked at again when it changes.
                Err(error @ Error::InvalidAnswer { .. }) => return Ok(Written::Nothing(error.to_string())),
                Err(error) => return Err(error),
            };
        let version = prompt.version.as_deref().unwrap_or_default();
        let written_by = format!("{} ({version})", answered.model);
        Ok(match answered.value.rule.and_then(Rule::into_wording) {
            Some(wording) => Written::Rule { wording, written_by },
            None => Written::Nothing("the model found nothing in common".to_owned()),
        })
    }

    /// The prompt for a cluster.
    pub fn prompt(&self, topic: Topic<'_>, members: &[&UserPlaybook]) -> Result<Prompt, PromptError> {
        let notes = members.iter().take(MOST_SHOWN).enumerate();
        let variables = Variables {
            name: topic.playbook_name,
            definition: topic.definition.split_whitespace().collect::<Vec<_>>().join(" "),
            before: topic.before.map(indented),
            notes: notes.map(|(at, row)| format!("[M{}] {}", at + 1, indented(&row.body.content))).collect(),
        };
        self.prompts.render("aggregation", variables)
    }
}

#[derive(Serialize)]
struct Variables<'a> {
    name: &'a str,
    definition: String,
    before: Option<String>,
    notes: Vec<String>,
}

/// A label at the start of a line could be taken for a note.
fn indented(text: &str) -> String {
    text.trim().replace('\n', "\n  ")
}

#[derive(Debug, Deserialize)]
struct Answer {
    rule: Option<Rule>,
}

#[derive(Debug, Clone, Deserialize)]
struct Rule {
    trigger: String,
    instruction: String,
    #[serde(default)]
    pitfall: Option<String>,
    #[serde(default)]
    rationale: Option<String>,
}

impl Rule {
    fn into_wording(self) -> Option<Wording> {
        let filled = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        Some(Wording {
            trigger: filled(&self.trigger)?,
            instruction: filled(&self.instruction)?,
            pitfall: self.pitfall.as_deref().and_then(filled),
            rationale: self.rationale.as_deref().and_then(filled),
        })
    }
}

fn schema() -> Result<Schema, reflexio_llm::SchemaError> {
    let text = json!({"type": "string"});
    let rule = json!({"type": ["object", "null"],
        "properties": {"trigger": text, "instruction": text, "pitfall": text, "rationale": text},
        "required": ["trigger", "instruction"], "additionalProperties": false});
    let root = json!({"type": "object", "properties": {"rule": rule}, "required": ["rule"],
                      "additionalProperties": false});
    Schema::new("aggregated", root)
}
