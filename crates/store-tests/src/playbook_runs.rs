use reflexio_store::{
    Error, JournalPiece, Lease, NewPlaybookRun, Page, PlaybookRest, PlaybookRunFilter, Store,
};
use reflexio_types::{
    JobId, JobKind, JobState, Lane, NewJob, OrgId, PlaybookRun, PlaybookRunId, PlaybookRunStatus, TimeRange,
};

use crate::sample::{ALL, acme, at, other};
use crate::workers::{claim_one, enqueue};

fn run(id: &str, user: &str, second: i64) -> PlaybookRun {
    PlaybookRun {
        id: id.into(),
        user_id: user.into(),
        program: "refund".to_owned(),
        version: "abc".to_owned(),
        status: PlaybookRunStatus::Running,
        reason: None,
        entries: 2,
        created_at: at(second),
        updated_at: at(second),
    }
}

fn new(run: PlaybookRun) -> NewPlaybookRun {
    let journal = vec!["\"one\"".to_owned(), "\"two\"".to_owned()];
    NewPlaybookRun { run, source: "# Desk".to_owned(), journal, jobs: Vec::new() }
}

fn job() -> NewJob {
    NewJob {
        lane: Lane::Free,
        ..NewJob::of_user(JobKind::PlaybookRun, "ann".into(), serde_json::Value::Null)
    }
}

async fn lease(store: &dyn Store, org: &OrgId, second: i64) -> Lease {
    enqueue(store, org, job(), second).await;
    claim_one(store, second).await.lease
}

fn piece(position: u64, entries: &[&str]) -> JournalPiece {
    let entries = entries.iter().map(|entry| format!("\"{entry}\"")).collect();
    JournalPiece { position, entries, told_by: None }
}

async fn journal(store: &dyn Store, org: &OrgId, id: &PlaybookRunId) -> Vec<String> {
    store.playbook_journal(org, id, 0, ALL).await.unwrap()
}

pub async fn a_run_is_read_back_with_its_journal_and_its_program(store: &dyn Store) {
    let created = NewPlaybookRun { jobs: vec![job()], ..new(run("r1", "ann", 5)) };
    store.create_playbook_run(&acme(), created.clone()).await.unwrap();
    let found = store.playbook_run(&acme(), &"r1".into()).await.unwrap().unwrap();
    assert_eq!((found.run, found.source, found.told_by), (created.run.clone(), created.source.clone(), None));
    assert_eq!(journal(store, &acme(), &"r1".into()).await, created.journal);
    assert_eq!(store.playbook_journal(&acme(), &"r1".into(), 1, 5).await.unwrap(), ["\"two\""]);
    assert_eq!(
        claim_one(store, 6).await.job.kind,
        JobKind::PlaybookRun.as_str(),
        "its job was queued with it"
    );
    let again = store.create_playbook_run(&acme(), created).await.unwrap_err();
    assert!(matches!(again, Error::Duplicate { .. }), "{again}");
}

pub async fn a_journal_grows_only_from_where_its_writer_found_it(store: &dyn Store) {
    store.create_playbook_run(&acme(), new(run("r1", "ann", 5))).await.unwrap();
    let (id, lease) = ("r1".into(), lease(store, &acme(), 6).await);
    let told = JournalPiece { told_by: Some(JobId(7)), ..piece(2, &["three"]) };
    store.extend_playbook_journal(&lease, &id, told, at(7)).await.unwrap();
    for wrong in [2, 4] {
        let error =
            store.extend_playbook_journal(&lease, &id, piece(wrong, &["x"]), at(8)).await.unwrap_err();
        assert!(matches!(error, Error::Changed { .. }), "{error}");
    }
    let unknown = store.extend_playbook_journal(&lease, &"r2".into(), piece(0, &["x"]), at(8)).await;
    assert!(matches!(unknown, Err(Error::Changed { .. })));
    store.extend_playbook_journal(&lease, &id, piece(3, &["four"]), at(9)).await.unwrap();
    assert_eq!(journal(store, &acme(), &id).await, ["\"one\"", "\"two\"", "\"three\"", "\"four\""]);
    let found = store.playbook_run(&acme(), &id).await.unwrap().unwrap();
    assert_eq!((found.run.entries, found.run.updated_at, found.told_by), (4, at(9), Some(JobId(7))));
}

pub async fn a_run_rests_together_with_the_end_of_its_job(store: &dyn Store) {
    store.create_playbook_run(&acme(), new(run("r1", "ann", 5))).await.unwrap();
    let (id, lease): (PlaybookRunId, _) = ("r1".into(), lease(store, &acme(), 6).await);
    let wake = NewJob { run_after: Some(at(100)), ..job() };
    let rest = PlaybookRest {
        status: PlaybookRunStatus::Waiting,
        reason: Some("user".to_owned()),
        jobs: vec![wake],
    };
    store.rest_playbook_run(&lease, &id, rest.clone(), at(7)).await.unwrap();
    let found = store.playbook_run(&acme(), &id).await.unwrap().unwrap().run;
    assert_eq!((found.status, found.reason.as_deref()), (PlaybookRunStatus::Waiting, Some("user")));
    assert_eq!(store.job(&acme(), lease.job).await.unwrap().unwrap().state, JobState::Done);
    let late = store.rest_playbook_run(&lease, &id, rest, at(8)).await.unwrap_err();
    assert!(matches!(late, Error::LostLease(_)), "{late}");
    let lost = store.extend_playbook_journal(&lease, &id, piece(2, &["x"]), at(8)).await.unwrap_err();
    assert!(matches!(lost, Error::LostLease(_)), "{lost}");
    assert_eq!(claim_one(store, 100).await.job.run_after, at(100), "what wakes it is queued");
}

pub async fn a_cancelled_run_stays_cancelled(store: &dyn Store) {
    store.create_playbook_run(&acme(), new(run("r1", "ann", 5))).await.unwrap();
    let (id, lease): (PlaybookRunId, _) = ("r1".into(), lease(store, &acme(), 6).await);
    let cancelled = store.cancel_playbook_run(&acme(), &id, at(7)).await.unwrap().unwrap();
    assert_eq!(cancelled.status, PlaybookRunStatus::Cancelled);
    let error = store.extend_playbook_journal(&lease, &id, piece(2, &["x"]), at(8)).await.unwrap_err();
    assert!(matches!(error, Error::Changed { .. }), "{error}");
    let rest = PlaybookRest { status: PlaybookRunStatus::Waiting, reason: None, jobs: vec![job()] };
    store.rest_playbook_run(&lease, &id, rest, at(8)).await.unwrap();
    assert_eq!(
        store.playbook_run(&acme(), &id).await.unwrap().unwrap().run.status,
        PlaybookRunStatus::Cancelled
    );
    assert!(store.cancel_playbook_run(&acme(), &"r2".into(), at(7)).await.unwrap().is_none());
}

pub async fn runs_are_listed_newest_first_by_each_field(store: &dyn Store) {
    for (id, user, second) in [("r1", "ann", 1), ("r2", "bob", 2), ("r3", "ann", 3)] {
        store.create_playbook_run(&acme(), new(run(id, user, second))).await.unwrap();
    }
    store.cancel_playbook_run(&acme(), &"r1".into(), at(9)).await.unwrap();
    let ids = |filter: PlaybookRunFilter, page: Page| async move {
        let (runs, more) = store.playbook_runs(&acme(), &filter, page).await.unwrap();
        (runs.into_iter().map(|run| run.id.into_string()).collect::<Vec<_>>(), more)
    };
    let every = PlaybookRunFilter::default();
    assert_eq!(ids(every.clone(), Page::first(ALL)).await.0, ["r3", "r2", "r1"]);
    assert_eq!(
        ids(every.clone(), Page { limit: 2, offset: 0 }).await,
        (vec!["r3".into(), "r2".into()], true)
    );
    assert_eq!(ids(every.clone(), Page { limit: 2, offset: 2 }).await, (vec!["r1".into()], false));
    let of_ann = PlaybookRunFilter { user_id: Some("ann".into()), ..every.clone() };
    assert_eq!(ids(of_ann, Page::first(ALL)).await.0, ["r3", "r1"]);
    let cancelled = PlaybookRunFilter { status: Some(PlaybookRunStatus::Cancelled), ..every.clone() };
    assert_eq!(ids(cancelled, Page::first(ALL)).await.0, ["r1"]);
    let created = TimeRange { start: None, end: Some(at(2)) };
    let early = PlaybookRunFilter { created, ..every.clone() };
    assert_eq!(ids(early, Page::first(ALL)).await.0, ["r2", "r1"]);
    let none = PlaybookRunFilter { program: Some("tax".to_owned()), ..every };
    assert_eq!(ids(none, Page::first(ALL)).await.0, Vec::<String>::new());
}

pub async fn runs_go_with_their_user_and_belong_to_their_org(store: &dyn Store) {
    for (org, id, user) in [(acme(), "r1", "ann"), (acme(), "r2", "bob"), (other(), "r1", "ann")] {
        store.create_playbook_run(&org, new(run(id, user, 1))).await.unwrap();
    }
    assert!(store.playbook_run(&other(), &"r2".into()).await.unwrap().is_none());
    assert!(store.cancel_playbook_run(&other(), &"r2".into(), at(2)).await.unwrap().is_none());
    store.clear_user(&acme(), &"ann".into()).await.unwrap();
    assert!(store.playbook_run(&acme(), &"r1".into()).await.unwrap().is_none());
    assert_eq!(journal(store, &acme(), &"r1".into()).await, Vec::<String>::new());
    assert_eq!(journal(store, &acme(), &"r2".into()).await.len(), 2);
    assert_eq!(journal(store, &other(), &"r1".into()).await.len(), 2);
}
