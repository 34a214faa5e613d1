use std::collections::HashSet;

use super::input::OwnText;
use super::reading::telling_terms;

/// The words of learned rows that were shown to the agent.
pub(super) struct OwnTerms(Vec<HashSet<String>>);

impl OwnTerms {
    const FEWEST: usize = 3;

    pub(super) fn of(own: &OwnText) -> Self {
        let texts = own.texts.iter().map(|text| telling_terms(text).into_iter().collect::<HashSet<_>>());
        Self(texts.filter(|terms| terms.len() >= Self::FEWEST).collect())
    }

    /// Whether the sentence says nothing that one of our texts does not say.
    pub(super) fn say(&self, sentence: &str) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let said: HashSet<String> = telling_terms(sentence).into_iter().collect();
        let known = |text: &HashSet<String>| {
            said.iter().filter(|term| text.contains(*term)).count() * 5 >= said.len() * 4
        };
        said.len() >= Self::FEWEST && self.0.iter().any(known)
    }
}
