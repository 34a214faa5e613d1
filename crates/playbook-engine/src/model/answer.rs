//! What a model answers.

use playbook_lang::Value;
use serde::{Deserialize, Serialize};

/// The whole answer to a segment or to a question about triggers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Answer {
    pub steps: Vec<StepAnswer>,
    pub decisions: Vec<DecisionAnswer>,
    pub triggers: Vec<TriggerAnswer>,
    /// Labels of the notes that made a difference: `N1`, `L2`.
    pub applied: Vec<String>,
    /// Words for a message that no trigger fits.
    pub reply: Option<String>,
}

/// One step that was done, or why it was not.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StepAnswer {
    pub id: String,
    pub status: Status,
    pub say: Vec<SayAnswer>,
    /// Values of declared variables.
    #[serde(with = "pairs")]
    pub set: Pairs,
    /// Variables as expressions over others, computed after the calls.
    #[serde(with = "pairs")]
    pub compute: Vec<(String, String)>,
    pub call: Vec<CallAnswer>,
    /// The user's message the values come from.
    pub evidence: Option<String>,
    /// What a `Return …` in words gives back.
    #[serde(rename = "return")]
    pub returns: Option<Value>,
    /// What a loop in words goes through.
    pub items: Option<Vec<Value>>,
    /// Why it is impossible.
    pub why: Option<String>,
}

/// Named values, in the order they were given.
pub type Pairs = Vec<(String, Value)>;

#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    #[default]
    Done,
    /// The user must answer first.
    Waiting,
    /// There is more to do once the calls are back.
    Continue,
    Impossible,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SayAnswer {
    #[serde(default = "user")]
    pub to: String,
    pub text: String,
    /// `{expressions}` in the text are filled in once the calls of the step are back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fill: bool,
}

fn user() -> String {
    "user".to_owned()
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CallAnswer {
    pub name: String,
    #[serde(with = "pairs")]
    pub args: Pairs,
    /// Arguments as expressions, computed when the call is made.
    #[serde(with = "pairs")]
    pub compute: Vec<(String, String)>,
    /// The declared variable that takes the result.
    pub into: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecisionAnswer {
    pub id: String,
    pub value: bool,
    #[serde(default)]
    pub why: String,
    #[serde(default)]
    pub evidence: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TriggerAnswer {
    pub id: String,
    pub why: String,
    #[serde(with = "pairs")]
    pub args: Pairs,
    /// The first steps of the playbook it starts, if they were offered.
    pub steps: Vec<StepAnswer>,
}

/// Objects of JSON whose order is kept.
mod pairs {
    use std::fmt;
    use std::marker::PhantomData;

    use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
    use serde::ser::{Serialize, SerializeMap, Serializer};

    pub(super) fn serialize<T: Serialize, S: Serializer>(
        pairs: &[(String, T)],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(pairs.len()))?;
        for (key, value) in pairs {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }

    pub(super) fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<(String, T)>, D::Error> {
        deserializer.deserialize_map(Reader(PhantomData))
    }

    struct Reader<T>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for Reader<T> {
        type Value = Vec<(String, T)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut pairs = Vec::new();
            while let Some(pair) = map.next_entry()? {
                pairs.push(pair);
            }
            Ok(pairs)
        }
    }
}
