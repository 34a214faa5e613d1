//! Which learnings were to the point and helped, as far as shared words, citations and the user's reaction tell.

use std::collections::HashSet;

use reflexio_learn::builtin::{Signs, telling_terms};
use reflexio_types::{CitationKind, Impact, LearningKind, Speaker};

use super::super::{LearningVerdict, Served, Session};

/// So many words that tell something have to be shared, unless the learning has fewer.
const SHARED_WORDS: usize = 2;

pub(super) fn judge(session: &Session<'_>, signs: &[Signs], succeeded: bool) -> Vec<LearningVerdict> {
    session.served.iter().map(|served| one(session, served, signs, succeeded)).collect()
}

fn one(session: &Session<'_>, served: &Served<'_>, signs: &[Signs], succeeded: bool) -> LearningVerdict {
    let Some(text) = &served.text else { return LearningVerdict::default() };
    let cited = session.turns.iter().any(|turn| cites(turn.interaction, served));
    let shared = shared_words(session, text);
    let is_relevant = cited || shared.len() >= SHARED_WORDS.min(telling_terms(text).len().max(1));
    let relevance_reason = if cited {
        "The agent cited it.".to_owned()
    } else if is_relevant {
        format!("It shares words with the session: {}.", shared.join(", "))
    } else {
        "It shares no words with what the user wanted.".to_owned()
    };
    let reaction = signs.iter().skip(served.at + 1).find_map(|sign| sign.mood);
    let (impact, impact_reason) = match reaction {
        _ if !cited => (Impact::Neutral, "The agent did not say that it acted on it."),
        Some(mood) if mood.is_bad() => (Impact::Negative, "The agent cited it, and the user objected next."),
        Some(_) => (Impact::Positive, "The agent cited it, and the user was content next."),
        None if succeeded => (Impact::Positive, "The agent cited it in a session that succeeded."),
        None => (Impact::Neutral, "The agent cited it; nothing shows what it did."),
    };
    LearningVerdict {
        is_relevant: Some(is_relevant),
        relevance_reason,
        impact: Some(impact),
        impact_reason: impact_reason.to_owned(),
    }
}

fn cites(interaction: &reflexio_types::Interaction, served: &Served<'_>) -> bool {
    interaction.turn.citations.iter().any(|citation| {
        let same_kind = match citation.kind {
            CitationKind::Profile => served.learning.kind == LearningKind::Profile,
            CitationKind::UserPlaybook => served.learning.kind == LearningKind::UserPlaybook,
            CitationKind::AgentPlaybook => served.learning.kind == LearningKind::AgentPlaybook,
            CitationKind::Playbook => served.learning.kind != LearningKind::Profile,
        };
        same_kind && citation.real_id == served.learning.learning_id
    })
}

/// Words of the learning that the user used, in the order of the learning.
fn shared_words(session: &Session<'_>, text: &str) -> Vec<String> {
    let users = session.turns.iter().map(|turn| &turn.interaction.turn);
    let users = users.filter(|turn| Speaker::of(&turn.role) != Speaker::Assistant);
    let said: HashSet<String> = users.flat_map(|turn| telling_terms(&turn.content)).collect();
    let mut shared: Vec<String> = Vec::new();
    for term in telling_terms(text) {
        if said.contains(&term) && !shared.contains(&term) {
            shared.push(term);
        }
    }
    shared
}
