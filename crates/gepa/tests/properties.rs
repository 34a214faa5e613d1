//! What holds for every run, whatever its settings.
#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

mod support;

use std::collections::BTreeSet;

use gepa::{
    Acceptance, Candidate, Components, Engine, Event, Frontier, Merging, Overshoot, Sampling, Selection,
    Selector, Settings, Step, Validation, prune, step,
};
use proptest::prelude::*;
use support::toy::Toy;

fn settings() -> impl Strategy<Value = Settings> {
    let sets = (1..7usize, prop::option::of(1..8usize), 1..4usize, 0..160u64, any::<u64>());
    let rules = (
        prop_oneof![
            Just(Selector::Pareto),
            Just(Selector::CurrentBest),
            Just(Selector::EpsilonGreedy(0.5)),
            Just(Selector::TopKPareto(2)),
        ],
        prop_oneof![
            Just(Frontier::Instance),
            Just(Frontier::Objective),
            Just(Frontier::Hybrid),
            Just(Frontier::Cartesian),
        ],
        prop_oneof![
            Just(Sampling::SingleMutation),
            Just(Sampling::SameParent(2)),
            Just(Sampling::Independent(3)),
            Just(Sampling::PxN { parents: 2, each: 2 }),
        ],
        prop_oneof![
            Just(Selection::AllImprovements),
            Just(Selection::BestImprovement),
            Just(Selection::TopK(2))
        ],
    );
    let switches = (any::<bool>(), any::<bool>(), any::<bool>(), prop::option::of(0..6usize), any::<bool>());
    (sets, rules, switches).prop_map(|(sets, rules, switches)| {
        let (train, validation, minibatch, budget, seed) = sets;
        let validation = validation.map_or(Validation::Shared, Validation::Separate);
        let (cache, lateral, all, merging, skip) = switches;
        let mut settings = Settings::new(train, validation, budget);
        (settings.minibatch, settings.seed, settings.cache) = (minibatch, seed, cache);
        (settings.selector, settings.frontier, settings.sampling, settings.selection) = rules;
        settings.merging = merging.map(|overlap_floor| Merging { max_accepted: 3, overlap_floor });
        settings.skip_at = skip.then_some(1.0);
        if lateral {
            settings.acceptance = Acceptance::ImprovementOrEqual;
        }
        if all {
            settings.components = Components::All;
        }
        settings
    })
}

fn begin(settings: &Settings) -> (Engine, Toy) {
    let seed = Candidate::new([("b", "s-b"), ("a", "s-a")]).unwrap();
    (Engine::new(settings.clone(), seed).unwrap(), Toy::new(3, settings.frontier != Frontier::Instance))
}

/// Runs to the end, restoring the engine from text after the steps where `kill` says so.
fn finish(settings: &Settings, mut kill: impl FnMut(usize) -> bool) -> (Engine, Toy, Vec<Event>) {
    let (mut engine, mut toy) = begin(settings);
    let mut events = Vec::new();
    for at in 0.. {
        let done = step(&mut engine, &mut toy).unwrap() == Step::Done;
        if kill(at) {
            engine = serde_json::from_value(serde_json::to_value(&engine).unwrap()).unwrap();
        }
        events.extend(engine.take_events());
        if done {
            break;
        }
    }
    (engine, toy, events)
}

fn accepted(events: &[Event]) -> usize {
    events.iter().filter(|event| matches!(event, Event::CandidateAccepted { .. })).count()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn books_balance(settings in settings()) {
        let (engine, toy, events) = finish(&settings, |_| false);
        let outcome = engine.outcome().unwrap();
        prop_assert_eq!(outcome.metric_calls, toy.examples_scored);
        prop_assert_eq!(engine.pool().members().len(), 1 + accepted(&events));
        prop_assert_eq!(outcome.full_validations as usize, engine.pool().members().len());
        let told = events.iter().map(|event| {
            if let Event::BudgetUpdated { metric_calls_delta, .. } = event { *metric_calls_delta } else { 0 }
        });
        prop_assert_eq!(outcome.metric_calls, told.sum::<u64>() + settings.validation_ids().len() as u64);
        prop_assert!(outcome.iterations <= settings.max_metric_calls.unwrap());
        let means: Vec<f64> = engine.pool().members().iter().map(|member| member.mean()).collect();
        prop_assert!(means.iter().all(|mean| *mean <= outcome.mean));
    }

    #[test]
    fn parents_come_before_children_and_fronts_stay_covered(settings in settings()) {
        let (engine, _, _) = finish(&settings, |_| false);
        let members = engine.pool().members();
        for (number, member) in members.iter().enumerate() {
            prop_assert!(member.parents.iter().all(|parent| *parent < number));
            prop_assert_eq!(member.parents.is_empty(), number == 0);
        }
        let means: Vec<f64> = members.iter().map(|member| member.mean()).collect();
        let fronts = engine.fronts().seen_by(settings.frontier);
        prop_assert!(!fronts.is_empty());
        for (before, after) in fronts.iter().zip(prune(&fronts, &means)) {
            prop_assert!(!after.is_empty() && after.is_subset(before));
        }
        for (example, front) in &engine.fronts().instance {
            let best = members.iter().filter_map(|m| m.scores.get(example)).copied().fold(f64::MIN, f64::max);
            let holders: BTreeSet<usize> =
                (0..members.len()).filter(|at| members[*at].scores.get(example) == Some(&best)).collect();
            prop_assert_eq!((front.best, &front.holders), (best, &holders));
            let kept: BTreeSet<usize> = engine.fronts().best_outputs[example].iter().map(|(at, _)| *at).collect();
            prop_assert_eq!(kept, holders);
        }
    }

    #[test]
    fn killed_anywhere_a_run_ends_the_same(settings in settings(), kills in prop::collection::btree_set(0..60usize, 0..9)) {
        let (whole, _, told) = finish(&settings, |_| false);
        let (resumed, _, told_again) = finish(&settings, |at| kills.contains(&at));
        prop_assert_eq!(whole, resumed);
        prop_assert_eq!(told, told_again);
    }

    #[test]
    fn a_budget_that_must_not_be_exceeded_is_not(mut settings in settings()) {
        settings.overshoot = Overshoot::Forbid;
        prop_assume!(settings.max_metric_calls.unwrap() >= settings.validation_ids().len() as u64);
        let (_, toy, _) = finish(&settings, |_| false);
        prop_assert!(toy.examples_scored <= settings.max_metric_calls.unwrap());
    }
}
