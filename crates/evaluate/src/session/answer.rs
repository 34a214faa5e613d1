use reflexio_llm::Violation;
use reflexio_types::{FailureType, Impact, SessionFailure, Verdict};
use serde::Deserialize;

use super::schema::NO_FAILURE;
use super::{Judged, LearningVerdict, Session};

/// What a model answers.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Answer {
    is_success: bool,
    failure_type: String,
    failure_reason: String,
    is_escalated: bool,
    corrections: Vec<String>,
    resolved_in: String,
    tags: Vec<String>,
    learnings: Vec<Note>,
}

#[derive(Debug, Deserialize)]
struct Note {
    learning: String,
    is_relevant: bool,
    relevance_reason: String,
    impact: Impact,
    impact_reason: String,
}

impl Answer {
    /// What contradicts itself; the model gets to read it.
    pub(super) fn violations(&self, session: &Session<'_>) -> Vec<Violation> {
        let wrong =
            |path: &str, message: &str| Violation { path: path.to_owned(), message: message.to_owned() };
        if !session.asked.success || self.is_success {
            return Vec::new();
        }
        let mut found = Vec::new();
        if self.failure_type == NO_FAILURE {
            found.push(wrong("failure_type", "must name the failure, because is_success is false"));
        }
        if self.failure_reason.trim().is_empty() {
            found.push(wrong("failure_reason", "must say what went wrong, because is_success is false"));
        }
        found
    }

    pub(super) fn into_judged(self, session: &Session<'_>, evaluated_by: String) -> Judged {
        let learnings = session.served.iter().map(|served| self.learning(&served.label)).collect();
        let verdict = session.asked.success.then(|| self.verdict(session));
        Judged { verdict, learnings, evaluated_by }
    }

    fn learning(&self, label: &str) -> LearningVerdict {
        let note = self.learnings.iter().find(|note| note.learning.trim().eq_ignore_ascii_case(label));
        note.map_or_else(LearningVerdict::default, |note| LearningVerdict {
            is_relevant: Some(note.is_relevant),
            relevance_reason: note.relevance_reason.trim().to_owned(),
            impact: Some(note.impact),
            impact_reason: note.impact_reason.trim().to_owned(),
        })
    }

    fn verdict(&self, session: &Session<'_>) -> Verdict {
        let failure = (!self.is_success).then(|| SessionFailure {
            kind: FailureType::ALL
                .into_iter()
                .find(|kind| kind.as_str() == self.failure_type)
                .unwrap_or(FailureType::WrongAnswer),
            reason: self.failure_reason.trim().to_owned(),
        });
        let mut corrections: Vec<usize> = self
            .corrections
            .iter()
            .filter_map(|label| session.place(label))
            .filter(|at| session.is_user(*at))
            .collect();
        corrections.sort_unstable();
        corrections.dedup();
        let last = session.turns.len().saturating_sub(1);
        let resolved = session.place(&self.resolved_in).unwrap_or(last);
        Verdict {
            user_turns_to_resolution: failure.is_none().then(|| session.user_turns_until(resolved)),
            failure,
            is_escalated: self.is_escalated,
            corrections: corrections.len() as u32,
            tags: session.tags().map(|_| tags(&self.tags)),
        }
    }
}

/// Without white space, empty ones and repetitions.
fn tags(given: &[String]) -> Vec<String> {
    let mut tags: Vec<String> = Vec::new();
    for tag in given.iter().map(|tag| tag.trim()).filter(|tag| !tag.is_empty()) {
        if !tags.iter().any(|other| other == tag) {
            tags.push(tag.to_owned());
        }
    }
    tags
}
