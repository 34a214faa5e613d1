//! What a wording must hold to, whoever proposes it.

use std::collections::BTreeSet;

use super::item::{Item, Wording};
use super::likeness::{everything, telling};

const MADE_UP: &str = "says what no part says";
const WIDER: &str = "reaches further than its parts";
const LOSES: &str = "loses what its parts say";

/// Whether a wording may stand for a new row and the known ones.
pub(super) fn unified(item: &Item, known: &[&Item], wording: &Wording) -> Result<(), &'static str> {
    let parts: Vec<&Item> = known.iter().copied().chain([item]).collect();
    let text = match wording {
        Wording::Fact { content, .. } => content.clone(),
        Wording::Rule { trigger, instruction, .. } => {
            let triggers: Vec<&str> = parts.iter().map(|part| part.trigger()).collect();
            not_wider(&triggers, trigger)?;
            format!("{trigger} {instruction}")
        }
    };
    let said: BTreeSet<String> = parts.iter().flat_map(|part| telling(&part.substance())).collect();
    let says = telling(&text);
    let shared = says.intersection(&said).count();
    if says.is_empty() || shared * 2 < says.len() {
        return Err(MADE_UP);
    }
    // What the new row says is the newest word on it, and must not get lost on the way.
    let newest = telling(&item.substance());
    if newest.intersection(&says).count() * 2 < newest.len() {
        return Err(LOSES);
    }
    Ok(())
}

/// Whether a trigger still names the situation of the rule.
pub(super) fn narrower(item: &Item, trigger: &str) -> Result<(), &'static str> {
    not_wider(&[item.trigger()], trigger)
}

/// Whether a trigger drops a condition that all of these have.
pub(crate) fn reaches_further(parts: &[&str], trigger: &str) -> bool {
    not_wider(parts, trigger).is_err()
}

/// Every condition that all parts have must stay, and no word may come in that drops conditions.
fn not_wider(parts: &[&str], trigger: &str) -> Result<(), &'static str> {
    let new = telling(trigger);
    let mut shared: Option<BTreeSet<String>> = None;
    for part in parts {
        let terms = telling(part);
        shared = Some(match shared {
            Some(shared) => shared.intersection(&terms).cloned().collect(),
            None => terms,
        });
    }
    let shared = shared.unwrap_or_default();
    let lost = shared.difference(&new).count();
    // One word may be said differently; a condition is seldom a single one of many.
    if lost * 4 > shared.len() {
        return Err(WIDER);
    }
    let before: BTreeSet<&str> = parts.iter().flat_map(|part| everything(part)).collect();
    if everything(trigger).into_iter().any(|word| !before.contains(word)) {
        return Err(WIDER);
    }
    Ok(())
}
