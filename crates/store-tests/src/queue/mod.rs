//! Several workers on one queue, in any order, with crashes; compared with a plain list of jobs.

mod model;
mod run;
mod steps;

use proptest::collection::vec;
use reflexio_store::{JobFilter, Page, Store};
use reflexio_types::{Job, JobState, OrgId};

use self::model::Model;
use self::run::run;
use self::steps::{Step, step};
use crate::property::{for_each, runtime};
use crate::sample::ALL;

pub fn no_interleaving_loses_a_job_or_runs_two_of_a_lane<G, S, F>(make: F)
where
    S: Store,
    F: AsyncFn() -> (G, S),
{
    let runtime = runtime();
    for_each(60, &vec(step(), 1..60), |steps| runtime.block_on(follow(&make, steps)));
}

async fn follow<G, S: Store>(make: &impl AsyncFn() -> (G, S), steps: Vec<Step>) {
    let (_guard, store) = make().await;
    let mut model = Model::default();
    for step in &steps {
        run(&store, &mut model, step).await;
        compare(&store, &model, step).await;
    }
    drain(&store, &mut model).await;
    assert_eq!(store.check_integrity().await.unwrap().problems, Vec::<String>::new());
}

/// Whatever happened before, every job comes to an end once somebody works.
async fn drain(store: &dyn Store, model: &mut Model) {
    for _ in 0..ALL {
        if model.jobs.iter().all(|job| job.state.is_over()) {
            return;
        }
        for step in [Step::Pass(1000), Step::ClaimAll, Step::CompleteAll] {
            run(store, model, &step).await;
            compare(store, model, &step).await;
        }
    }
    assert!(model.jobs.iter().all(|job| job.state.is_over()), "some jobs are stuck: {:?}", model.jobs);
}

async fn compare(store: &dyn Store, model: &Model, step: &Step) {
    for org in Model::orgs() {
        let (stored, _) = store.jobs(&org, &JobFilter::default(), Page::first(ALL)).await.unwrap();
        let expected: Vec<_> = model.of_org(&org).rev().map(model::Expected::summary).collect();
        let found: Vec<_> = stored.iter().map(|job| summary(&org, job)).collect();
        assert_eq!(found, expected, "after {step:?}");
        for lane in stored.iter().filter_map(|job| job.lane.as_ref()) {
            let running = |job: &&Job| job.state == JobState::Running && job.lane.as_ref() == Some(lane);
            assert!(stored.iter().filter(running).count() <= 1, "two of lane `{lane}` after {step:?}");
        }
    }
}

fn summary(org: &OrgId, job: &Job) -> model::Summary {
    model::Summary {
        id: job.id,
        org: org.clone(),
        state: job.state,
        attempts: job.attempts,
        run_after: job.run_after,
        lease_until: job.lease_until,
        cancel_asked: job.cancel_asked,
    }
}
