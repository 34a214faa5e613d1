//! 2,000 configurations that nobody chose, against what the executable specification of the reference does with them.
//!
//! `cases/random-configurations.txt` has one line for each: its number, and the beginning of the SHA-256 of the whole run as JSON
//! (events, adapter calls, pool, discovery counts, metric calls; keys sorted). The configuration follows from the number. The
//! numbers that are missing end in the specification's own error, weights that are all zero. Draws are those of CPython's generator
//! from the list in the order of the reference, each holder's tickets together.
#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

mod support;

use std::fmt::Write;

use gepa::{Acceptance, Components, Engine, Event, Frontier, Mt19937, run};
use serde_json::json;
use sha2::{Digest, Sha256};
use support::case::{Case, Config};
use support::compare::recorded;
use support::toy::fnv;

const RUNS: &str = include_str!("cases/random-configurations.txt");

/// The configuration of a number, the same in whatever language it is computed.
fn config(number: usize) -> Config {
    let hash = |field: &str| fnv(&format!("{number}|{field}")) >> 13;
    let small = |field: &str, below: u64| usize::try_from(hash(field) % below).unwrap();
    // Crossings need many validated examples in common and a long run.
    let heavy = number.is_multiple_of(4);
    let components = if heavy { 2 + small("components", 2) } else { 1 + small("components", 3) };
    let text = |name: &str| (name.to_owned(), format!("{name}{}", hash(&format!("text{name}")) % 1000));
    let validation = match (heavy, hash("shared").is_multiple_of(4)) {
        (true, _) => Some(5 + small("val", 4)),
        (false, true) => None,
        (false, false) => Some(1 + small("val", 8)),
    };
    Config {
        seed_candidate: ["a", "b", "c"].into_iter().take(components).map(text).collect(),
        train: 1 + small("train", 6),
        val: validation,
        mb: 1 + small("mb", 4),
        budget: if heavy { 100 } else { 5 } + hash("budget") % 76,
        selector: ["pareto", "current_best", "epsilon_greedy", "top_k_pareto"][small("selector", 4)]
            .to_owned(),
        frontier: [Frontier::Instance, Frontier::Objective, Frontier::Hybrid, Frontier::Cartesian]
            [small("frontier", 4)],
        skip_perfect: hash("skip").is_multiple_of(2),
        module: [Components::RoundRobin, Components::All][small("module", 2)],
        merge: heavy || hash("merge").is_multiple_of(2),
        max_merges: 1 + hash("merges") % 5,
        overlap: 1 + small("overlap", 5),
        cache: hash("cache").is_multiple_of(2),
        accept: [Acceptance::StrictImprovement, Acceptance::ImprovementOrEqual][small("accept", 2)],
        seed: hash("seed") % (1 << 32),
        levels: [2, 3, 5, 9][small("levels", 4)],
    }
}

fn digest(number: usize) -> String {
    let config = config(number);
    let case =
        Case { config, tape: Vec::new(), events: Vec::new(), adapter_calls: Vec::new(), result: json!({}) };
    let mut engine: Engine = case.engine(Mt19937::new(case.config.seed)).unwrap();
    let mut toy = case.toy();
    let mut events: Vec<Event> = Vec::new();
    run(&mut engine, &mut toy, |event| events.push(event.clone())).unwrap();
    let events: Vec<_> = events.iter().filter_map(recorded).collect();
    let members = engine.pool().members();
    let pool: Vec<_> = members.iter().map(|member| member.candidate.to_map()).collect();
    let discovered: Vec<_> = members.iter().map(|member| member.discovered_at).collect();
    let spent = engine.outcome().unwrap().metric_calls;
    let trace = json!([events, toy.calls, pool, discovered, spent]).to_string();
    Sha256::digest(trace.as_bytes()).iter().take(8).fold(String::new(), |mut hex, byte| {
        write!(hex, "{byte:02x}").unwrap();
        hex
    })
}

#[test]
fn two_thousand_random_configurations_run_as_the_specification_does() {
    let mut checked = 0;
    for line in RUNS.lines() {
        let (number, wanted) = line.split_once(' ').unwrap();
        let number: usize = number.parse().unwrap();
        assert_eq!(digest(number), wanted, "configuration {number}: {:?}", config(number));
        checked += 1;
    }
    assert_eq!(checked, 2_000);
}
