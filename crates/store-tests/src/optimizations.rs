use reflexio_store::{
    AgentPlaybookChange, AgentPlaybookFilter, Error, Lease, OptimizationEnd, OptimizationFilter,
    OptimizationStep, Page, Store, Successor, Undone, UserPlaybookFilter,
};
use reflexio_types::{
    AgentPlaybook, AgentPlaybookId, CandidateFate, JobKind, JobProgress, JobState, NewJob, Optimization,
    OptimizationBody, OptimizationCandidate, OptimizationId, OptimizationPurpose, OptimizationState,
    OptimizationTarget, OptimizationTrial, OptimizationWindow, OrgId, PlaybookStatus, RolloutMessage, Status,
    UserPlaybookId, WindowRole,
};
use serde_json::{Value, json};

use crate::sample::{
    ALL, a_run, acme, add_agent_playbooks, add_user_playbooks, agent_playbook, at, other, user_playbook,
};
use crate::workers::{claim_one, job};

fn run_of(target: OptimizationTarget, users: &[&str], second: i64) -> Optimization {
    let window = |user: &&str| OptimizationWindow {
        user_playbook_id: UserPlaybookId(5),
        user_id: (*user).into(),
        request_id: "r1".into(),
        interaction_ids: Vec::new(),
        role: WindowRole::Validation,
    };
    Optimization {
        id: OptimizationId(0),
        purpose: OptimizationPurpose::Wording,
        target,
        state: OptimizationState::Queued,
        job_id: None,
        successor: None,
        created_at: at(second),
        finished_at: None,
        body: OptimizationBody {
            incumbent: "old words".to_owned(),
            trigger: "refunds".to_owned(),
            windows: users.iter().map(window).collect(),
            policy: json!({"max_turns": 4}),
            estimate: json!({}),
            warnings: vec!["careful".to_owned()],
            decision: None,
            report: None,
        },
    }
}

fn new_job() -> NewJob {
    NewJob::new(JobKind::Optimize, Value::Null)
}

async fn start(store: &dyn Store, org: &OrgId, target: i64, users: &[&str], second: i64) -> Optimization {
    let target = OptimizationTarget::AgentPlaybook(AgentPlaybookId(target));
    store.start_optimization(org, run_of(target, users, second), new_job()).await.unwrap()
}

fn candidate(number: u32, fate: CandidateFate) -> OptimizationCandidate {
    let (content, scores) = (format!("words {number}"), [(0, 0.75)].into());
    OptimizationCandidate { number, content, parents: vec![0], mean: Some(0.75), scores, fate }
}

fn step(run: &str, events: usize) -> OptimizationStep {
    OptimizationStep {
        run: run.to_owned(),
        candidates: vec![candidate(1, CandidateFate::Accepted)],
        trials: vec![OptimizationTrial {
            candidate: 1,
            window: 0,
            incumbent_rollout: vec![RolloutMessage::user("where is it?")],
            candidate_rollout: vec![RolloutMessage::assistant("here")],
            judgement: None,
        }],
        events: (0..events).map(|number| json!({"step": {"number": number}})).collect(),
        progress: JobProgress { done: 3, total: Some(20), message: None },
    }
}

fn end(state: OptimizationState, successor: Option<Successor>) -> OptimizationEnd {
    let target = OptimizationTarget::AgentPlaybook(AgentPlaybookId(0));
    let body = OptimizationBody { decision: Some("because".to_owned()), ..run_of(target, &["ann"], 1).body };
    OptimizationEnd {
        state,
        body,
        candidates: vec![candidate(1, CandidateFate::Winner)],
        successor,
        run: a_run(),
    }
}

async fn pending(store: &dyn Store, content: &str) -> AgentPlaybook {
    let row =
        AgentPlaybook { playbook_status: PlaybookStatus::Pending, ..agent_playbook("general", 3, content) };
    add_agent_playbooks(store, &acme(), &[row]).await.remove(0)
}

fn reworded(rule: &AgentPlaybook, content: &str) -> Successor {
    let mut row = AgentPlaybook { id: AgentPlaybookId(0), created_at: at(9), ..rule.clone() };
    row.body.content = content.to_owned();
    Successor::Agent { row: Box::new(row), replaces: Box::new(rule.clone()) }
}

async fn rule(store: &dyn Store, id: AgentPlaybookId) -> AgentPlaybook {
    let filter = AgentPlaybookFilter { id: Some(id), ..AgentPlaybookFilter::default() };
    store.agent_playbooks(&acme(), &filter, 1).await.unwrap().remove(0)
}

async fn listed(store: &dyn Store, org: &OrgId, filter: &OptimizationFilter) -> Vec<Optimization> {
    store.optimizations(org, filter, Page::first(ALL)).await.unwrap().0
}

pub async fn a_run_is_stored_with_its_job_and_one_at_a_time(store: &dyn Store) {
    let run = start(store, &acme(), 7, &["ann", "bob"], 1).await;
    assert_eq!(store.optimization(&acme(), run.id).await.unwrap().as_ref(), Some(&run));
    assert_eq!(job(store, run.job_id.unwrap()).await.state, JobState::Queued);
    let again = store.start_optimization(&acme(), run_of(run.target, &["ann"], 2), new_job()).await;
    let named = run.id.to_string();
    assert!(
        matches!(&again, Err(Error::Duplicate { what: "optimization", id }) if *id == named),
        "{again:?}"
    );
    assert_eq!(store.job_counts().await.unwrap().queued, 1, "a refused run leaves no job");
    start(store, &acme(), 8, &["ann"], 2).await;
    start(store, &other(), 7, &["ann"], 2).await;
    let closed =
        store.close_optimization(&acme(), run.id, OptimizationState::Failed, "why", at(3)).await.unwrap();
    let closed = closed.unwrap();
    assert_eq!((closed.state, closed.finished_at), (OptimizationState::Failed, Some(at(3))));
    assert_eq!(closed.body.decision.as_deref(), Some("why"));
    let late =
        store.close_optimization(&acme(), run.id, OptimizationState::Cancelled, "late", at(4)).await.unwrap();
    assert_eq!(late, Some(closed), "what is over stays as it is");
    start(store, &acme(), 7, &["ann"], 5).await;
}

pub async fn a_step_is_stored_under_the_lease_or_not_at_all(store: &dyn Store) {
    let run = start(store, &acme(), 7, &["ann"], 1).await;
    let old = claim_one(store, 2).await.lease;
    store.advance_optimization(&old, run.id, step("one", 2), at(3)).await.unwrap();
    let new = claim_one(store, 1_000).await.lease;
    let refused = store.advance_optimization(&old, run.id, step("late", 1), at(1_001)).await;
    assert!(matches!(refused, Err(Error::LostLease(_))), "{refused:?}");
    store.advance_optimization(&new, run.id, step("two", 1), at(1_002)).await.unwrap();
    let (found, stored) = store.optimization_of_job(&acme(), new.job).await.unwrap().unwrap();
    assert_eq!((found.state, stored.as_deref()), (OptimizationState::Running, Some("two")));
    assert_eq!(store.optimization_candidates(&acme(), run.id).await.unwrap(), step("", 0).candidates);
    assert_eq!(store.optimization_trials(&acme(), run.id).await.unwrap(), step("", 0).trials);
    let events = store.optimization_events(&acme(), run.id, 0, ALL).await.unwrap();
    assert_eq!(events.iter().map(|event| event.number).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!((events[2].at, &events[0].body), (at(1_002), &json!({"step": {"number": 0}})));
    assert_eq!(store.optimization_events(&acme(), run.id, 1, 1).await.unwrap(), events[1..2]);
    assert_eq!(job(store, new.job).await.progress.unwrap().done, 3);
    assert_eq!(store.check_integrity().await.unwrap().problems, Vec::<String>::new());
}

pub async fn a_run_ends_with_its_successor_and_its_job(store: &dyn Store) {
    let before = pending(store, "old words").await;
    let run = start(store, &acme(), before.id.0, &["ann"], 1).await;
    let lease = claim_one(store, 2).await.lease;
    let end = end(OptimizationState::Committed, Some(reworded(&before, "new words")));
    let name = end.run.id.clone();
    let ended = store.end_optimization(&lease, run.id, end, at(9)).await.unwrap();
    let successor = AgentPlaybookId(ended.successor.unwrap().id());
    assert_eq!((ended.state, ended.finished_at), (OptimizationState::Committed, Some(at(9))));
    assert_eq!(job(store, lease.job).await.state, JobState::Done);
    let after = rule(store, successor).await;
    assert_eq!((after.body.content.as_str(), after.playbook_status), ("new words", PlaybookStatus::Pending));
    let replaced = rule(store, before.id).await;
    assert_eq!((replaced.status, replaced.body.superseded_by), (Status::Superseded, Some(successor)));
    assert_eq!(store.optimization_of_job(&acme(), lease.job).await.unwrap().unwrap().1, None);
    let undone = store.undo_run(&acme(), &name, &a_run(), at(10)).await.unwrap();
    assert!(matches!(undone, Undone::Done(_)), "{undone:?}");
    assert_eq!(rule(store, before.id).await, before, "the old wording is back");
    assert_eq!(store.check_integrity().await.unwrap().problems, Vec::<String>::new());
}

pub async fn a_rule_that_was_touched_meanwhile_stays_and_nothing_is_stored(store: &dyn Store) {
    let approve = AgentPlaybookChange {
        playbook_status: Some(PlaybookStatus::Approved),
        ..AgentPlaybookChange::default()
    };
    let edit = AgentPlaybookChange { content: Some("edited".to_owned()), ..AgentPlaybookChange::default() };
    for change in [approve, edit] {
        let before = pending(store, "old words").await;
        let run = start(store, &acme(), before.id.0, &["ann"], 1).await;
        let lease: Lease = claim_one(store, 2).await.lease;
        let changed =
            store.update_agent_playbook(&acme(), before.id, &change, None, at(3)).await.unwrap().unwrap();
        let refused = end(OptimizationState::Committed, Some(reworded(&before, "new words")));
        let refused = store.end_optimization(&lease, run.id, refused, at(4)).await;
        assert!(matches!(refused, Err(Error::Changed { .. })), "{refused:?}");
        assert_eq!(rule(store, before.id).await, changed);
        assert_eq!(job(store, lease.job).await.state, JobState::Running);
        let unchanged = end(OptimizationState::Unchanged, None);
        store.end_optimization(&lease, run.id, unchanged, at(5)).await.unwrap();
        assert_eq!(job(store, lease.job).await.state, JobState::Done);
        store
            .delete_agent_playbooks(&acme(), &reflexio_store::AgentPlaybookSelector::All, at(6))
            .await
            .unwrap();
    }
}

pub async fn a_user_playbook_gives_way_to_its_better_wording(store: &dyn Store) {
    let before = add_user_playbooks(store, &acme(), &[user_playbook("ann", 2, "old words")]).await.remove(0);
    let target = OptimizationTarget::UserPlaybook(before.id);
    let run = store.start_optimization(&acme(), run_of(target, &["ann"], 1), new_job()).await.unwrap();
    let lease = claim_one(store, 2).await.lease;
    let mut row = before.clone();
    (row.id, row.body.content) = (UserPlaybookId(0), "new words".to_owned());
    let successor = Successor::User { row: Box::new(row), replaces: Box::new(before.clone()) };
    let end = end(OptimizationState::Committed, Some(successor));
    let ended = store.end_optimization(&lease, run.id, end, at(9)).await.unwrap();
    let successor = UserPlaybookId(ended.successor.unwrap().id());
    let of = |id| UserPlaybookFilter { id: Some(id), ..UserPlaybookFilter::default() };
    let after = store.user_playbooks(&acme(), &of(successor), 1).await.unwrap().remove(0);
    assert_eq!((after.body.content.as_str(), after.status), ("new words", Status::Current));
    let replaced = store.user_playbooks(&acme(), &of(before.id), 1).await.unwrap().remove(0);
    assert_eq!((replaced.status, replaced.body.superseded_by), (Status::Superseded, Some(successor)));
}

pub async fn runs_are_listed_newest_first_by_each_filter_and_in_pages(store: &dyn Store) {
    let one = start(store, &acme(), 1, &["ann"], 1).await;
    let two = start(store, &acme(), 2, &["ann"], 2).await;
    store.close_optimization(&acme(), one.id, OptimizationState::Failed, "why", at(3)).await.unwrap();
    let three = start(store, &acme(), 1, &["ann"], 3).await;
    let ids = |runs: Vec<Optimization>| runs.into_iter().map(|run| run.id).collect::<Vec<_>>();
    let every = OptimizationFilter::default();
    assert_eq!(ids(listed(store, &acme(), &every).await), [three.id, two.id, one.id]);
    let of_target = OptimizationFilter { target: Some(one.target), ..every.clone() };
    assert_eq!(ids(listed(store, &acme(), &of_target).await), [three.id, one.id]);
    let failed = OptimizationFilter { state: Some(OptimizationState::Failed), ..every.clone() };
    assert_eq!(ids(listed(store, &acme(), &failed).await), [one.id]);
    let lift = Optimization { purpose: OptimizationPurpose::Lift, ..run_of(one.target, &["ann"], 4) };
    let lift = store.start_optimization(&acme(), lift, new_job()).await.unwrap();
    let lifts = OptimizationFilter { purpose: Some(OptimizationPurpose::Lift), ..of_target.clone() };
    assert_eq!(ids(listed(store, &acme(), &lifts).await), [lift.id]);
    let every = OptimizationFilter { purpose: Some(OptimizationPurpose::Wording), ..every };
    let (page, more) = store.optimizations(&acme(), &every, Page { limit: 1, offset: 1 }).await.unwrap();
    assert_eq!((ids(page), more), (vec![two.id], true));
}

pub async fn an_erased_user_takes_the_runs_along_that_replayed_them(store: &dyn Store) {
    let with_ann = start(store, &acme(), 1, &["bob", "ann"], 1).await;
    let lease = claim_one(store, 2).await.lease;
    store.advance_optimization(&lease, with_ann.id, step("one", 1), at(3)).await.unwrap();
    let without = start(store, &acme(), 2, &["bob"], 4).await;
    assert_eq!(store.clear_user(&acme(), &"ann".into()).await.unwrap().optimizations, 1);
    assert_eq!(store.optimization(&acme(), with_ann.id).await.unwrap(), None);
    assert_eq!(store.optimization_trials(&acme(), with_ann.id).await.unwrap(), []);
    assert_eq!(store.optimization_events(&acme(), with_ann.id, 0, ALL).await.unwrap(), []);
    let refused = store.advance_optimization(&lease, with_ann.id, step("two", 1), at(5)).await;
    assert!(matches!(refused, Err(Error::LostLease(_))), "{refused:?}");
    assert!(store.optimization(&acme(), without.id).await.unwrap().is_some());
    assert_eq!(store.check_integrity().await.unwrap().problems, Vec::<String>::new());
}

pub async fn runs_of_another_org_are_neither_seen_nor_touched(store: &dyn Store) {
    let run = start(store, &acme(), 1, &["ann"], 1).await;
    let lease = claim_one(store, 2).await.lease;
    store.advance_optimization(&lease, run.id, step("one", 1), at(3)).await.unwrap();
    assert_eq!(store.optimization(&other(), run.id).await.unwrap(), None);
    assert_eq!(store.optimization_of_job(&other(), lease.job).await.unwrap(), None);
    assert_eq!(listed(store, &other(), &OptimizationFilter::default()).await, []);
    assert_eq!(store.optimization_candidates(&other(), run.id).await.unwrap(), []);
    assert_eq!(store.optimization_trials(&other(), run.id).await.unwrap(), []);
    assert_eq!(store.optimization_events(&other(), run.id, 0, ALL).await.unwrap(), []);
    let closed =
        store.close_optimization(&other(), run.id, OptimizationState::Failed, "why", at(4)).await.unwrap();
    assert_eq!(closed, None);
    let foreign = Lease { org: other(), ..lease };
    assert!(store.advance_optimization(&foreign, run.id, step("two", 1), at(5)).await.is_err());
    store.clear_user(&other(), &"ann".into()).await.unwrap();
    assert!(store.optimization(&acme(), run.id).await.unwrap().is_some());
}
