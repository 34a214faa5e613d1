//! Runs among everything else that happens to a store: each can be undone and redone exactly, or is refused and changes
//! nothing.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use reflexio_store::{
    Aggregated, JobEnd, Lease, Lesson, Page, Proposed, Record, RunFilter, Store, Superseded, Undone,
};
use reflexio_types::{
    AgentPlaybook, JobKind, LearningKind, NewJob, OrgId, PlaybookStatus, Run, RunId, RunState, Status,
    UserPlaybook,
};
use serde_json::Value;

use crate::model::{Model, Step, run, step};
use crate::property::holds;
use crate::runs::{aggregated, undo};
use crate::sample::{ALL, a_run, agent_playbooks, at, user_playbook};
use crate::transfer::export;
use crate::workers::claim;

#[derive(Debug, Clone)]
enum Happens {
    Step(Step),
    /// Rules are proposed; one of them may take the place of a pending one, and another may be outdated.
    Aggregation {
        texts: Vec<String>,
        replaced: Option<Index>,
        outdated: Option<Index>,
    },
    /// Pending rows of a user take the place of those of an earlier rerun, in two steps.
    Rerun {
        user: String,
        texts: Vec<String>,
    },
    /// The rows of a moment ago come back, if they are not there.
    Import,
}

fn happens() -> impl Strategy<Value = Happens> {
    let text =
        || vec(prop::sample::select(vec!["apple", "pear", "東京"]), 0..3).prop_map(|words| words.join(" "));
    let pick = || prop::option::of(any::<Index>());
    prop_oneof![
        10 => step().prop_map(Happens::Step),
        2 => (vec(text(), 0..3), pick(), pick())
            .prop_map(|(texts, replaced, outdated)| Happens::Aggregation { texts, replaced, outdated }),
        2 => (prop::sample::select(vec!["u0", "u1"]), vec(text(), 0..3))
            .prop_map(|(user, texts)| Happens::Rerun { user: user.to_owned(), texts }),
        1 => Just(Happens::Import),
    ]
}

pub fn undoing_and_redoing_runs_restores_every_row<G, S: Store>(make: impl AsyncFnOnce() -> (G, S)) {
    holds(make, 60, &vec(happens(), 1..25), &follow);
}

async fn follow(store: &dyn Store, org: &OrgId, all: Vec<Happens>) {
    let mut model = Model::default();
    let mut earlier = Vec::new();
    for happens in &all {
        let (before, known) = (learned(store, org).await, newest(store, org).await);
        carry_out(store, org, &mut model, happens, &earlier).await;
        if let Some(new) = newest(store, org).await.filter(|run| known.as_ref() != Some(run)) {
            let after = learned(store, org).await;
            let undone = undo(store, org, &new).await;
            assert_eq!(learned(store, org).await, before, "{happens:?} was not undone exactly");
            undo(store, org, &undone.id).await;
            assert_eq!(learned(store, org).await, after, "{happens:?} was not redone exactly");
        }
        earlier = before;
    }
    undo_all(store, org).await;
}

async fn carry_out(store: &dyn Store, org: &OrgId, model: &mut Model, happens: &Happens, earlier: &[Record]) {
    match happens {
        Happens::Step(step) => return run(store, org, model, step).await,
        Happens::Aggregation { texts, replaced, outdated } => {
            aggregate(store, org, texts, replaced.as_ref(), outdated.as_ref()).await;
        }
        Happens::Rerun { user, texts } => rerun(store, org, user, texts).await,
        // What was edited since is another row of the same id; then nothing at all is imported.
        Happens::Import => drop(store.import(org, earlier.to_vec(), &a_run(), at(9)).await),
    }
    model.reload_learned(store, org).await;
}

async fn aggregate(
    store: &dyn Store,
    org: &OrgId,
    texts: &[String],
    replaced: Option<&Index>,
    outdated: Option<&Index>,
) {
    let mut waiting = agent_playbooks(store, org).await;
    waiting.retain(|row| row.status == Status::Current && row.playbook_status == PlaybookStatus::Pending);
    let mut take = |pick: Option<&Index>| -> Option<AgentPlaybook> {
        let at = pick.filter(|_| !waiting.is_empty())?.index(waiting.len());
        Some(waiting.remove(at))
    };
    let mut step = aggregated(0, texts, a_run());
    step.revision = store.clustering(org, &step.scope).await.unwrap().revision;
    if let Some(Proposed { replaces, .. }) = step.proposed.first_mut() {
        *replaces = take(replaced);
    }
    let step = Aggregated { outdated: take(outdated).into_iter().collect(), ..step };
    let lease = lease(store, org, JobKind::Aggregate).await;
    store.aggregate(&lease, step, at(9)).await.unwrap();
}

async fn rerun(store: &dyn Store, org: &OrgId, user: &str, texts: &[String]) {
    let lease = lease(store, org, JobKind::Rerun).await;
    let run = a_run();
    let old = Superseded { kind: LearningKind::UserPlaybook, status: Status::Pending, agent_version: None };
    for (superseded, end) in [(vec![old], JobEnd::GoesOn), (Vec::new(), JobEnd::Done)] {
        let row = |text: &String| {
            let mut row = UserPlaybook { status: Status::Pending, ..user_playbook(user, 9, text) };
            row.body.learned_by = Some("builtin".to_owned());
            row
        };
        let lesson = Lesson {
            user_id: Some(user.into()),
            superseded,
            user_playbooks: texts.iter().map(row).collect(),
            run: Some(run.clone()),
            end,
            ..Lesson::default()
        };
        store.learn(&lease, lesson, at(9)).await.unwrap();
    }
}

async fn lease(store: &dyn Store, org: &OrgId, kind: JobKind) -> Lease {
    store.enqueue(org, vec![NewJob::new(kind, Value::Null)], at(1)).await.unwrap();
    let claimed = claim(store, 2, ALL).await;
    claimed.into_iter().find(|claimed| claimed.lease.org == *org).unwrap().lease
}

/// Whatever happened since: a run is undone and redone exactly, or refused without a trace.
async fn undo_all(store: &dyn Store, org: &OrgId) {
    let (runs, _) = store.runs(org, &RunFilter::default(), Page::first(ALL)).await.unwrap();
    let standing = |run: &&Run| run.state == RunState::Done;
    for run in runs.iter().rev().filter(standing) {
        let before = learned(store, org).await;
        let plan = store.undo_plan(org, &run.id).await.unwrap().unwrap();
        match store.undo_run(org, &run.id, &a_run(), at(40)).await.unwrap() {
            Undone::Done(done) => {
                assert_eq!(plan.refusal, None, "{run:?}");
                undo(store, org, &done.id).await;
            }
            Undone::Refused(refusal) => assert_eq!(plan.refusal, Some(refusal), "{run:?}"),
            Undone::Unknown => assert_eq!(None, Some(run), "it is gone"),
        }
        assert_eq!(learned(store, org).await, before, "{run:?}");
    }
}

async fn newest(store: &dyn Store, org: &OrgId) -> Option<RunId> {
    let (runs, _) = store.runs(org, &RunFilter::default(), Page::first(1)).await.unwrap();
    runs.into_iter().next().map(|run| run.id)
}

/// The rows that runs change, whole and in the order in which they are stored.
async fn learned(store: &dyn Store, org: &OrgId) -> Vec<Record> {
    let is_learned = |record: &Record| {
        matches!(record, Record::Profile(_) | Record::UserPlaybook(_) | Record::AgentPlaybook(_))
    };
    export(store, org).await.into_iter().filter(is_learned).collect()
}
