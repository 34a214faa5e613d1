use std::collections::BTreeMap;

use reflexio_types::UserPlaybook;

use super::Written;
use super::guard::objection;
use crate::builtin::{LEARNED_BY, rule_content};

/// How a rule reads.
#[derive(Debug, Clone, PartialEq)]
pub struct Wording {
    pub trigger: String,
    pub instruction: String,
    pub pitfall: Option<String>,
    pub rationale: Option<String>,
}

impl Wording {
    pub fn content(&self) -> String {
        rule_content(&self.trigger, &self.instruction, self.pitfall.as_deref())
    }

    fn of(row: &UserPlaybook) -> Option<Self> {
        let body = &row.body;
        let instruction = body.instruction.clone().filter(|text| !text.trim().is_empty());
        Some(Self {
            trigger: body.trigger.clone().filter(|text| !text.trim().is_empty())?,
            instruction: instruction.unwrap_or_else(|| body.content.clone()),
            pitfall: body.pitfall.clone(),
            rationale: None,
        })
    }
}

/// The first member that speaks for all without telling something of its user. Members come with the one in the middle first.
pub fn without_a_model(members: &[&UserPlaybook]) -> Written {
    let mut refused = "no member has a trigger".to_owned();
    for wording in members.iter().filter_map(|member| Wording::of(member)) {
        match objection(members, &wording) {
            Some(reason) => refused = reason,
            None => {
                let wording = Wording {
                    pitfall: wording.pitfall.clone().or_else(|| most_common(members)),
                    rationale: Some(rationale(members)),
                    ..wording
                };
                return Written::Rule { wording, written_by: LEARNED_BY.to_owned() };
            }
        }
    }
    Written::Nothing(refused)
}

/// A pitfall that more than one member names.
fn most_common(members: &[&UserPlaybook]) -> Option<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for pitfall in members.iter().filter_map(|member| member.body.pitfall.as_deref()) {
        *counts.entry(pitfall).or_default() += 1;
    }
    let (pitfall, count) = counts.into_iter().max_by(|one, two| one.1.cmp(&two.1).then(two.0.cmp(one.0)))?;
    (count > 1).then(|| pitfall.to_owned())
}

fn rationale(members: &[&UserPlaybook]) -> String {
    let users: std::collections::BTreeSet<_> =
        members.iter().filter_map(|member| member.user_id.as_ref()).collect();
    format!("{} conversations of {} users taught it.", members.len(), users.len())
}
