//! A candidate: named texts in a fixed order.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::Error;

/// The texts that are improved together, one per component.
///
/// Written as a list of pairs, not as an object: the order of components decides who is rewritten next, and many
/// stores sort the keys of objects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<(String, String)>", into = "Vec<(String, String)>")]
pub struct Candidate(Vec<(String, String)>);

impl Candidate {
    /// A candidate of these components, in this order.
    pub fn new<N: Into<String>, T: Into<String>>(
        parts: impl IntoIterator<Item = (N, T)>,
    ) -> Result<Self, Error> {
        let parts: Vec<(String, String)> = parts.into_iter().map(|(n, t)| (n.into(), t.into())).collect();
        let mut seen = BTreeSet::new();
        if parts.is_empty() {
            return Err(Error::Candidate(String::new()));
        }
        match parts.iter().find(|(name, _)| !seen.insert(name.as_str())) {
            Some((twice, _)) => Err(Error::Candidate(twice.clone())),
            None => Ok(Self(parts)),
        }
    }

    /// Names and texts, in order.
    pub fn parts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, text)| (name.as_str(), text.as_str()))
    }

    /// Component names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// The text of a component.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(own, _)| own == name).map(|(_, text)| text.as_str())
    }

    /// How many components there are; never zero.
    #[expect(clippy::len_without_is_empty, reason = "a candidate is never empty")]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Names and texts for a reader that does not care about order.
    pub fn to_map(&self) -> BTreeMap<String, String> {
        self.0.iter().cloned().collect()
    }

    /// This candidate with some texts replaced. Names it does not have are ignored; answers are checked before.
    pub(crate) fn with(&self, texts: &BTreeMap<String, String>) -> Self {
        let replace =
            |(name, text): &(String, String)| (name.clone(), texts.get(name).unwrap_or(text).clone());
        Self(self.0.iter().map(replace).collect())
    }

    /// Names the texts in the evaluation cache: the same for equal texts in any order.
    pub fn key(&self) -> String {
        let sorted: Vec<_> = self.to_map().into_iter().collect();
        let json = serde_json::to_vec(&sorted).unwrap_or_default();
        Sha256::digest(&json).iter().fold(String::with_capacity(64), |mut hex, byte| {
            // Writing to a string cannot fail.
            let _ = write!(hex, "{byte:02x}");
            hex
        })
    }
}

impl TryFrom<Vec<(String, String)>> for Candidate {
    type Error = Error;
    fn try_from(parts: Vec<(String, String)>) -> Result<Self, Error> {
        Self::new(parts)
    }
}

impl From<Candidate> for Vec<(String, String)> {
    fn from(candidate: Candidate) -> Self {
        candidate.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_come_once() {
        assert!(
            matches!(Candidate::new([("a", "1"), ("a", "2")]), Err(Error::Candidate(name)) if name == "a")
        );
        assert!(Candidate::new::<String, String>([]).is_err());
    }

    #[test]
    fn the_key_ignores_order_and_sees_every_text() {
        let key = |parts: [(&str, &str); 2]| Candidate::new(parts).unwrap().key();
        assert_eq!(key([("a", "1"), ("b", "2")]), key([("b", "2"), ("a", "1")]));
        assert_ne!(key([("a", "1"), ("b", "2")]), key([("a", "2"), ("b", "1")]));
        assert_ne!(key([("a", "1"), ("b", "2")]), key([("a", "1,b"), ("b", "2")]));
    }

    #[test]
    fn order_survives_a_store_that_sorts_object_keys() {
        let candidate = Candidate::new([("beta", "x"), ("alpha", "y")]).unwrap();
        let value = serde_json::to_value(&candidate).unwrap();
        let back: Candidate = serde_json::from_value(value).unwrap();
        assert_eq!(back.names().collect::<Vec<_>>(), ["beta", "alpha"]);
    }
}
