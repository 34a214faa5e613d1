use reflexio_store::{
    AgentPlaybookChange, Aggregated, AggregationScope, JobEnd, Lesson, Page, Proposed, RunFilter, RunStart,
    Store, Undone, UserPlaybookChange, UserPlaybookSelector,
};
use reflexio_types::{
    AgentPlaybook, BlockReason, JobKind, LineageAction, LineageSubject, NewJob, OrgId, PlaybookStatus,
    Profile, Run, RunAction, RunChange, RunId, RunKind, RunLoss, RunState, Status, UndoRefusal, UserPlaybook,
};
use serde_json::{Value, json};

use crate::sample::{
    ALL, a_run, acme, add_agent_playbooks, add_profiles, add_user_playbooks, agent_playbook, agent_playbooks,
    at, everything, other, profile, profiles, settle, user_playbook, user_playbooks,
};
use crate::transfer::export;
use crate::workers::{claim_one, enqueue};

fn with(status: Status, row: Profile) -> Profile {
    Profile { status, ..row }
}

/// One profile in each state that an upgrade moves.
async fn three_states(store: &dyn Store) {
    let rows = [
        with(Status::Current, profile("now", "ann", 1, "likes tea")),
        with(Status::Pending, profile("next", "ann", 2, "likes coffee")),
        with(Status::Archived, profile("past", "ann", 3, "likes milk")),
    ];
    add_profiles(store, &acme(), &rows).await;
}

async fn upgraded(store: &dyn Store) -> RunStart {
    let run = a_run();
    store.upgrade_profiles(&acme(), None, false, &run, at(20)).await.unwrap();
    run
}

async fn stored(store: &dyn Store, id: &RunId) -> Run {
    store.run(&acme(), id).await.unwrap().unwrap()
}

async fn changes(store: &dyn Store, id: &RunId) -> Vec<RunChange> {
    store.run_changes(&acme(), id, Page::first(ALL)).await.unwrap().0
}

fn undoing() -> RunStart {
    RunStart { kind: RunKind::Undo, scope: "undo".to_owned(), ..a_run() }
}

/// The run that took the other one back.
pub(crate) async fn undo(store: &dyn Store, org: &OrgId, id: &RunId) -> Run {
    let undone = store.undo_run(org, id, &undoing(), at(30)).await.unwrap();
    assert!(matches!(undone, Undone::Done(_)), "{id}: {undone:?}");
    let Undone::Done(run) = undone else { unreachable!() };
    run
}

async fn refusal(store: &dyn Store, id: &RunId) -> UndoRefusal {
    let before = everything(store, &acme()).await;
    let plan = store.undo_plan(&acme(), id).await.unwrap().unwrap();
    let answer = store.undo_run(&acme(), id, &undoing(), at(30)).await.unwrap();
    assert!(matches!(answer, Undone::Refused(_)), "{id}: {answer:?}");
    let Undone::Refused(refusal) = answer else { unreachable!() };
    assert_eq!(plan.refusal.as_ref(), Some(&refusal), "the plan says the same");
    assert_eq!(everything(store, &acme()).await, before, "nothing changed");
    refusal
}

async fn block_reasons(store: &dyn Store, id: &RunId) -> Vec<(String, BlockReason)> {
    let refusal = refusal(store, id).await;
    assert!(matches!(refusal, UndoRefusal::RowsChanged { .. }), "{refusal:?}");
    let UndoRefusal::RowsChanged { rows, total } = refusal else { unreachable!() };
    assert_eq!(rows.len() as u64, total);
    rows.into_iter().map(|blocked| (blocked.row.id_text(), blocked.reason)).collect()
}

pub async fn a_run_tells_what_it_changed(store: &dyn Store) {
    three_states(store).await;
    let run = upgraded(store).await;
    let told = stored(store, &run.id).await;
    assert_eq!((told.added, told.changed, told.retired), (0, 1, 2));
    assert_eq!(
        (told.kind, told.state, told.scope.as_str()),
        (RunKind::Upgrade, RunState::Done, "everything")
    );
    assert_eq!((told.started_at, told.ended_at, told.actor.as_deref()), (at(20), at(20), Some("key-1")));
    let changes = changes(store, &run.id).await;
    let said: Vec<_> = changes.iter().map(|change| (change.row.id_text(), change.action)).collect();
    let expected = [("past", RunAction::Deleted), ("now", RunAction::Changed), ("next", RunAction::Changed)];
    assert_eq!(said, expected.map(|(id, action)| (id.to_owned(), action)));
    let deleted = changes[0].before.as_ref().unwrap();
    assert_eq!(deleted["body"]["content"], "likes milk", "a deleted row is kept whole");
    let moved = (changes[2].before.clone().unwrap(), changes[2].after.clone().unwrap());
    assert_eq!(
        json!([moved.0, moved.1]),
        json!([{"status": "pending"}, {"status": "current"}]),
        "only what differs"
    );
}

pub async fn a_run_that_changes_nothing_leaves_no_trace(store: &dyn Store) {
    add_profiles(store, &acme(), &[profile("now", "ann", 1, "likes tea")]).await;
    let run = upgraded(store).await;
    assert_eq!(store.run(&acme(), &run.id).await.unwrap(), None);
    let (all, more) = store.runs(&acme(), &RunFilter::default(), Page::first(ALL)).await.unwrap();
    assert_eq!((all, more), (Vec::new(), false));
    let unknown = store.undo_run(&acme(), &run.id, &undoing(), at(30)).await.unwrap();
    assert_eq!(unknown, Undone::Unknown);
}

pub async fn an_undo_restores_the_exact_rows_and_can_be_undone(store: &dyn Store) {
    three_states(store).await;
    let before = export(store, &acme()).await;
    let run = upgraded(store).await;
    let after = export(store, &acme()).await;
    let plan = store.undo_plan(&acme(), &run.id).await.unwrap().unwrap();
    assert_eq!((plan.rows, plan.touches_approved, plan.refusal), (3, false, None));
    let undone = undo(store, &acme(), &run.id).await;
    assert_eq!(export(store, &acme()).await, before);
    assert_eq!((undone.kind, undone.undoes.as_ref()), (RunKind::Undo, Some(&run.id)));
    assert_eq!((undone.added, undone.changed, undone.retired), (1, 2, 0));
    let told = stored(store, &run.id).await;
    assert_eq!((told.state, told.undone_by.as_ref()), (RunState::Undone, Some(&undone.id)));
    assert_eq!(refusal(store, &run.id).await, UndoRefusal::AlreadyUndone(undone.id.clone()));
    let subject = LineageSubject::Profile("past".into());
    let history = store.history(&acme(), &subject).await.unwrap();
    let actions: Vec<_> = history.iter().map(|event| event.action).collect();
    assert_eq!(actions, [LineageAction::Added, LineageAction::Deleted, LineageAction::Undone]);

    let redone = undo(store, &acme(), &undone.id).await;
    assert_eq!(export(store, &acme()).await, after);
    assert_eq!(stored(store, &run.id).await.state, RunState::Done);
    assert_eq!(stored(store, &undone.id).await.state, RunState::Undone);
    undo(store, &acme(), &redone.id).await;
    assert_eq!(export(store, &acme()).await, before);
    assert_eq!(stored(store, &run.id).await.undone_by, Some(undone.id));
    assert_eq!(store.check_integrity().await.unwrap().problems, Vec::<String>::new());
}

pub async fn a_row_that_was_changed_since_refuses_the_whole_undo(store: &dyn Store) {
    let pending = |text| UserPlaybook { status: Status::Pending, ..user_playbook("ann", 1, text) };
    let ids: Vec<_> = add_user_playbooks(store, &acme(), &[pending("one"), pending("two"), pending("three")])
        .await
        .iter()
        .map(|row| row.id)
        .collect();
    let run = a_run();
    store.upgrade_user_playbooks(&acme(), None, None, true, &run, at(20)).await.unwrap();
    let edit = UserPlaybookChange { content: Some("edited".to_owned()), ..UserPlaybookChange::default() };
    store.update_user_playbook(&acme(), ids[0], &edit, Some("key-7"), at(21)).await.unwrap();
    store.delete_user_playbooks(&acme(), &UserPlaybookSelector::Ids(vec![ids[1]]), at(22)).await.unwrap();
    let edited = BlockReason::Changed {
        action: Some(LineageAction::Edited),
        actor: Some("key-7".to_owned()),
        at: Some(at(21)),
    };
    let expected = [(ids[0].to_string(), edited), (ids[1].to_string(), BlockReason::Deleted)];
    assert_eq!(block_reasons(store, &run.id).await, expected);
}

pub async fn a_later_run_has_to_be_undone_first(store: &dyn Store) {
    three_states(store).await;
    let before = export(store, &acme()).await;
    let first = upgraded(store).await;
    let second = a_run();
    store.downgrade_profiles(&acme(), None, false, &second, at(21)).await.unwrap();
    let reasons = block_reasons(store, &first.id).await;
    let later = BlockReason::LaterRun(second.id.clone());
    assert_eq!(reasons, [("now".to_owned(), later.clone()), ("next".to_owned(), later)]);
    undo(store, &acme(), &second.id).await;
    undo(store, &acme(), &first.id).await;
    assert_eq!(export(store, &acme()).await, before);
}

pub(crate) fn aggregated(revision: u64, contents: &[String], run: RunStart) -> Aggregated {
    let row = |content: &String| AgentPlaybook {
        playbook_status: PlaybookStatus::Pending,
        ..agent_playbook("general", 3, content)
    };
    let propose = |content: &String| Proposed { cluster: 1, row: row(content), replaces: None };
    Aggregated {
        scope: AggregationScope { agent_version: "v1".to_owned(), playbook_name: "general".to_owned() },
        revision,
        state: json!({}),
        proposed: contents.iter().map(propose).collect(),
        grown: Vec::new(),
        outdated: Vec::new(),
        run,
        progress: None,
        end: JobEnd::Done,
    }
}

pub async fn an_approved_rule_is_not_taken_back(store: &dyn Store) {
    enqueue(store, &acme(), NewJob::new(JobKind::Aggregate, Value::Null), 1).await;
    let lease = claim_one(store, 2).await.lease;
    let run = a_run();
    let rules = aggregated(0, &["ask first".to_owned(), "be brief".to_owned()], run.clone());
    let ids = store.aggregate(&lease, rules, at(3)).await.unwrap();
    let approve = |status| AgentPlaybookChange { playbook_status: Some(status), ..Default::default() };
    let decide = async |status| {
        store.update_agent_playbook(&acme(), ids[1], &approve(status), None, at(4)).await.unwrap();
    };
    decide(PlaybookStatus::Approved).await;
    let reasons = block_reasons(store, &run.id).await;
    let approved =
        BlockReason::Changed { action: Some(LineageAction::Approved), actor: None, at: Some(at(4)) };
    assert_eq!(reasons, [(ids[1].to_string(), approved)]);
    decide(PlaybookStatus::Pending).await;
    undo(store, &acme(), &run.id).await;
    assert_eq!(agent_playbooks(store, &acme()).await, []);
    let scope = AggregationScope { agent_version: "v1".to_owned(), playbook_name: "general".to_owned() };
    let remembered = store.clustering(&acme(), &scope).await.unwrap();
    assert_eq!(remembered.revision, 1, "what was clustered is remembered");
}

pub async fn a_run_grows_over_many_transactions(store: &dyn Store) {
    enqueue(store, &acme(), NewJob::new(JobKind::Rerun, Value::Null), 1).await;
    let lease = claim_one(store, 2).await.lease;
    let run = RunStart { kind: RunKind::Rerun, ..a_run() };
    for (id, second) in [("p1", 5), ("p2", 6)] {
        let new = with(Status::Pending, profile(id, "ann", second, "likes tea"));
        let lesson = Lesson {
            user_id: Some("ann".into()),
            profiles: vec![new],
            run: Some(run.clone()),
            end: JobEnd::GoesOn,
            ..Lesson::default()
        };
        store.learn(&lease, lesson, at(second)).await.unwrap();
    }
    let told = stored(store, &run.id).await;
    assert_eq!((told.added, told.started_at, told.ended_at), (2, at(5), at(6)));
    undo(store, &acme(), &run.id).await;
    assert_eq!(profiles(store, &acme()).await, []);
    let lesson = Lesson {
        user_id: Some("ann".into()),
        profiles: vec![profile("p3", "ann", 7, "likes tea")],
        run: Some(run.clone()),
        ..Lesson::default()
    };
    store.learn(&lease, lesson, at(7)).await.unwrap();
    let again = RunId::new(format!("{}-2", run.id));
    assert_eq!(stored(store, &again).await.added, 1, "what comes after an undo is a run of its own");
}

pub async fn a_run_whose_job_goes_on_is_not_undone(store: &dyn Store) {
    three_states(store).await;
    let job = enqueue(store, &acme(), NewJob::new(JobKind::Rerun, Value::Null), 1).await;
    let run = RunStart { job: Some(job), ..a_run() };
    store.upgrade_profiles(&acme(), None, false, &run, at(20)).await.unwrap();
    assert_eq!(refusal(store, &run.id).await, UndoRefusal::StillRunning(job));
    store.cancel_job(&acme(), job, at(21)).await.unwrap();
    undo(store, &acme(), &run.id).await;
}

pub async fn an_imported_row_is_taken_back_with_its_run(store: &dyn Store) {
    settle(store, &acme()).await;
    let records = export(store, &acme()).await;
    store.clear_user(&acme(), &"u1".into()).await.unwrap();
    let run = RunStart { kind: RunKind::Import, ..a_run() };
    store.import(&acme(), records, &run, at(9)).await.unwrap();
    assert_eq!(stored(store, &run.id).await.added, 2, "the agent playbook was there");
    undo(store, &acme(), &run.id).await;
    assert_eq!(profiles(store, &acme()).await, []);
    assert_eq!(user_playbooks(store, &acme()).await, []);
    assert_eq!(store.stats(&acme(), None).await.unwrap().interaction_count, 1, "conversations stay");
    assert_eq!(store.check_integrity().await.unwrap().problems, Vec::<String>::new());
}

pub async fn an_erased_user_is_taken_out_of_runs_that_stay_done(store: &dyn Store) {
    three_states(store).await;
    let bobs = with(Status::Pending, profile("bobs", "bob", 1, "likes tea"));
    add_profiles(store, &acme(), &[bobs]).await;
    let run = RunStart { user_id: Some("ann".into()), scope: "profiles of ann".to_owned(), ..a_run() };
    store.upgrade_profiles(&acme(), None, false, &run, at(20)).await.unwrap();
    store.clear_user(&acme(), &"ann".into()).await.unwrap();
    let told = stored(store, &run.id).await;
    assert_eq!((told.state, told.loss), (RunState::Done, Some(RunLoss::UserErased)));
    assert!(!told.scope.contains("ann"), "{told:?}");
    let left = changes(store, &run.id).await;
    assert_eq!(left.iter().map(|change| change.row.id_text()).collect::<Vec<_>>(), ["bobs"]);
    assert_eq!(refusal(store, &run.id).await, UndoRefusal::Lost(RunLoss::UserErased));
}

pub async fn a_row_deleted_for_good_leaves_no_text_in_runs(store: &dyn Store) {
    let row = UserPlaybook { status: Status::Pending, ..user_playbook("ann", 1, "two") };
    let id = add_user_playbooks(store, &acme(), &[row]).await[0].id;
    let records = export(store, &acme()).await;
    let first = RunStart { kind: RunKind::Import, ..a_run() };
    let which = UserPlaybookSelector::Ids(vec![id]);
    store.delete_user_playbooks(&acme(), &which, at(2)).await.unwrap();
    store.import(&acme(), records, &first, at(3)).await.unwrap();
    let upgrade = a_run();
    store.upgrade_user_playbooks(&acme(), None, None, true, &upgrade, at(4)).await.unwrap();
    let after = export(store, &acme()).await;
    store.delete_user_playbooks(&acme(), &which, at(5)).await.unwrap();
    assert_eq!(changes(store, &upgrade.id).await[0].before, None);
    assert_eq!(block_reasons(store, &upgrade.id).await, [(id.to_string(), BlockReason::Deleted)]);
    store.import(&acme(), after, &a_run(), at(6)).await.unwrap();
    assert_eq!(block_reasons(store, &upgrade.id).await, [(id.to_string(), BlockReason::Forgotten)]);
}

pub async fn old_changes_are_forgotten_and_their_runs_stay(store: &dyn Store) {
    three_states(store).await;
    let run = upgraded(store).await;
    assert_eq!(store.forget_run_changes(at(20), ALL).await.unwrap(), 0);
    assert_eq!(stored(store, &run.id).await.loss, None);
    assert_eq!(store.forget_run_changes(at(21), 2).await.unwrap(), 2);
    assert_eq!(store.forget_run_changes(at(21), 2).await.unwrap(), 1);
    assert_eq!(store.forget_run_changes(at(21), 2).await.unwrap(), 0);
    assert_eq!(stored(store, &run.id).await.loss, Some(RunLoss::Expired));
    assert_eq!(refusal(store, &run.id).await, UndoRefusal::Lost(RunLoss::Expired));
}

pub async fn runs_are_listed_latest_first_by_each_filter_and_in_pages(store: &dyn Store) {
    three_states(store).await;
    let first = upgraded(store).await;
    let second = RunStart { kind: RunKind::Downgrade, ..a_run() };
    store.downgrade_profiles(&acme(), None, false, &second, at(21)).await.unwrap();
    let undone = undo(store, &acme(), &second.id).await;
    let check = async |filter: RunFilter, page: Page, expected: &[&RunId], more: bool| {
        let (found, has_more) = store.runs(&acme(), &filter, page).await.unwrap();
        assert_eq!(found.iter().map(|run| &run.id).collect::<Vec<_>>(), expected, "{filter:?}");
        assert_eq!(has_more, more);
    };
    let all = RunFilter::default();
    check(all.clone(), Page::first(ALL), &[&undone.id, &second.id, &first.id], false).await;
    check(all.clone(), Page { limit: 1, offset: 1 }, &[&second.id], true).await;
    let kind = RunFilter { kind: Some(RunKind::Upgrade), ..all.clone() };
    check(kind, Page::first(ALL), &[&first.id], false).await;
    let state = RunFilter { state: Some(RunState::Undone), ..all.clone() };
    check(state, Page::first(ALL), &[&second.id], false).await;
    let both = RunFilter { kind: Some(RunKind::Undo), state: Some(RunState::Undone) };
    check(both, Page::first(ALL), &[], false).await;
    let (page, more) = store.run_changes(&acme(), &first.id, Page { limit: 2, offset: 1 }).await.unwrap();
    assert_eq!((page.len(), more), (2, false));
}

pub async fn runs_of_another_org_are_neither_seen_nor_undone(store: &dyn Store) {
    three_states(store).await;
    add_agent_playbooks(store, &other(), &[agent_playbook("rule", 1, "x")]).await;
    let run = upgraded(store).await;
    let before = everything(store, &acme()).await;
    assert_eq!(store.run(&other(), &run.id).await.unwrap(), None);
    assert_eq!(store.runs(&other(), &RunFilter::default(), Page::first(ALL)).await.unwrap().0, []);
    assert_eq!(store.run_changes(&other(), &run.id, Page::first(ALL)).await.unwrap().0, []);
    assert_eq!(store.undo_plan(&other(), &run.id).await.unwrap(), None);
    let refused = store.undo_run(&other(), &run.id, &undoing(), at(30)).await.unwrap();
    assert_eq!(refused, Undone::Unknown);
    assert_eq!(everything(store, &acme()).await, before);
}
