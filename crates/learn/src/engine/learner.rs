use reflexio_llm::{Error as ModelError, Purpose};
use reflexio_store::{AgentPlaybookFilter, ProfileFilter, SharedStore, UserPlaybookFilter};
use reflexio_types::{
    AgentPlaybookId, CONTEXT_BEGINS, CONTEXT_ENDS, LearningKind, OrgId, RetrievedLearning, UserPlaybookId,
};

use super::{Error, Result};
use crate::builtin::{self, Definitions, DropReason, LabelledTurn, OwnText, Window};
use crate::consolidate::Consolidation;
use crate::extract::{Extraction, Shown};
use crate::findings::{Findings, FoundPlaybook, FoundProfile, Scene};

/// More rows than an agent is ever shown at once.
const MOST_OWN_TEXTS: usize = 64;
/// Pictures of one window; each costs as much as a page of text.
const MOST_PICTURES: usize = 16;

/// Who learns.
pub enum Learner {
    /// Without a model.
    Builtin,
    Model(Box<ModelLearner>),
}

/// The models that learn, one for each kind of question.
pub struct ModelLearner {
    pub extraction: Extraction,
    pub consolidation: Consolidation,
}

impl Learner {
    pub fn with(extraction: Extraction, consolidation: Consolidation) -> Self {
        Self::Model(Box::new(ModelLearner { extraction, consolidation }))
    }

    /// What a window shows, and what the agent was told before.
    pub(super) async fn find<'a>(
        &self,
        store: &SharedStore,
        org: &OrgId,
        mut scene: Scene<'a>,
        purpose: &Purpose,
    ) -> Result<(Scene<'a>, Findings)> {
        scene.own_texts = own_texts(store, org, &scene).await?;
        let findings = match self {
            Self::Builtin => built_in(&scene),
            Self::Model(model) => asked(&model.extraction, store, org, &scene, purpose).await?,
        };
        Ok((scene, findings))
    }
}

async fn asked(
    extraction: &Extraction,
    store: &SharedStore,
    org: &OrgId,
    scene: &Scene<'_>,
    purpose: &Purpose,
) -> Result<Findings> {
    let shown = pictures(store, org, scene).await?;
    match extraction.find(scene, &shown, purpose).await {
        Ok(findings) => Ok(findings),
        // A window that a provider will not talk about would stand in the way of all that follow it.
        Err(ModelError::Declined { message, .. }) => {
            tracing::warn!(%org, run = purpose.run, message, "the model declined a window; the built-in learner reads it");
            Ok(built_in(scene))
        }
        Err(error) => Err(Error::Model(error)),
    }
}

fn built_in(scene: &Scene<'_>) -> Findings {
    let turn = |turn: &'_ crate::SceneTurn<'_>| (turn.label.clone(), turn.turn.interaction.turn.clone());
    let turns: Vec<_> = scene.turns.iter().map(turn).collect();
    let labelled: Vec<_> = turns.iter().map(|(label, turn)| LabelledTurn { label, turn }).collect();
    let blocks = vec![(CONTEXT_BEGINS.to_owned(), CONTEXT_ENDS.to_owned())];
    let own = OwnText { blocks, texts: scene.own_texts.clone() };
    let definitions = Definitions { profile: scene.profile, playbooks: &scene.playbooks };
    let learned = builtin::learn(&Window { turns: &labelled, own: &own }, &definitions);
    let mut findings = Findings::default();
    for _ in 0..learned.dropped.count(DropReason::NoDefinition) {
        findings.drop_one(NOT_ASKED_FOR);
    }
    for profile in learned.profiles {
        let time_to_live = profile.time_to_live;
        match scene.resolve(&profile.evidence) {
            Some(evidence) => {
                let body = profile.into_body(Vec::new());
                findings.profiles.push(FoundProfile { evidence, time_to_live, body });
            }
            None => findings.drop_one(SEEN_BEFORE),
        }
    }
    for playbook in learned.playbooks {
        let playbook_name = playbook.playbook_name.clone();
        match scene.resolve(&playbook.evidence) {
            Some(evidence) => {
                let body = playbook.into_body(Vec::new());
                findings.playbooks.push(FoundPlaybook { evidence, playbook_name, body });
            }
            None => findings.drop_one(SEEN_BEFORE),
        }
    }
    for forget in learned.forget {
        match scene.resolve(&forget.evidence) {
            Some(_) => findings.forget.push(forget.what),
            None => findings.drop_one(SEEN_BEFORE),
        }
    }
    findings
}

const SEEN_BEFORE: &str = "seen before";
const NOT_ASKED_FOR: &str = "no definition asks for it";

async fn pictures(store: &SharedStore, org: &OrgId, scene: &Scene<'_>) -> Result<Vec<Shown>> {
    let mut shown = Vec::new();
    for turn in &scene.turns {
        let Some(image) = &turn.turn.interaction.turn.image else { continue };
        if shown.len() == MOST_PICTURES {
            break;
        }
        if let Some(image) = store.image(org, &image.id).await? {
            shown.push(Shown { label: turn.label.clone(), image });
        }
    }
    Ok(shown)
}

/// The texts of rows that the agent was shown before these turns. A server that learns its own words back believes
/// itself a little more with every conversation.
async fn own_texts(store: &SharedStore, org: &OrgId, scene: &Scene<'_>) -> Result<Vec<String>> {
    let turns = scene.turns.iter().map(|turn| &turn.turn.interaction.turn);
    let mut learnings: Vec<&RetrievedLearning> = turns.flat_map(|turn| &turn.retrieved_learnings).collect();
    learnings.dedup();
    let mut texts = Vec::new();
    for learning in learnings.into_iter().take(MOST_OWN_TEXTS) {
        texts.extend(text_of(store, org, learning).await?);
    }
    Ok(texts)
}

/// The content of a learned row that an agent was shown; nothing if it is gone.
pub async fn text_of(
    store: &SharedStore,
    org: &OrgId,
    learning: &RetrievedLearning,
) -> Result<Option<String>> {
    let id = learning.learning_id.as_str();
    Ok(match learning.kind {
        LearningKind::Profile => {
            let filter = ProfileFilter { profile_id: Some(id.into()), ..ProfileFilter::default() };
            store.profiles(org, &filter, 1).await?.pop().map(|row| row.body.content)
        }
        LearningKind::UserPlaybook => {
            let Ok(id) = id.parse().map(UserPlaybookId) else { return Ok(None) };
            let filter = UserPlaybookFilter { id: Some(id), ..UserPlaybookFilter::default() };
            store.user_playbooks(org, &filter, 1).await?.pop().map(|row| row.body.content)
        }
        LearningKind::AgentPlaybook => {
            let Ok(id) = id.parse().map(AgentPlaybookId) else { return Ok(None) };
            let filter = AgentPlaybookFilter { id: Some(id), ..AgentPlaybookFilter::default() };
            store.agent_playbooks(org, &filter, 1).await?.pop().map(|row| row.body.content)
        }
    })
}
