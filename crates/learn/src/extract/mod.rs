//! What a window shows, as a model sees it: one structured call for the profile extractor and all playbook types
//! that are due together.

mod answer;
mod pairs;
mod schema;

use reflexio_llm::prompts::{PromptError, Registry, Template};
use reflexio_llm::{Error, Message, Model, Options, Part, Picture, Prompt, Purpose, Speaker, prompt_file};
use reflexio_types::Image;
use serde::Serialize;

use crate::findings::{Findings, Scene, SceneTurn};
use crate::transcript::{self, Alternative, Line, transcript};
use answer::Answer;
use pairs::{Pair, ShownPair};

/// The prompts of this crate.
pub const PROMPTS: &[Template] = &[prompt_file!("extraction", "v1"), prompt_file!("extraction", "v2")];

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

    /// Asks the model.
    pub async fn find(
        &self,
        scene: &Scene<'_>,
        shown: &[Shown],
        purpose: &Purpose,
    ) -> Result<Findings, Error> {
        let mut room = TRANSCRIPT_CHARACTERS;
        for _ in 0..HALVINGS {
            match self.ask(scene, shown, room, purpose).await {
                Err(Error::ContextTooLong { .. }) => room /= 2,
                other => return other,
            }
        }
        self.ask(scene, shown, room, purpose).await
    }

    async fn ask(
        &self,
        scene: &Scene<'_>,
        shown: &[Shown],
        room: usize,
        purpose: &Purpose,
    ) -> Result<Findings, Error> {
        let unusable =
            |error: String| Error::Misconfigured(format!("the extraction prompt is broken: {error}"));
        let prompt = self.prompt(scene, shown, room).map_err(|error| unusable(error.to_string()))?;
        let pairs = pairs::pairs(scene);
        let schema = schema::schema(scene, &pairs).map_err(|error| unusable(error.to_string()))?;
        let options = Options::with_purpose(purpose.clone());
        let answered = self.model.complete_json::<Answer>(&prompt, &schema, &options).await?;
        let version = prompt.version.as_deref().unwrap_or_default();
        let learned_by = format!("{} ({version})", answered.model);
        Ok(answered.value.into_findings(scene, &pairs, &learned_by))
    }

    /// The prompt for a window.
    pub fn prompt(&self, scene: &Scene<'_>, shown: &[Shown], room: usize) -> Result<Prompt, PromptError> {
        let variables = Variables::of(scene, &pairs::pairs(scene), room);
        let prompt = self.prompts.render("extraction", variables)?;
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
    /// Whether a definition asks for `metadata`.
    metadata: bool,
    /// Whether a turn has an alternative answer.
    shadow: bool,
    transcript: String,
    pairs: Vec<ShownPair>,
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
    fn of(scene: &'a Scene<'_>, pairs: &[Pair], room: usize) -> Self {
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
        let playbooks: Vec<Definition<'a>> = playbooks.collect();
        // A pair says its part of the conversation once more.
        let share = transcript::share(scene.turns.len() + 2 * pairs.len(), room);
        let shadow = |turn: &SceneTurn<'_>| turn.turn.interaction.turn.alternative().is_some();
        Self {
            agent_context: scene.policy.agent_context.as_deref(),
            tools: tools
                .map(|tool| Tool { name: &tool.tool_name, description: &tool.tool_description })
                .collect(),
            profile,
            metadata: playbooks.iter().any(|playbook| playbook.metadata.is_some()),
            playbooks,
            shadow: scene.turns.iter().any(shadow),
            transcript: transcript(&lines(scene), Alternative::Beside, share * scene.turns.len()),
            pairs: pairs.iter().map(|pair| pair.shown(scene, share)).collect(),
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
