//! A recorded case.

use std::path::{Path, PathBuf};

use gepa::{
    Acceptance, Candidate, Components, Engine, Frontier, Merging, Random, Selector, Settings, Validation,
};
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value;

use super::toy::Toy;

#[derive(Debug, Clone, Deserialize)]
pub struct Case {
    pub config: Config,
    pub tape: Vec<Value>,
    pub events: Vec<Value>,
    pub adapter_calls: Vec<Value>,
    pub result: Value,
}

#[derive(Debug, Clone, Deserialize)]
pub struct Config {
    #[serde(deserialize_with = "in_order")]
    pub seed_candidate: Vec<(String, String)>,
    pub train: usize,
    pub val: Option<usize>,
    pub mb: usize,
    pub budget: u64,
    pub selector: String,
    pub frontier: Frontier,
    pub skip_perfect: bool,
    pub module: Components,
    pub merge: bool,
    pub max_merges: u64,
    pub overlap: usize,
    pub cache: bool,
    pub accept: Acceptance,
    pub seed: u64,
    pub levels: u64,
}

impl Case {
    pub fn read(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
        serde_json::from_str(&text).map_err(|error| error.to_string())
    }

    pub fn engine<R: Random>(&self, random: R) -> Result<Engine<R>, String> {
        let seed = Candidate::new(self.config.seed_candidate.clone()).map_err(|error| error.to_string())?;
        Engine::with_random(self.config.settings()?, seed, random).map_err(|error| error.to_string())
    }

    pub fn toy(&self) -> Toy {
        Toy::new(self.config.levels, self.config.frontier != Frontier::Instance)
    }
}

impl Config {
    pub fn settings(&self) -> Result<Settings, String> {
        let validation = self.val.map_or(Validation::Shared, Validation::Separate);
        let mut settings = Settings::new(self.train, validation, self.budget);
        settings.seed = self.seed;
        settings.minibatch = self.mb;
        settings.selector = match self.selector.as_str() {
            "pareto" => Selector::Pareto,
            "current_best" => Selector::CurrentBest,
            "epsilon_greedy" => Selector::EpsilonGreedy(0.1),
            "top_k_pareto" => Selector::TopKPareto(5),
            other => return Err(format!("unknown selector `{other}`")),
        };
        settings.frontier = self.frontier;
        settings.components = self.module;
        settings.acceptance = self.accept;
        settings.merging =
            self.merge.then_some(Merging { max_accepted: self.max_merges, overlap_floor: self.overlap });
        settings.skip_at = self.skip_perfect.then_some(1.0);
        settings.cache = self.cache;
        Ok(settings)
    }
}

/// Every case beside this file, generated ones included.
pub fn all() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut files: Vec<PathBuf> = [folder.clone(), folder.join("generated")]
        .iter()
        .filter_map(|folder| std::fs::read_dir(folder).ok())
        .flat_map(|entries| entries.filter_map(|entry| Some(entry.ok()?.path())))
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    files.sort();
    files
}

/// An object as pairs: the order of components is part of the case.
fn in_order<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<(String, String)>, D::Error> {
    struct Pairs;
    impl<'de> Visitor<'de> for Pairs {
        type Value = Vec<(String, String)>;
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("an object of texts")
        }
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut pairs = Vec::new();
            while let Some(pair) = map.next_entry()? {
                pairs.push(pair);
            }
            Ok(pairs)
        }
    }
    from.deserialize_map(Pairs)
}
