//! A store compared with lists in memory, step by step.

mod compare;
mod meaning;
mod run;
mod steps;

use std::collections::BTreeMap;

use proptest::collection::vec;
use reflexio_store::{Record, Store};
use reflexio_types::{AgentPlaybook, Interaction, OrgId, Profile, Request, UserPlaybook};

use crate::property::{for_each, holds, runtime};
use crate::sample::{a_run, at, everything, settle};
use crate::transfer::export;

pub(crate) use self::run::run;
pub(crate) use self::steps::{Step, step};

/// What a store holds of one org, in the order of arrival.
#[derive(Debug, Default)]
pub(crate) struct Model {
    requests: Vec<Request>,
    interactions: Vec<Interaction>,
    profiles: Vec<Profile>,
    user_playbooks: Vec<UserPlaybook>,
    agent_playbooks: Vec<AgentPlaybook>,
}

impl Model {
    /// The learned rows as the store has them, after something that this model does not know.
    pub(crate) async fn reload_learned(&mut self, store: &dyn Store, org: &OrgId) {
        (self.profiles, self.user_playbooks, self.agent_playbooks) = Default::default();
        for record in export(store, org).await {
            match record {
                Record::Profile(row) => self.profiles.push(row),
                Record::UserPlaybook(row) => self.user_playbooks.push(row),
                Record::AgentPlaybook(row) => self.agent_playbooks.push(row),
                Record::Image { .. }
                | Record::Request(_)
                | Record::Interaction(_)
                | Record::AgentPlaybookRevision(_)
                | Record::SessionOutcome(_)
                | Record::Evaluation(_)
                | Record::LearningEvaluation(_)
                | Record::ShadowComparison(_)
                | Record::Injection(_)
                | Record::Config { .. } => {}
            }
        }
    }

    /// How many turns show which image.
    fn images(&self) -> BTreeMap<String, usize> {
        let mut shown = BTreeMap::new();
        for image in self.interactions.iter().filter_map(|row| row.turn.image.as_ref()) {
            *shown.entry(image.id.as_str().to_owned()).or_default() += 1;
        }
        shown
    }

    fn drop_requests(&mut self, gone: impl Fn(&Request) -> bool) -> u64 {
        let before = self.requests.len();
        let (lost, kept) = std::mem::take(&mut self.requests).into_iter().partition(|request| gone(request));
        self.requests = kept;
        let lost: Vec<Request> = lost;
        self.interactions.retain(|row| lost.iter().all(|request| request.id != row.request_id));
        (before - self.requests.len()) as u64
    }
}

pub fn a_store_behaves_like_plain_lists<G, S: Store>(make: impl AsyncFnOnce() -> (G, S)) {
    holds(make, 40, &vec(step(), 1..25), &follow);
}

async fn follow(store: &dyn Store, org: &OrgId, steps: Vec<Step>) {
    let neighbour = OrgId::new(format!("neighbour of {org}"));
    settle(store, &neighbour).await;
    let before = everything(store, &neighbour).await;
    let mut model = Model::default();
    store.use_model(Some(&crate::embedding::model())).await.unwrap();
    for step in steps {
        run(store, org, &mut model, &step).await;
        compare::compare(store, org, &model, &step).await;
        meaning::compare(store, org, &model, &step).await;
    }
    assert_eq!(everything(store, &neighbour).await, before, "the neighbour was touched");
}

/// Runs steps in one store and moves the outcome to another.
pub fn an_export_imported_elsewhere_exports_the_same<G, S, F>(make: F)
where
    S: Store,
    F: AsyncFn() -> (G, S),
{
    let runtime = runtime();
    for_each(12, &vec(step(), 1..25), |steps| runtime.block_on(move_over(&make, steps)));
}

async fn move_over<G, S: Store>(make: &impl AsyncFn() -> (G, S), steps: Vec<Step>) {
    let org = OrgId::new("moved");
    let (_old_guard, old) = make().await;
    let mut model = Model::default();
    for step in steps {
        run(&old, &org, &mut model, &step).await;
    }
    let records = export(&old, &org).await;
    let (_new_guard, new) = make().await;
    assert_eq!(new.import(&org, records.clone(), &a_run(), at(9)).await.unwrap(), records.len() as u64);
    assert_eq!(export(&new, &org).await, records);
    compare::compare(&new, &org, &model, &"import").await;
    assert_eq!(new.import(&org, records, &a_run(), at(9)).await.unwrap(), 0, "everything was there already");
    assert_eq!(new.check_integrity().await.unwrap().problems, Vec::<String>::new());
}
