use reflexio_types::ProfileTimeToLive;
use serde::Deserialize;

use super::item::{Item, Wording};
use super::meeting::{Meeting, place};
use super::verdict::{Proposal, Verdicts};

/// What a model answers.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Answer {
    decisions: Vec<Decision>,
    forget: Vec<Removal>,
}

#[derive(Debug, Deserialize)]
struct Decision {
    new: String,
    decision: Word,
    #[serde(default)]
    kept: Vec<String>,
    #[serde(default)]
    content: Option<String>,
    #[serde(default)]
    time_to_live: Option<ProfileTimeToLive>,
    #[serde(default)]
    trigger: Option<String>,
    #[serde(default)]
    instruction: Option<String>,
    #[serde(default)]
    pitfall: Option<String>,
    #[serde(default)]
    rationale: Option<String>,
    #[serde(default)]
    kept_trigger: Option<String>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Word {
    Independent,
    Reject,
    Unify,
    Differentiate,
}

#[derive(Debug, Deserialize)]
struct Removal {
    request: String,
    #[serde(default)]
    kept: Vec<String>,
}

impl Answer {
    /// What holds of it. A row that it says nothing about, or something that does not hold, stays as it is.
    pub(super) fn into_verdicts(self, meeting: &Meeting, decided_by: &str) -> Verdicts {
        let mut verdicts = Verdicts::independent(meeting, decided_by);
        for decision in self.decisions {
            match place(&decision.new, 'N', meeting.new.len()) {
                Some(new) => match decision.into_proposal(meeting, new) {
                    Ok(proposal) => verdicts.propose(meeting, new, proposal),
                    Err(reason) => verdicts.object(reason),
                },
                None => verdicts.object(UNKNOWN),
            }
        }
        for removal in self.forget {
            let request = place(&removal.request, 'F', meeting.forget.len());
            for kept in &removal.kept {
                match (request, place(kept, 'K', meeting.known.len())) {
                    (Some(request), Some(known)) => verdicts.propose_forgetting(meeting, request, known),
                    (None, _) | (_, None) => verdicts.object(UNKNOWN),
                }
            }
        }
        verdicts
    }
}

pub(super) const UNKNOWN: &str = "names a row that was not shown";
const INCOMPLETE: &str = "incomplete";

impl Decision {
    fn into_proposal(self, meeting: &Meeting, new: usize) -> Result<Proposal, &'static str> {
        let mut kept = Vec::new();
        for label in &self.kept {
            let at = place(label, 'K', meeting.known.len()).ok_or(UNKNOWN)?;
            if !kept.contains(&at) {
                kept.push(at);
            }
        }
        let first = kept.first().copied().ok_or(INCOMPLETE);
        Ok(match self.decision {
            Word::Independent => Proposal::Independent,
            Word::Reject => Proposal::Reject { by: first? },
            Word::Unify => {
                first?;
                let wording = self.wording(meeting.new.get(new).map(|new| &new.item)).ok_or(INCOMPLETE)?;
                Proposal::Unify { with: kept, wording }
            }
            Word::Differentiate => Proposal::Differentiate {
                from: first?,
                trigger: self.trigger.as_deref().and_then(filled).ok_or(INCOMPLETE)?,
                known_trigger: self.kept_trigger.as_deref().and_then(filled).ok_or(INCOMPLETE)?,
            },
        })
    }

    fn wording(self, item: Option<&Item>) -> Option<Wording> {
        let text = |text: Option<String>| text.as_deref().and_then(filled);
        Some(match item? {
            Item::Profile(_) => {
                Wording::Fact { content: text(self.content)?, time_to_live: self.time_to_live }
            }
            Item::Playbook(_) => Wording::Rule {
                trigger: text(self.trigger)?,
                instruction: text(self.instruction)?,
                pitfall: text(self.pitfall),
                rationale: text(self.rationale),
            },
        })
    }
}

fn filled(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}
