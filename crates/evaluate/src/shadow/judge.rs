use reflexio_learn::transcript::{self, Alternative, Line, clean, transcript};
use reflexio_llm::prompts::{PromptError, Registry, Template};
use reflexio_llm::{Error, Model, Options, Prompt, prompt_file};
use reflexio_types::{AnswerOrder, Config, ShadowComparisonBody};
use serde::{Deserialize, Serialize};

use super::answer::{Answer, schema};
use super::{Judgement, Question};

/// The prompts of the comparison.
pub const PROMPTS: &[Template] = &[prompt_file!("shadow-comparison", "v1")];
const NAME: &str = "shadow-comparison";

/// Characters of all texts together.
const ROOM: usize = 32_000;
/// A prompt that is too long for a model is halved so many times.
const HALVINGS: u32 = 3;

/// As much of a configuration as a comparison needs, as it was when the conversation came in.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Policy {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_context: Option<String>,
    /// The version of the prompt; the newest one if there is none of this name.
    #[serde(default)]
    pub prompt_version: String,
}

impl Policy {
    pub fn of(config: &Config) -> Self {
        Self {
            agent_context: config.agent_context_prompt.clone().filter(|text| !text.trim().is_empty()),
            prompt_version: config.shadow_comparison_judge_prompt_version.clone(),
        }
    }
}

/// A model that compares, with its prompts.
pub struct Judge {
    model: Model,
    prompts: Registry,
}

impl Judge {
    pub fn new(model: Model) -> Result<Self, PromptError> {
        Ok(Self { model, prompts: Registry::new(PROMPTS.iter().copied())? })
    }

    /// Asks the model. `run` names the job, for the record of costs.
    pub async fn compare(
        &self,
        question: &Question<'_>,
        order: AnswerOrder,
        policy: &Policy,
        run: &str,
    ) -> Result<Judgement, Error> {
        let mut room = ROOM;
        for _ in 0..HALVINGS {
            match self.ask(question, order, policy, room, run).await {
                Err(Error::ContextTooLong { .. }) => room /= 2,
                other => return other,
            }
        }
        self.ask(question, order, policy, room, run).await
    }

    async fn ask(
        &self,
        question: &Question<'_>,
        order: AnswerOrder,
        policy: &Policy,
        room: usize,
        run: &str,
    ) -> Result<Judgement, Error> {
        let unusable =
            |error: String| Error::Misconfigured(format!("the prompt of comparisons is broken: {error}"));
        let prompt =
            self.prompt(question, order, policy, room).map_err(|error| unusable(error.to_string()))?;
        let schema = schema().map_err(|error| unusable(error.to_string()))?;
        let options = Options::for_run(run);
        let answered = self.model.complete_json::<Answer>(&prompt, &schema, &options).await?;
        Ok(Judgement {
            verdict: answered.value.verdict(order),
            body: ShadowComparisonBody {
                reason: answered.value.reason(order),
                order: Some(order),
                prompt_version: prompt.version,
                judged_by: answered.model.to_string(),
            },
        })
    }

    /// The prompt for one turn.
    pub fn prompt(
        &self,
        question: &Question<'_>,
        order: AnswerOrder,
        policy: &Policy,
        room: usize,
    ) -> Result<Prompt, PromptError> {
        let variables = Variables::of(question, order, policy, room);
        match self.prompts.render_version(NAME, &policy.prompt_version, &variables) {
            Err(PromptError::Unknown(_)) => self.prompts.render(NAME, &variables),
            rendered => rendered,
        }
    }
}

#[derive(Serialize)]
struct Variables<'a> {
    agent_context: Option<&'a str>,
    before: String,
    first: String,
    second: String,
    expert: Option<String>,
    reaction: Option<String>,
}

impl<'a> Variables<'a> {
    fn of(question: &Question<'_>, order: AnswerOrder, policy: &'a Policy, room: usize) -> Self {
        // The answers decide; what came before them has to leave them their room.
        let texts = transcript::share(4, room);
        let (given, shadow) = question.turn.both_answers().unwrap_or_default();
        let (first, second) = match order {
            AnswerOrder::RegularFirst => (given, shadow),
            AnswerOrder::ShadowFirst => (shadow, given),
        };
        let labels: Vec<String> = (1..=question.before.len()).map(|number| format!("T{number}")).collect();
        let lines: Vec<Line<'_>> =
            labels.iter().zip(&question.before).map(|(label, turn)| Line { label, mark: "", turn }).collect();
        let expert = clean(&question.turn.expert_content, texts);
        let reaction = question.reaction.map(|turn| clean(&turn.content, texts));
        Self {
            agent_context: policy.agent_context.as_deref(),
            before: transcript(&lines, Alternative::LeftOut, room / 2),
            first: clean(first, texts),
            second: clean(second, texts),
            expert: Some(expert).filter(|text| !text.is_empty()),
            reaction: reaction.filter(|text| !text.is_empty()),
        }
    }
}
