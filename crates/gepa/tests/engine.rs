//! What the engine does at its edges, where it differs from the reference on purpose, and in which order it tells.
#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

#[path = "support/task.rs"]
mod task;

use std::collections::BTreeMap;

use gepa::{
    Answer, Engine, Error, Evaluation, Event, Frontier, Overshoot, Proposal, Rejection, Request, Sampling,
    Selection, Settings, Skip, Split, Stopper, Validation,
};
use task::{Task, names, rising, seed};

#[test]
fn an_accepted_iteration_is_told_in_the_order_of_the_reference() {
    let mut settings = Settings::new(1, Validation::Separate(1), 100);
    settings.max_iterations = Some(1);
    let task = Task::new(settings, rising).run();
    let wanted = "valset_evaluated state_saved iteration_start candidate_selected minibatch_sampled \
        evaluation_start evaluation_end budget_updated reflective_dataset_built proposal_start proposal_end \
        evaluation_start evaluation_end budget_updated budget_updated pareto_front_updated valset_evaluated \
        candidate_accepted iteration_end state_saved optimization_end";
    assert_eq!(names(&task.events), wanted.split_whitespace().collect::<Vec<_>>());
}

#[test]
fn a_task_that_reports_no_spend_ends() {
    let mut task = Task::new(Settings::new(1, Validation::Separate(2), 1000), |_, _| 1.0);
    task.metric_calls = Some(0);
    let task = task.run();
    assert_eq!((task.metric_calls(), task.iterations()), (2, 10));
}

#[test]
fn a_budget_below_the_validation_set_pays_the_seed_and_ends() {
    let task = Task::new(Settings::new(1, Validation::Separate(10), 3), rising).run();
    assert_eq!((task.metric_calls(), task.iterations()), (10, 0));
    assert!(matches!(task.events.last(), Some(Event::OptimizationEnd { total_iterations: -1, .. })));
}

#[test]
fn a_run_may_overshoot_unless_told_not_to() {
    let mut settings = Settings::new(3, Validation::Separate(10), 20);
    assert_eq!(Task::new(settings.clone(), rising).run().metric_calls(), 26);
    settings.overshoot = Overshoot::Forbid;
    assert_eq!(Task::new(settings.clone(), rising).run().metric_calls(), 10);
    settings.max_metric_calls = Some(9);
    assert!(matches!(Engine::new(settings, seed()), Err(Error::Setting { name: "max_metric_calls", .. })));
}

#[test]
fn a_run_without_a_bound_is_refused() {
    let mut settings = Settings::new(1, Validation::Shared, 1);
    settings.max_metric_calls = None;
    settings.stoppers = vec![Stopper::Score(1.0)];
    assert!(matches!(Engine::new(settings, seed()), Err(Error::Setting { name: "max_iterations", .. })));
}

#[test]
fn an_answer_that_does_not_fit_changes_nothing() {
    let mut settings = Settings::new(1, Validation::Separate(2), 100);
    settings.frontier = Frontier::Hybrid;
    let mut engine = Engine::new(settings, seed()).unwrap();
    engine.poll().unwrap();
    let before = engine.clone();
    let with = |scores: Vec<f64>| Answer::Evaluations(vec![Evaluation::of_scores(scores)]);
    for (answer, error) in [
        (with(vec![0.5]), Error::Misaligned { field: "outputs", got: 1, wanted: 2 }),
        (with(vec![0.5, 0.5]), Error::NoObjectives { example: 0 }),
        (Answer::Evaluations(vec![]), Error::Unasked("it must have one entry per job")),
        (Answer::Datasets(vec![]), Error::Unasked("it is of another kind")),
    ] {
        assert_eq!(engine.answer(answer), Err(error));
        assert_eq!(engine, before);
    }
}

#[test]
fn a_score_that_is_not_a_number_is_an_error() {
    let mut engine = Engine::new(Settings::new(1, Validation::Separate(2), 100), seed()).unwrap();
    engine.poll().unwrap();
    for bad in [f64::NAN, f64::INFINITY] {
        let answer = Answer::Evaluations(vec![Evaluation::of_scores(vec![0.5, bad])]);
        assert_eq!(engine.answer(answer), Err(Error::NotFinite { example: 1 }));
    }
}

#[test]
fn a_text_for_an_unknown_component_is_an_error() {
    let mut task = Task::new(Settings::new(1, Validation::Separate(1), 100), rising);
    while let Some(request) = task.next() {
        if matches!(request, Request::Propose(_)) {
            break;
        }
        task.answer(&request);
    }
    let texts = BTreeMap::from([("other".to_owned(), String::new())]);
    let answer = Answer::Proposals(vec![Some(Proposal { texts, cost: 0.0 })]);
    assert_eq!(task.engine.answer(answer), Err(Error::UnknownComponent("other".to_owned())));
}

#[test]
fn failed_reflection_ends_the_iteration_quietly() {
    for fail_at_dataset in [true, false] {
        let mut settings = Settings::new(1, Validation::Separate(1), 100);
        settings.max_iterations = Some(3);
        let mut task = Task::new(settings, rising);
        while let Some(request) = task.next() {
            match &request {
                Request::Reflect(_) if fail_at_dataset => {
                    task.engine.answer(Answer::Datasets(vec![None])).unwrap()
                }
                Request::Propose(_) => task.engine.answer(Answer::Proposals(vec![None])).unwrap(),
                Request::Evaluate(_) | Request::Reflect(_) => task.answer(&request),
            }
        }
        assert_eq!((task.iterations(), task.metric_calls()), (3, 1 + 3 * 3));
        assert_eq!(task.engine.pool().members().len(), 1);
    }
}

#[test]
fn without_trajectories_there_is_nothing_to_reflect_on() {
    let mut settings = Settings::new(1, Validation::Separate(1), 100);
    settings.max_iterations = Some(1);
    let mut task = Task::new(settings, rising);
    while let Some(Request::Evaluate(jobs)) = task.next() {
        let given = jobs.iter().map(|job| Evaluation::of_scores(vec![1.0; job.examples.len()]));
        task.engine.answer(Answer::Evaluations(given.collect())).unwrap();
    }
    let skipped =
        |event: &Event| matches!(event, Event::EvaluationSkipped { reason: Skip::NoTrajectories, .. });
    assert!(task.events.iter().any(skipped));
}

#[test]
fn an_abandoned_iteration_goes_on_only_if_it_had_spent() {
    let mut task = Task::new(Settings::new(1, Validation::Separate(1), 100), rising);
    assert!(task.engine.abandon("too early").is_err());
    let request = task.next().unwrap();
    task.answer(&request);
    // The parent's minibatch is paid, its reflection fails.
    let request = task.next().unwrap();
    task.answer(&request);
    assert!(matches!(task.next(), Some(Request::Reflect(_))));
    task.engine.abandon("no model").unwrap();
    assert!(matches!(task.next(), Some(Request::Evaluate(_))), "the next iteration begins");
    task.engine.abandon("no adapter").unwrap();
    assert_eq!(task.next(), None, "nothing was spent, so it would fail again");
}

#[test]
fn a_stop_is_taken_at_the_next_head() {
    let mut task = Task::new(Settings::new(1, Validation::Separate(1), 100), rising);
    for _ in 0..2 {
        let request = task.next().unwrap();
        task.answer(&request);
    }
    task.engine.stop();
    let task = task.run();
    assert_eq!((task.iterations(), task.engine.pool().members().len()), (1, 2), "the iteration was finished");
}

#[test]
fn stoppers_end_a_run() {
    for (stopper, iterations) in [
        (Stopper::Proposals(4), 4),
        (Stopper::Candidates(3), 2),
        (Stopper::ReflectionCost(6.0), 3),
        (Stopper::Score(0.001), 2),
    ] {
        let mut settings = Settings::new(1, Validation::Separate(1), 1000);
        settings.stoppers = vec![stopper.clone()];
        assert_eq!(Task::new(settings, rising).run().iterations(), iterations, "{stopper:?}");
    }
    let mut settings = Settings::new(1, Validation::Separate(1), 1000);
    settings.stoppers = vec![Stopper::NoImprovement(3)];
    assert_eq!(Task::new(settings, |_, _| 0.0).run().iterations(), 3);
}

#[test]
fn an_iteration_with_several_proposals_pays_a_repeated_minibatch_once_and_keeps_what_it_is_told() {
    let mut settings = Settings::new(1, Validation::Separate(1), 1000);
    (settings.minibatch, settings.max_iterations) = (1, Some(1));
    settings.sampling = Sampling::SameParent(3);
    for (selection, members) in
        [(Selection::AllImprovements, 4), (Selection::BestImprovement, 2), (Selection::TopK(2), 3)]
    {
        settings.selection = selection;
        let task = Task::new(settings.clone(), rising).run();
        assert_eq!(task.engine.pool().members().len(), members);
        assert_eq!(task.metric_calls() as usize, 1 + 1 + 3 + (members - 1), "{selection:?}");
        let dropped = task
            .events
            .iter()
            .filter(|event| matches!(event, Event::CandidateRejected { reason: Rejection::NotSelected, .. }));
        assert_eq!(dropped.count(), 4 - members);
        let first = &task.engine.pool().members()[1].candidate;
        let best_first = selection != Selection::AllImprovements;
        assert_eq!(first.text("text"), Some(if best_first { "child 5" } else { "child 3" }));
    }
}

#[test]
fn equal_children_of_one_iteration_enter_once() {
    let mut settings = Settings::new(1, Validation::Separate(1), 1000);
    (settings.minibatch, settings.max_iterations, settings.sampling) = (1, Some(1), Sampling::SameParent(2));
    let mut task = Task::new(settings, rising);
    while let Some(request) = task.next() {
        if let Request::Propose(jobs) = &request {
            let same =
                Proposal { texts: BTreeMap::from([("text".to_owned(), "child 9".to_owned())]), cost: 0.0 };
            task.engine.answer(Answer::Proposals(vec![Some(same); jobs.len()])).unwrap();
        } else {
            task.answer(&request);
        }
    }
    assert_eq!(task.engine.pool().members().len(), 2);
    let duplicate =
        |event: &&Event| matches!(event, Event::CandidateRejected { reason: Rejection::Duplicate, .. });
    assert_eq!(task.events.iter().filter(duplicate).count(), 1);
}

#[test]
fn a_grown_validation_set_is_asked_of_later_children() {
    let mut settings = Settings::new(1, Validation::Separate(1), 1000);
    settings.max_iterations = Some(2);
    let mut task = Task::new(settings, rising);
    let request = task.next().unwrap();
    task.answer(&request);
    task.engine.grow_validation(3);
    task.engine.grow_train(4);
    let task = task.run();
    let covered: Vec<usize> = task.engine.pool().members().iter().map(|member| member.scores.len()).collect();
    assert_eq!(covered, [1, 3, 3]);
}

#[test]
fn a_shared_set_lets_minibatches_answer_validations() {
    let mut settings = Settings::new(2, Validation::Shared, 1000);
    (settings.minibatch, settings.cache, settings.max_iterations) = (2, true, Some(3));
    let mut task = Task::new(settings, rising);
    let mut asked = Vec::new();
    while let Some(request) = task.next() {
        if let Request::Evaluate(jobs) = &request {
            asked.extend(jobs.iter().map(|job| job.split));
        }
        task.answer(&request);
    }
    assert_eq!(asked, [Split::Train; 1 + 3 * 2], "every validation came from the cache");
    assert_eq!(task.engine.pool().members().len(), 4);
}
