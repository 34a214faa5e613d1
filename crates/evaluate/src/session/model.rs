use reflexio_learn::transcript::{Alternative, Line, SHORTEST_SHARE, transcript};
use reflexio_llm::prompts::{PromptError, Registry};
use reflexio_llm::{Error, Model, Options, Prompt};
use serde::Serialize;

use super::answer::Answer;
use super::{Judged, PROMPTS, Served, Session, schema};

/// Characters of all turns together; each turn gets its share of them.
const TRANSCRIPT_CHARACTERS: usize = 48_000;
const LEARNING_CHARACTERS: usize = 600;
/// A prompt that is too long for a model is halved so many times.
const HALVINGS: u32 = 3;
/// Of a session that is too long its beginning, which says what was wanted, gets this part of the room; the rest goes
/// to its end, which says what came of it.
const BEGINNING: usize = 5;

/// A model that judges, with its prompts.
pub struct ModelJudge {
    model: Model,
    prompts: Registry,
}

impl ModelJudge {
    pub fn new(model: Model) -> Result<Self, PromptError> {
        Ok(Self { model, prompts: Registry::new(PROMPTS.iter().copied())? })
    }

    pub(super) async fn judge(&self, session: &Session<'_>, run: &str) -> Result<Judged, Error> {
        let mut room = TRANSCRIPT_CHARACTERS;
        for _ in 0..HALVINGS {
            match self.ask(session, room, run).await {
                Err(Error::ContextTooLong { .. }) => room /= 2,
                other => return other,
            }
        }
        self.ask(session, room, run).await
    }

    async fn ask(&self, session: &Session<'_>, room: usize, run: &str) -> Result<Judged, Error> {
        let unusable = |error: String| Error::Misconfigured(format!("the judge's prompt is broken: {error}"));
        let prompt = self.prompt(session, room).map_err(|error| unusable(error.to_string()))?;
        let schema = schema::schema(session).map_err(|error| unusable(error.to_string()))?;
        let options = Options::for_run(run);
        let check = |answer: &Answer| answer.violations(session);
        let answered = self.model.complete_json_checked(&prompt, &schema, &options, &check).await?;
        let version = prompt.version.as_deref().unwrap_or_default();
        let evaluated_by = format!("{} ({version})", answered.model);
        Ok(answered.value.into_judged(session, evaluated_by))
    }

    /// The prompt for a session.
    pub fn prompt(&self, session: &Session<'_>, room: usize) -> Result<Prompt, PromptError> {
        self.prompts.render("success", Variables::of(session, room))
    }
}

impl<'a> Session<'a> {
    /// The learnings whose texts are known.
    pub(super) fn told(&self) -> impl Iterator<Item = &Served<'a>> {
        self.served.iter().filter(|served| served.text.is_some())
    }

    pub(super) fn tags(&self) -> Option<&str> {
        let tags = self.policy.success.tagging_definition_prompt.as_deref()?.trim();
        (!tags.is_empty()).then_some(tags)
    }
}

#[derive(Serialize)]
struct Variables<'a> {
    agent_context: Option<&'a str>,
    tools: Vec<Tool<'a>>,
    /// What a success is, if that is asked for.
    success: Option<&'a str>,
    tags: Option<&'a str>,
    learnings: Vec<Note<'a>>,
    transcript: String,
}

#[derive(Serialize)]
struct Tool<'a> {
    name: &'a str,
    description: &'a str,
}

#[derive(Serialize)]
struct Note<'a> {
    label: &'a str,
    kind: &'static str,
    turn: &'a str,
    text: String,
}

impl<'a> Variables<'a> {
    fn of(session: &'a Session<'_>, room: usize) -> Self {
        let policy = session.policy;
        let tool = |tool: &'a reflexio_types::config::ToolUseConfig| Tool {
            name: &tool.tool_name,
            description: &tool.tool_description,
        };
        Self {
            agent_context: policy.agent_context.as_deref(),
            tools: policy.tools.iter().map(tool).collect(),
            success: session.asked.success.then_some(policy.success.success_definition_prompt.trim()),
            tags: session.tags(),
            learnings: session.told().map(|served| note(session, served)).collect(),
            transcript: told(session, room),
        }
    }
}

fn note<'a>(session: &'a Session<'_>, served: &'a Served<'_>) -> Note<'a> {
    let text = served.text.as_deref().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    let text = text.char_indices().nth(LEARNING_CHARACTERS).map_or(text.as_str(), |(end, _)| &text[..end]);
    Note {
        label: &served.label,
        kind: served.learning.kind.as_str(),
        turn: session.turns.get(served.at).map_or("", |turn| &turn.label),
        text: text.to_owned(),
    }
}

/// The turns; of more than fit, the first and the last ones.
fn told(session: &Session<'_>, room: usize) -> String {
    let most = (room / SHORTEST_SHARE).max(2);
    let lines: Vec<Line<'_>> = session
        .turns
        .iter()
        .map(|turn| {
            let shadowed = !turn.interaction.turn.shadow_content.trim().is_empty();
            let mark = if shadowed { " (an answer under test; the user saw another one)" } else { "" };
            Line { label: &turn.label, mark, turn: &turn.interaction.turn }
        })
        .collect();
    if lines.len() <= most {
        return transcript(&lines, Alternative::Instead, room);
    }
    let (first, last) = (most / BEGINNING, most - most / BEGINNING);
    let (head, rest) = lines.split_at(first);
    let (left_out, tail) = rest.split_at(rest.len() - last);
    let part = |lines: &[Line<'_>]| transcript(lines, Alternative::Instead, room * lines.len() / most);
    format!("{}\n[… {} turns left out …]\n{}", part(head), left_out.len(), part(tail))
}
