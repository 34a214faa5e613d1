use std::collections::BTreeMap;

use reflexio_store::PublishedTurn;
use reflexio_types::config::{PlaybookConfig, ProfileExtractorConfig};
use reflexio_types::{ProfileBody, ProfileTimeToLive, UserPlaybookBody};

use crate::policy::{Extractor, Policy};

/// A window and what is to be learned from it.
#[derive(Debug, Clone)]
pub struct Scene<'a> {
    pub policy: &'a Policy,
    pub profile: Option<&'a ProfileExtractorConfig>,
    pub playbooks: Vec<PlaybookConfig>,
    /// In the order in which they arrived.
    pub turns: Vec<SceneTurn<'a>>,
    /// Contents of learned rows that the agent was shown.
    pub own_texts: Vec<String>,
}

/// A turn and the name by which evidence refers to it.
#[derive(Debug, Clone)]
pub struct SceneTurn<'a> {
    pub label: String,
    pub turn: &'a PublishedTurn,
    /// It was in no window before. What only old turns show is known already.
    pub fresh: bool,
}

impl<'a> Scene<'a> {
    pub fn new(
        policy: &'a Policy,
        extractors: &[Extractor<'a>],
        turns: impl Iterator<Item = (&'a PublishedTurn, bool)>,
    ) -> Self {
        let profile = extractors.iter().find_map(|extractor| match extractor {
            Extractor::Profile(config) => Some(*config),
            Extractor::Playbook(_) => None,
        });
        let playbooks = extractors.iter().filter_map(|extractor| match extractor {
            Extractor::Playbook(config) => Some((*config).clone()),
            Extractor::Profile(_) => None,
        });
        let turns = turns.enumerate().map(|(at, (turn, fresh))| SceneTurn {
            label: format!("T{}", at + 1),
            turn,
            fresh,
        });
        Self {
            policy,
            profile,
            playbooks: playbooks.collect(),
            turns: turns.collect(),
            own_texts: Vec::new(),
        }
    }

    /// Where the labels stand. Nothing if one of them is none of this window, if there are none, or if only turns
    /// say it that were learned from before.
    pub fn resolve(&self, labels: &[String]) -> Option<Vec<usize>> {
        let place = |label: &String| {
            let name = label.trim().trim_matches(['[', ']', '"', '#']);
            self.turns.iter().position(|turn| turn.label.eq_ignore_ascii_case(name))
        };
        let mut places = labels.iter().map(place).collect::<Option<Vec<usize>>>()?;
        places.sort_unstable();
        places.dedup();
        places.iter().any(|at| self.turns.get(*at).is_some_and(|turn| turn.fresh)).then_some(places)
    }
}

/// Everything a window showed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Findings {
    pub profiles: Vec<FoundProfile>,
    pub playbooks: Vec<FoundPlaybook>,
    /// Facts that the user wants forgotten, in words.
    pub forget: Vec<String>,
    /// How many items were left out, by reason.
    pub dropped: BTreeMap<&'static str, u32>,
}

impl Findings {
    pub(crate) fn drop_one(&mut self, reason: &'static str) {
        *self.dropped.entry(reason).or_insert(0) += 1;
    }
}

/// A fact about the user. Its body does not name its sources yet.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundProfile {
    /// Places in the window, in order, never empty.
    pub evidence: Vec<usize>,
    pub time_to_live: ProfileTimeToLive,
    pub body: ProfileBody,
}

/// A rule for the agent. Its body does not name its sources yet.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundPlaybook {
    pub evidence: Vec<usize>,
    pub playbook_name: String,
    pub body: UserPlaybookBody,
}
