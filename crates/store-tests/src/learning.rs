use reflexio_store::{
    Confirmed, Cursor, CursorMove, Error, JobEnd, Lease, Lesson, ProfileFilter, PublisherFilter, Reach,
    Retired, Retirement, Store, Superseded, UserPlaybookFilter,
};
use reflexio_types::{
    InteractionId, JobProgress, JobState, LearningKind, LineageAction, LineageSubject, Profile, Status,
    UserId,
};

use crate::sample::{
    acme, add_profiles, add_user_playbooks, at, new_request, other, profile, profiles, publish, request, say,
    user_playbook, user_playbooks,
};
use crate::workers::{claim_one, enqueue, job, learn};

fn ann() -> UserId {
    "ann".into()
}

async fn turns(store: &dyn Store, reach: Reach, limit: usize) -> Vec<(i64, String)> {
    let turns = store.published_turns(&acme(), &ann(), reach, limit).await.unwrap();
    turns.into_iter().map(|turn| (turn.interaction.id.0, turn.request.id.into_string())).collect()
}

pub async fn turns_are_read_in_the_order_of_arrival_with_their_requests(store: &dyn Store) {
    let first = say(store, &acme(), request("r1", "ann", "s1", 9), &["a", "b"]).await;
    say(store, &acme(), request("r2", "bob", "s1", 5), &["not hers"]).await;
    say(store, &other(), request("r1", "ann", "s1", 5), &["of another org"]).await;
    let last = say(store, &acme(), request("r3", "ann", "s2", 1), &["c", "d"]).await;
    let row = |id: InteractionId, request: &str| (id.0, request.to_owned());
    let all = [row(first[0], "r1"), row(first[1], "r1"), row(last[0], "r3"), row(last[1], "r3")];
    assert_eq!(turns(store, Reach::After(None), 10).await, all);
    assert_eq!(turns(store, Reach::After(None), 3).await, all[..3]);
    assert_eq!(turns(store, Reach::After(Some(first[1])), 10).await, all[2..]);
    assert_eq!(turns(store, Reach::UpTo(Some(last[0])), 2).await, all[1..3]);
    assert_eq!(turns(store, Reach::UpTo(None), 2).await, all[2..]);
    let read = store.published_turns(&acme(), &ann(), Reach::After(None), 1).await.unwrap();
    assert_eq!(read[0].request, request("r1", "ann", "s1", 9));
}

async fn lease(store: &dyn Store) -> Lease {
    enqueue(store, &acme(), learn("ann"), 1).await;
    claim_one(store, 2).await.lease
}

fn lesson(from: Option<i64>, to: i64) -> Lesson {
    let step =
        CursorMove { extractor: "profile".to_owned(), from: from.map(InteractionId), to: InteractionId(to) };
    Lesson {
        user_id: Some(ann()),
        cursors: vec![step],
        profiles: vec![profile(&format!("p{to}"), "ann", 3, "likes refunds")],
        user_playbooks: vec![user_playbook("ann", 3, "refund at once")],
        ..Lesson::default()
    }
}

pub async fn a_lesson_stores_its_rows_moves_its_cursors_and_ends_its_job(store: &dyn Store) {
    let lease = lease(store).await;
    let told = |done| Some(JobProgress { done, total: None, message: Some("so far".to_owned()) });
    let first = Lesson { end: JobEnd::GoesOn, progress: told(1), ..lesson(None, 7) };
    store.learn(&lease, first, at(3)).await.unwrap();
    let stored = job(store, lease.job).await;
    assert_eq!((stored.state, stored.progress), (JobState::Running, told(1)));
    let jobs = vec![learn("bob")];
    let second = Lesson { user_playbooks: Vec::new(), jobs, progress: told(2), ..lesson(Some(7), 9) };
    store.learn(&lease, second, at(4)).await.unwrap();
    let stored = job(store, lease.job).await;
    assert_eq!((stored.state, stored.progress), (JobState::Done, told(2)));
    let covered = Cursor { extractor: "profile".to_owned(), covered: InteractionId(9) };
    assert_eq!(store.cursors(&acme(), &ann()).await.unwrap(), [covered]);
    assert_eq!(store.cursors(&other(), &ann()).await.unwrap(), []);
    assert_eq!((profiles(store, &acme()).await.len(), user_playbooks(store, &acme()).await.len()), (2, 1));
    let told = store.history(&acme(), &LineageSubject::Profile("p7".into())).await.unwrap();
    assert_eq!(told.len(), 1);
    assert!(store.learning_job(&acme(), &"bob".into()).await.unwrap().is_some());
    assert_eq!(store.check_integrity().await.unwrap().problems, Vec::<String>::new());
    store.clear_user(&acme(), &ann()).await.unwrap();
    assert_eq!(store.cursors(&acme(), &ann()).await.unwrap(), []);
}

pub async fn a_lesson_without_its_lease_changes_nothing(store: &dyn Store) {
    let old = lease(store).await;
    let new = claim_one(store, 1_000).await.lease;
    let refused = store.learn(&old, lesson(None, 7), at(1_001)).await;
    assert!(matches!(refused, Err(Error::LostLease(_))), "{refused:?}");
    let refused = store.learn(&old, Lesson { end: JobEnd::GoesOn, ..lesson(None, 7) }, at(1_001)).await;
    assert!(matches!(refused, Err(Error::LostLease(_))), "{refused:?}");
    assert!(profiles(store, &acme()).await.is_empty());
    store.learn(&new, lesson(None, 7), at(1_002)).await.unwrap();
    let again = store.learn(&new, lesson(Some(7), 9), at(1_003)).await;
    assert!(matches!(again, Err(Error::LostLease(_))), "the job is over");
    assert_eq!(profiles(store, &acme()).await.len(), 1);
}

pub async fn a_cursor_that_stands_elsewhere_undoes_the_lesson(store: &dyn Store) {
    let lease = lease(store).await;
    let first = Lesson { end: JobEnd::GoesOn, ..lesson(None, 7) };
    store.learn(&lease, first, at(3)).await.unwrap();
    for wrong in [lesson(None, 8), lesson(Some(6), 8)] {
        let refused = store.learn(&lease, wrong, at(4)).await;
        assert!(matches!(refused, Err(Error::Changed { .. })), "{refused:?}");
    }
    assert_eq!(job(store, lease.job).await.state, JobState::Running);
    assert_eq!(profiles(store, &acme()).await.len(), 1);
    assert_eq!(store.check_integrity().await.unwrap().problems, Vec::<String>::new());
}

pub async fn superseded_rows_go_when_the_new_ones_come(store: &dyn Store) {
    let mut pending = profile("old", "ann", 1, "outdated");
    pending.status = Status::Pending;
    let added = Profile { id: "added".into(), ..pending.clone() };
    pending.body.learned_by = Some("builtin".to_owned());
    let kept = [profile("current", "ann", 1, "in use"), profile("hers", "bob", 1, "of somebody else")];
    add_profiles(store, &acme(), &[pending, added, kept[0].clone(), kept[1].clone()]).await;
    let mut old = user_playbook("ann", 1, "old rule");
    old.status = Status::Pending;
    old.body.learned_by = Some("builtin".to_owned());
    add_user_playbooks(store, &acme(), &[old]).await;
    let superseded = |kind, version: Option<&str>| Superseded {
        kind,
        status: Status::Pending,
        agent_version: version.map(str::to_owned),
    };
    let lease = lease(store).await;
    let rows =
        vec![superseded(LearningKind::Profile, None), superseded(LearningKind::UserPlaybook, Some("v9"))];
    store.learn(&lease, Lesson { superseded: rows, ..lesson(None, 7) }, at(3)).await.unwrap();
    let mut ids: Vec<String> =
        profiles(store, &acme()).await.into_iter().map(|row| row.id.into_string()).collect();
    ids.sort();
    assert_eq!(ids, ["added", "current", "hers", "p7"]);
    assert_eq!(user_playbooks(store, &acme()).await.len(), 2, "that of another version stays");
}

pub async fn a_confirmed_row_lives_on_with_more_evidence(store: &dyn Store) {
    add_profiles(store, &acme(), &[profile("known", "ann", 1, "likes tea")]).await;
    let rule = add_user_playbooks(store, &acme(), &[user_playbook("ann", 1, "pour tea")]).await[0].id;
    let lease = lease(store).await;
    let confirmed =
        |row| Confirmed { row, evidence: vec![InteractionId(9), InteractionId(8), InteractionId(9)] };
    let lesson = Lesson {
        user_id: Some(ann()),
        confirmed: vec![
            confirmed(LineageSubject::Profile("known".into())),
            confirmed(LineageSubject::Profile("gone".into())),
            confirmed(LineageSubject::UserPlaybook(rule)),
        ],
        ..Lesson::default()
    };
    store.learn(&lease, lesson, at(50)).await.unwrap();
    let row = profiles(store, &acme()).await.remove(0);
    assert_eq!(
        (row.last_modified, row.body.source_interaction_ids),
        (at(50), vec![InteractionId(8), InteractionId(9)])
    );
    let rule = user_playbooks(store, &acme()).await.remove(0);
    assert_eq!(rule.body.source_interaction_ids, [InteractionId(8), InteractionId(9)]);
    assert_eq!(store.check_integrity().await.unwrap().problems, Vec::<String>::new());
}

fn retired(row: LineageSubject, content: &str, how: Retirement) -> Retired {
    Retired { row, content: content.to_owned(), how, successor: 0 }
}

pub async fn rows_give_way_to_their_successors_and_say_so(store: &dyn Store) {
    let known = [profile("old", "ann", 1, "likes tea"), profile("hers", "bob", 1, "likes tea")];
    add_profiles(store, &acme(), &known).await;
    let rule = add_user_playbooks(store, &acme(), &[user_playbook("ann", 1, "pour tea")]).await[0].id;
    let lease = lease(store).await;
    let (old, rule) = (LineageSubject::Profile("old".into()), LineageSubject::UserPlaybook(rule));
    let rows = vec![
        retired(old.clone(), "likes tea", Retirement::Merged),
        retired(rule.clone(), "pour tea", Retirement::Superseded),
    ];
    store.learn(&lease, Lesson { retired: rows, ..lesson(None, 7) }, at(3)).await.unwrap();
    let merged = ProfileFilter { status: vec![Status::Merged], ..ProfileFilter::default() };
    let row = store.profiles(&acme(), &merged, 9).await.unwrap().remove(0);
    assert_eq!((row.id.as_str(), row.body.merged_into), ("old", Some("p7".into())));
    let told = store.history(&acme(), &old).await.unwrap().pop().unwrap();
    assert_eq!((told.action, told.user_id), (LineageAction::Merged, Some(ann())));
    let gone = UserPlaybookFilter { status: vec![Status::Superseded], ..UserPlaybookFilter::default() };
    let row = store.user_playbooks(&acme(), &gone, 9).await.unwrap().remove(0);
    let current = UserPlaybookFilter { status: vec![Status::Current], ..UserPlaybookFilter::default() };
    let successor = store.user_playbooks(&acme(), &current, 9).await.unwrap().remove(0);
    assert_eq!(row.body.superseded_by, Some(successor.id));
    assert_eq!(store.history(&acme(), &rule).await.unwrap().pop().unwrap().action, LineageAction::Superseded);
    let change = store.profile_changes(&acme(), 9).await.unwrap().remove(0);
    assert_eq!((change.added[0].id.as_str(), change.removed[0].id.as_str()), ("p7", "old"));
    assert_eq!(store.check_integrity().await.unwrap().problems, Vec::<String>::new());
}

pub async fn a_row_that_changed_meanwhile_undoes_the_lesson(store: &dyn Store) {
    let mut archived = profile("archived", "ann", 1, "likes tea");
    archived.status = Status::Archived;
    add_profiles(store, &acme(), &[profile("edited", "ann", 1, "likes tea"), archived]).await;
    add_profiles(store, &acme(), &[profile("hers", "bob", 1, "likes tea")]).await;
    let lease = lease(store).await;
    for (id, content) in
        [("edited", "liked tea"), ("archived", "likes tea"), ("gone", "x"), ("hers", "likes tea")]
    {
        let rows = vec![retired(LineageSubject::Profile(id.into()), content, Retirement::Merged)];
        let refused = store.learn(&lease, Lesson { retired: rows, ..lesson(None, 7) }, at(3)).await;
        assert!(matches!(refused, Err(Error::Changed { .. })), "{id}: {refused:?}");
    }
    assert_eq!(profiles(store, &acme()).await.len(), 3, "nothing was added");
    assert_eq!(job(store, lease.job).await.state, JobState::Running);
}

pub async fn what_a_user_wants_forgotten_is_deleted(store: &dyn Store) {
    let mut merged = profile("merged", "ann", 1, "likes tea");
    merged.status = Status::Merged;
    let rows = [profile("tea", "ann", 1, "likes tea"), merged, profile("hers", "bob", 1, "likes tea")];
    add_profiles(store, &acme(), &rows).await;
    let lease = lease(store).await;
    let forgotten = vec!["tea".into(), "merged".into(), "hers".into(), "gone".into()];
    store
        .learn(&lease, Lesson { user_id: Some(ann()), forgotten, ..Lesson::default() }, at(3))
        .await
        .unwrap();
    let left = profiles(store, &acme()).await;
    assert_eq!(left.iter().map(|row| row.id.as_str()).collect::<Vec<_>>(), ["hers"], "those of others stay");
    let told = store.history(&acme(), &LineageSubject::Profile("tea".into())).await.unwrap();
    assert_eq!(told.last().unwrap().action, LineageAction::Deleted);
}

pub async fn publishers_are_found_by_what_they_published(store: &dyn Store) {
    say(store, &acme(), request("r1", "bob", "s1", 5), &["a"]).await;
    say(store, &acme(), request("r2", "ann", "s1", 6), &["b"]).await;
    say(store, &acme(), request("r3", "ann", "s1", 7), &["c"]).await;
    say(store, &other(), request("r1", "eve", "s1", 5), &["d"]).await;
    let mut mail = request("r4", "cat", "s1", 8);
    (mail.source, mail.agent_version) = ("mail".to_owned(), "v2".to_owned());
    publish(store, &acme(), new_request(mail, &["e"])).await;
    let check = async |filter: PublisherFilter, expected: &[&str]| {
        let users = store.publishers(&acme(), &filter).await.unwrap();
        assert_eq!(users.iter().map(UserId::as_str).collect::<Vec<_>>(), expected, "{filter:?}");
    };
    let all = PublisherFilter::default();
    check(all.clone(), &["ann", "bob", "cat"]).await;
    check(PublisherFilter { user_id: Some(ann()), ..all.clone() }, &["ann"]).await;
    check(PublisherFilter { source: Some("mail".to_owned()), ..all.clone() }, &["cat"]).await;
    check(PublisherFilter { agent_version: Some("v1".to_owned()), ..all.clone() }, &["ann", "bob"]).await;
    let time = reflexio_types::TimeRange { start: Some(at(6)), end: Some(at(7)) };
    check(PublisherFilter { time, ..all }, &["ann"]).await;
}
