use reflexio_search::terms;
use reflexio_types::without_context_blocks;
use serde::Serialize;

use crate::builtin::Substance;
use crate::findings::Scene;
use crate::transcript::clean;

/// Turns that tell what the user wanted; older ones belong to another question.
const SITUATION_TURNS: usize = 3;
/// Characters of the situation, which stands in the conversation too.
const SITUATION_CHARACTERS: usize = 400;

/// An agent's answer and what an expert would have answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) label: String,
    /// The agent's turn, as a place in the window.
    pub(super) at: usize,
    /// The user's turns before it.
    pub(super) situation: Vec<usize>,
    pub(super) agent: String,
    pub(super) expert: String,
}

/// The answers of a window that an expert wrote anew. Without a playbook type nothing can be learned from them, and
/// those that were in an earlier window were learned from already.
pub(super) fn pairs(scene: &Scene<'_>) -> Vec<Pair> {
    if scene.playbooks.is_empty() {
        return Vec::new();
    }
    let mut pairs = Vec::new();
    for (at, turn) in scene.turns.iter().enumerate().filter(|(_, turn)| turn.fresh) {
        let said = &turn.turn.interaction.turn;
        let (agent, expert) =
            (without_context_blocks(&said.content), without_context_blocks(&said.expert_content));
        if said.is_of_user() || expert.trim().is_empty() || terms(&agent) == terms(&expert) {
            continue;
        }
        let label = format!("E{}", pairs.len() + 1);
        pairs.push(Pair { label, at, situation: situation(scene, at), agent, expert });
    }
    pairs
}

/// Further in than the lines of a pair, so that no answer can pass for the other one.
fn inside(text: &str, longest: usize) -> String {
    clean(text, longest).replace('\n', "\n  ")
}

/// The user's last turns before a place.
fn situation(scene: &Scene<'_>, at: usize) -> Vec<usize> {
    let of_user =
        |place: &usize| scene.turns.get(*place).is_some_and(|turn| turn.turn.interaction.turn.is_of_user());
    let before = (0..at).rev().skip_while(|place| !of_user(place)).take_while(of_user);
    let mut places: Vec<usize> = before.take(SITUATION_TURNS).collect();
    places.reverse();
    places
}

/// A pair as the prompt shows it.
#[derive(Debug, Serialize)]
pub(super) struct ShownPair {
    label: String,
    turn: String,
    situation: String,
    agent: String,
    expert: String,
}

impl Pair {
    pub(super) fn shown(&self, scene: &Scene<'_>, share: usize) -> ShownPair {
        let of_situation = self.situation.iter().filter_map(|at| scene.turns.get(*at));
        let asked: Vec<&str> = of_situation.map(|turn| turn.turn.interaction.turn.content.trim()).collect();
        ShownPair {
            label: self.label.clone(),
            turn: scene.turns.get(self.at).map(|turn| turn.label.clone()).unwrap_or_default(),
            situation: inside(&asked.join(" / "), SITUATION_CHARACTERS),
            agent: inside(&self.agent, share),
            expert: inside(&self.expert, share),
        }
    }

    /// Whether an answer means this pair.
    pub(super) fn is_called(&self, name: &str) -> bool {
        self.label.eq_ignore_ascii_case(name.trim().trim_matches(['[', ']', '"', '#']))
    }

    /// The turns that show a gap.
    pub(super) fn evidence(&self) -> Vec<usize> {
        self.situation.iter().copied().chain([self.at]).collect()
    }

    /// Whether an instruction only says in other words what the agent said.
    pub(super) fn is_style(&self, instruction: &str) -> bool {
        Substance::of(&self.agent).is_restated_by(instruction, &Substance::of(&self.expert))
    }
}
