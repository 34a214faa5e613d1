use reflexio_types::{ProfileBody, ProfileTimeToLive, Speaker, UserPlaybookBody};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::pairs::Pair;
use crate::builtin::{Signal, rule_content};
use crate::findings::{Findings, FoundPlaybook, FoundProfile, Scene};

/// What a model answers.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Answer {
    profiles: Vec<Fact>,
    playbooks: Vec<Rule>,
    expert_gaps: Vec<Gap>,
    forget: Vec<Forget>,
}

/// What the user wants forgotten.
#[derive(Debug, Deserialize)]
struct Forget {
    what: String,
    evidence: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Fact {
    content: String,
    time_to_live: ProfileTimeToLive,
    evidence: Vec<String>,
    #[serde(default)]
    custom_features: Vec<Field>,
}

#[derive(Debug, Deserialize)]
struct Rule {
    playbook_name: String,
    trigger: String,
    instruction: String,
    #[serde(default)]
    pitfall: Option<String>,
    #[serde(default)]
    rationale: Option<String>,
    evidence: Vec<String>,
    #[serde(default)]
    metadata: Vec<Field>,
}

/// What an expert's answer has and the agent's has not.
#[derive(Debug, Deserialize)]
struct Gap {
    pair: String,
    playbook_name: String,
    trigger: String,
    instruction: String,
    #[serde(default)]
    pitfall: Option<String>,
    #[serde(default)]
    metadata: Vec<Field>,
}

#[derive(Debug, Deserialize)]
struct Field {
    name: String,
    value: String,
}

impl Answer {
    /// Items that hold; one that does not is left out alone, and counted.
    pub(super) fn into_findings(self, scene: &Scene<'_>, pairs: &[Pair], learned_by: &str) -> Findings {
        let mut findings = Findings::default();
        for fact in self.profiles {
            match fact.into_found(scene, learned_by) {
                Ok(found) => findings.profiles.push(found),
                Err(reason) => findings.drop_one(reason),
            }
        }
        for rule in self.playbooks {
            match rule.into_found(scene, learned_by) {
                Ok(found) => findings.playbooks.push(found),
                Err(reason) => findings.drop_one(reason),
            }
        }
        for forget in self.forget {
            match forget.into_found(scene) {
                Ok(what) => findings.forget.push(what),
                Err(reason) => findings.drop_one(reason),
            }
        }
        for gap in self.expert_gaps {
            match gap.into_found(pairs, learned_by) {
                Ok(found) => findings.playbooks.push(found),
                Err(reason) => findings.drop_one(reason),
            }
        }
        findings
    }
}

const NO_EVIDENCE: &str = "evidence does not resolve";
const EMPTY: &str = "empty";
const UNKNOWN_PAIR: &str = "names no pair of this window";
const STYLE_ONLY: &str = "style only";

impl Forget {
    /// Only the users themselves can ask for it.
    fn into_found(self, scene: &Scene<'_>) -> Result<String, &'static str> {
        let evidence = scene.resolve(&self.evidence).ok_or(NO_EVIDENCE)?;
        let turns = evidence.iter().filter_map(|at| scene.turns.get(*at));
        let mut fresh = turns.filter(|turn| turn.fresh).map(|turn| &turn.turn.interaction.turn.role);
        if !fresh.any(|role| role.trim().is_empty() || Speaker::of(role) == Speaker::User) {
            return Err("only users can have something forgotten");
        }
        filled(&self.what).ok_or(EMPTY)
    }
}

impl Fact {
    fn into_found(self, scene: &Scene<'_>, learned_by: &str) -> Result<FoundProfile, &'static str> {
        let evidence = scene.resolve(&self.evidence).ok_or(NO_EVIDENCE)?;
        let content = filled(&self.content).ok_or(EMPTY)?;
        let features = object(self.custom_features);
        let body = ProfileBody {
            content,
            custom_features: Some(features).filter(|features| !features.is_empty()),
            learned_by: Some(learned_by.to_owned()),
            ..ProfileBody::default()
        };
        Ok(FoundProfile { evidence, time_to_live: self.time_to_live, body })
    }
}

impl Rule {
    fn into_found(self, scene: &Scene<'_>, learned_by: &str) -> Result<FoundPlaybook, &'static str> {
        let evidence = scene.resolve(&self.evidence).ok_or(NO_EVIDENCE)?;
        let mut body = body(&self.trigger, &self.instruction, self.pitfall.as_deref(), self.metadata)?;
        body.rationale = self.rationale.as_deref().and_then(filled);
        body.learned_by = Some(learned_by.to_owned());
        Ok(FoundPlaybook { evidence, playbook_name: self.playbook_name, body })
    }
}

impl Gap {
    fn into_found(self, pairs: &[Pair], learned_by: &str) -> Result<FoundPlaybook, &'static str> {
        let pair = pairs.iter().find(|pair| pair.is_called(&self.pair)).ok_or(UNKNOWN_PAIR)?;
        if pair.is_style(&self.instruction) {
            return Err(STYLE_ONLY);
        }
        let mut body = body(&self.trigger, &self.instruction, self.pitfall.as_deref(), self.metadata)?;
        body.reader_angle = Some(Signal::ExpertGap.as_str().to_owned());
        body.learned_by = Some(learned_by.to_owned());
        Ok(FoundPlaybook { evidence: pair.evidence(), playbook_name: self.playbook_name, body })
    }
}

fn body(
    trigger: &str,
    instruction: &str,
    pitfall: Option<&str>,
    metadata: Vec<Field>,
) -> Result<UserPlaybookBody, &'static str> {
    let trigger = filled(trigger).ok_or(EMPTY)?;
    let instruction = filled(instruction).ok_or(EMPTY)?;
    let pitfall = pitfall.and_then(filled);
    let metadata = object(metadata);
    Ok(UserPlaybookBody {
        content: rule_content(&trigger, &instruction, pitfall.as_deref()),
        trigger: Some(trigger),
        instruction: Some(instruction),
        pitfall,
        playbook_metadata: if metadata.is_empty() {
            String::new()
        } else {
            Value::Object(metadata).to_string()
        },
        ..UserPlaybookBody::default()
    })
}

fn filled(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// Values are JSON as text; what is none is a plain text.
fn object(fields: Vec<Field>) -> Map<String, Value> {
    let fields = fields.into_iter().filter(|field| !field.name.trim().is_empty());
    fields
        .map(|field| {
            let value = serde_json::from_str(&field.value).unwrap_or(Value::String(field.value));
            (field.name.trim().to_owned(), value)
        })
        .collect()
}
