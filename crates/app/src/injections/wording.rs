use reflexio_types::{AgentPlaybook, InjectedRule, LearningKind, UserPlaybook};

/// Enough that two wordings of one rule are never taken for the same.
const DIGITS: usize = 16;

/// A rule whose words can be told apart from those it had before.
pub(crate) trait Worded {
    fn injected(&self) -> InjectedRule;
}

impl Worded for AgentPlaybook {
    fn injected(&self) -> InjectedRule {
        let body = &self.body;
        let wording = wording(&body.content, [&body.trigger, &body.instruction, &body.pitfall]);
        InjectedRule { kind: LearningKind::AgentPlaybook, id: self.id.to_string(), wording }
    }
}

impl Worded for UserPlaybook {
    fn injected(&self) -> InjectedRule {
        let body = &self.body;
        let wording = wording(&body.content, [&body.trigger, &body.instruction, &body.pitfall]);
        InjectedRule { kind: LearningKind::UserPlaybook, id: self.id.to_string(), wording }
    }
}

/// Of everything that an agent may read of a rule; a part that is missing is not the same as an empty one.
fn wording(content: &str, parts: [&Option<String>; 3]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in std::iter::once(Some(content)).chain(parts.map(Option::as_deref)) {
        hasher.update(&part.map_or(u64::MAX, |text| text.len() as u64).to_le_bytes());
        hasher.update(part.unwrap_or_default().as_bytes());
    }
    hasher.finalize().to_hex()[..DIGITS].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_word_or_the_same_words_in_other_parts_are_another_wording() {
        let some = |text: &str| Some(text.to_owned());
        let wordings = [
            wording("ask first", [&None, &None, &None]),
            wording("ask  first", [&None, &None, &None]),
            wording("ask", [&some(" first"), &None, &None]),
            wording("ask", [&None, &some(" first"), &None]),
            wording("ask first", [&some(""), &None, &None]),
        ];
        for (at, one) in wordings.iter().enumerate() {
            assert!(wordings[at + 1..].iter().all(|other| other != one), "{at}");
        }
        assert_eq!(wordings[0], wording("ask first", [&None, &None, &None]));
        assert_eq!(wordings[0].len(), DIGITS);
    }
}
