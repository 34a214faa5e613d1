//! What a window shows, as a model sees it: one structured call for the profile extractor and all playbook types
//! that are due together.

mod answer;
mod schema;

#[cfg(test)]
mod tests;

use reflexio_llm::prompts::{PromptError, Registry, Template};
use reflexio_llm::{Error, Message, Model, Options, Part, Picture, Prompt, Speaker, prompt_file};
use reflexio_types::Image;
use serde::Serialize;

use crate::findings::{Findings, Scene, SceneTurn};
use crate::transcript::{Alternative, Line, transcript};
use answer::Answer;

/// The prompts of this crate.
pub const PROMPTS: &[Template] = &[prompt_file!("extraction", "v1")];

/// Characters of all turns together; each turn gets its share of them.
const TRANSCRIPT_CHARACTERS: usize = 48_000;
/// A prompt that is too long for a model is halved so many times.
const HALVINGS: u32 = 3;

/// A model that extracts, with its prompts.
pub struct Extraction {
    model: Model,
    prompts: Registry,
}

/// A picture and the turn that shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    pub label: String,
    pub image: Image,
}

impl Extraction {
    pub fn new(model: Model) -> Result<Self, PromptError> {
        Ok(Self { model, prompts: Registry::new(PROMPTS.iter().copied())? })
    }

    /// Asks the model. `run` names the job, for the record of costs.
    pub async fn find(&self, scene: &Scene<'_>, shown: &[Shown], run: &str) -> Result<Findings, Error> {
        let mut room = TRANSCRIPT_CHARACTERS;
        for _ in 0..HALVINGS {
            match self.ask(scene, shown, room, run).await {
                Err(Error::ContextTooLong { .. }) => room /= 2,
                other => return other,
            }
        }
        self.ask(scene, shown, room, run).await
    }

    async fn ask(
        &self,
        scene: &Scene<'_>,
        shown: &[Shown],
        room: usize,
        run: &str,
    ) -> Result<Findings, Error> {
        let unusable =
            |error: String| Error::Misconfigured(format!("the extraction prompt is broken: {error}"));
        let prompt = self.prompt(scene, shown, room).map_err(|error| unusable(error.to_string()))?;
        let schema = schema::schema(scene).map_err(|error| unusable(error.to_string()))?;
        let options = Options::for_run(run);
        let answered = self.model.complete_json::<Answer>(&prompt, &schema, &options).await?;
        let version = prompt.version.as_deref().unwrap_or_default();
        let learned_by = format!("{} ({version})", answered.model);
        Ok(answered.value.into_findings(scene, &learned_by))
    }

    /// The prompt for a window.
    pub fn prompt(&self, scene: &Scene<'_>, shown: &[Shown], room: usize) -> Result<Prompt, PromptError> {
        let prompt = self.prompts.render("extraction", Variables::of(scene, room))?;
        Ok(with_pictures(prompt, shown))
    }
}

/// All pictures of the window, each after the name of its turn.
fn with_pictures(mut prompt: Prompt, shown: &[Shown]) -> Prompt {
    for picture in shown {
        let label = Part::Text(format!("The picture of {}:", picture.label));
        let bytes = picture.image.bytes.clone().into();
        let image = Part::Image(Picture { media_type: picture.image.media_type, bytes });
        match prompt.messages.last_mut() {
            Some(last) => last.parts.extend([label, image]),
            None => prompt.messages.push(Message { speaker: Speaker::User, parts: vec![label, image] }),
        }
    }
    prompt
}

#[derive(Serialize)]
struct Variables<'a> {
    agent_context: Option<&'a str>,
    tools: Vec<Tool<'a>>,
    profile: Option<Definition<'a>>,
    playbooks: Vec<Definition<'a>>,
    expert: bool,
    transcript: String,
}

#[derive(Serialize)]
struct Tool<'a> {
    name: &'a str,
    description: &'a str,
}

#[derive(Serialize)]
struct Definition<'a> {
    name: &'a str,
    definition: String,
    context: Option<String>,
    metadata: Option<String>,
}

impl<'a> Variables<'a> {
    fn of(scene: &'a Scene<'_>, room: usize) -> Self {
        let profile = scene.profile.map(|config| Definition {
            name: "profile",
            definition: one_line(&config.extraction_definition_prompt),
            context: config.context_prompt.as_deref().and_then(given),
            metadata: config.metadata_definition_prompt.as_deref().and_then(given),
        });
        let playbooks = scene.playbooks.iter().map(|config| Definition {
            name: &config.playbook_name,
            definition: one_line(&config.playbook_definition_prompt),
            context: config.context_prompt.as_deref().and_then(given),
            metadata: config.metadata_definition_prompt.as_deref().and_then(given),
        });
        let tools = scene.policy.tools.iter();
        let expert = |text: &str| !text.trim().is_empty();
        Self {
            agent_context: scene.policy.agent_context.as_deref(),
            tools: tools
                .map(|tool| Tool { name: &tool.tool_name, description: &tool.tool_description })
                .collect(),
            profile,
            playbooks: playbooks.collect(),
            expert: scene.turns.iter().any(|turn| expert(&turn.turn.interaction.turn.expert_content)),
            transcript: transcript(&lines(scene), Alternative::Beside, room),
        }
    }
}

fn lines<'a>(scene: &'a Scene<'_>) -> Vec<Line<'a>> {
    let line = |turn: &'a SceneTurn<'_>| {
        let mark = if turn.fresh { "" } else { " (seen before)" };
        Line { label: &turn.label, mark, turn: &turn.turn.interaction.turn }
    };
    scene.turns.iter().map(line).collect()
}

/// Definitions are often written as indented lists; the white space only costs.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn given(text: &str) -> Option<String> {
    Some(one_line(text)).filter(|text| !text.is_empty())
}
