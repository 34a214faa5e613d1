//! Whether one session served its user, and which of the learnings that were served in it helped.
//!
//! `model.rs` asks a model, once for everything; `builtin/` reads cues where there is none. Both get a [`Session`]
//! and give what they [`Judged`].

mod answer;
mod builtin;
mod model;
mod schema;

use reflexio_llm::prompts::{PromptError, Template};
use reflexio_llm::{Error, Model, prompt_file};
use reflexio_types::{Impact, Interaction, RetrievedLearning, Speaker, Verdict};

use crate::Policy;
use crate::sampling::Asked;

pub use builtin::EVALUATED_BY as BUILTIN;
pub use model::ModelJudge;

/// The prompts of this module.
pub const PROMPTS: &[Template] = &[prompt_file!("success", "v1")];

/// More notes than an agent is ever given in one session; the others get no verdict.
pub const MOST_LEARNINGS: usize = 40;

/// A session and what is asked about it.
#[derive(Debug, Clone)]
pub struct Session<'a> {
    pub policy: &'a Policy,
    pub asked: Asked,
    /// In the order of arrival.
    turns: Vec<SessionTurn<'a>>,
    served: Vec<Served<'a>>,
}

#[derive(Debug, Clone)]
struct SessionTurn<'a> {
    label: String,
    interaction: &'a Interaction,
}

/// A learning that was served to the agent, at the turn where it came first.
#[derive(Debug, Clone)]
pub struct Served<'a> {
    label: String,
    /// Where its turn stands in the session.
    at: usize,
    pub interaction: &'a Interaction,
    pub learning: &'a RetrievedLearning,
    /// Missing when its row is gone, or it is one too many.
    text: Option<String>,
}

/// What was found out.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// If it was asked for.
    pub verdict: Option<Verdict>,
    /// One for each of [`Session::served`].
    pub learnings: Vec<LearningVerdict>,
    /// The model with its prompt, or [`BUILTIN`].
    pub evaluated_by: String,
}

/// Whether a learning was to the point and what it did; nothing where nobody could tell.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LearningVerdict {
    pub is_relevant: Option<bool>,
    pub relevance_reason: String,
    pub impact: Option<Impact>,
    pub impact_reason: String,
}

/// Who judges.
pub enum Judge {
    /// Without a model.
    Builtin,
    Model(Box<ModelJudge>),
}

impl Judge {
    pub fn with(model: Model) -> Result<Self, PromptError> {
        Ok(Self::Model(Box::new(ModelJudge::new(model)?)))
    }

    /// Judges. `run` names the job, for the record of costs.
    pub async fn judge(&self, session: &Session<'_>, run: &str) -> Result<Judged, Error> {
        let Self::Model(model) = self else { return Ok(builtin::judge(session)) };
        match model.judge(session, run).await {
            // What a provider will not talk about is judged all the same.
            Err(Error::Declined { .. }) => Ok(builtin::judge(session)),
            other => other,
        }
    }
}

impl<'a> Session<'a> {
    pub fn new(policy: &'a Policy, asked: Asked, interactions: &'a [Interaction]) -> Self {
        let turns = interactions.iter().filter(|interaction| interaction.turn.carries_content());
        let turns: Vec<SessionTurn<'a>> = turns
            .enumerate()
            .map(|(at, interaction)| SessionTurn { label: format!("T{}", at + 1), interaction })
            .collect();
        let served = if asked.learnings { served(&turns) } else { Vec::new() };
        Self { policy, asked, turns, served }
    }

    /// Each learning once; whoever has the rows gives their texts with [`Session::tell`].
    pub fn served(&self) -> &[Served<'a>] {
        &self.served
    }

    /// The texts of the first [`MOST_LEARNINGS`] of [`Session::served`], in their order; nothing for a row that is gone.
    pub fn tell(&mut self, texts: impl IntoIterator<Item = Option<String>>) {
        for (served, text) in self.served.iter_mut().take(MOST_LEARNINGS).zip(texts) {
            served.text = text;
        }
    }

    /// Whether there is something to judge: without an answer of the agent nobody did anything.
    pub fn is_judgeable(&self) -> bool {
        self.turns.iter().any(|turn| Speaker::of(&turn.interaction.turn.role) != Speaker::User)
            && (self.asked.success || !self.served.is_empty())
    }

    fn place(&self, label: &str) -> Option<usize> {
        let name = label.trim().trim_matches(['[', ']', '"', '#']);
        self.turns.iter().position(|turn| turn.label.eq_ignore_ascii_case(name))
    }

    fn is_user(&self, at: usize) -> bool {
        self.turns.get(at).is_some_and(|turn| {
            let role = &turn.interaction.turn.role;
            role.trim().is_empty() || Speaker::of(role) == Speaker::User
        })
    }

    /// The turns of the user up to and with this one.
    fn user_turns_until(&self, at: usize) -> u32 {
        (0..=at).filter(|at| self.is_user(*at)).count() as u32
    }
}

fn served<'a>(turns: &[SessionTurn<'a>]) -> Vec<Served<'a>> {
    let mut served: Vec<Served<'a>> = Vec::new();
    for (at, turn) in turns.iter().enumerate() {
        for learning in &turn.interaction.turn.retrieved_learnings {
            if served.iter().all(|other| other.learning != learning) {
                let label = format!("L{}", served.len() + 1);
                served.push(Served { label, at, interaction: turn.interaction, learning, text: None });
            }
        }
    }
    served
}
