//! What becomes of new rows that resemble known ones, and of known rows that the user wants forgotten.
//!
//! A model decides ([`Consolidation`]) where there is one, and only when something is similar; otherwise, and when its
//! answer cannot be used, [`without_a_model`] does. Whoever decides only proposes: `verdict` refuses what names
//! unknown rows, touches what a person wrote, makes up text or makes a rule reach further than its parts. A refused
//! proposal leaves both rows as they are.

mod answer;
mod guard;
mod item;
pub mod likeness;
mod meeting;
mod schema;
mod verdict;

use reflexio_llm::prompts::{PromptError, Registry, Template};
use reflexio_llm::{Error, Model, Options, Prompt, prompt_file};
use serde::Serialize;

pub(crate) use guard::reaches_further;
pub use item::{Item, Wording};
pub use likeness::without_a_model;
pub use meeting::{Forget, Meeting, Newcomer, Similar};
pub use verdict::{Verdict, Verdicts};

use answer::Answer;

/// The prompts of this module.
pub const PROMPTS: &[Template] = &[prompt_file!("consolidation", "v1")];

/// A model that consolidates, with its prompts.
pub struct Consolidation {
    model: Model,
    prompts: Registry,
}

impl Consolidation {
    pub fn new(model: Model) -> Result<Self, PromptError> {
        Ok(Self { model, prompts: Registry::new(PROMPTS.iter().copied())? })
    }

    /// Asks the model.
    pub async fn decide(&self, meeting: &Meeting, options: &Options) -> Result<Verdicts, Error> {
        let unusable =
            |error: String| Error::Misconfigured(format!("the consolidation prompt is broken: {error}"));
        let prompt = self.prompt(meeting).map_err(|error| unusable(error.to_string()))?;
        let schema = schema::schema(meeting).map_err(|error| unusable(error.to_string()))?;
        let answered = self.model.complete_json::<Answer>(&prompt, &schema, options).await?;
        let version = prompt.version.as_deref().unwrap_or_default();
        Ok(answered.value.into_verdicts(meeting, &format!("{} ({version})", answered.model)))
    }

    /// The prompt for a meeting of rows.
    pub fn prompt(&self, meeting: &Meeting) -> Result<Prompt, PromptError> {
        self.prompts.render("consolidation", Variables::of(meeting))
    }
}

#[derive(Serialize)]
struct Variables {
    facts: bool,
    rules: bool,
    known: Vec<String>,
    new: Vec<String>,
    forget: Vec<String>,
}

impl Variables {
    fn of(meeting: &Meeting) -> Self {
        let is_rule = |newcomer: &Newcomer| matches!(newcomer.item, Item::Playbook(_));
        let known = meeting.known.iter().enumerate();
        let new = meeting.new.iter().enumerate();
        let forget = meeting.forget.iter().enumerate();
        Self {
            facts: meeting.new.iter().any(|newcomer| !is_rule(newcomer)),
            rules: meeting.new.iter().any(is_rule),
            known: known.map(|(at, item)| item.as_note(&meeting::known_label(at))).collect(),
            new: new.map(|(at, newcomer)| newcomer.item.as_note(&meeting::new_label(at))).collect(),
            forget: forget
                .map(|(at, forget)| format!("[{}] forget: {}", meeting::forget_label(at), forget.what))
                .collect(),
        }
    }
}
