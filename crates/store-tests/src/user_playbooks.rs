use reflexio_search::TextQuery;
use reflexio_store::{
    Ask, Downgrade, Store, Upgrade, UserPlaybookChange, UserPlaybookFilter, UserPlaybookSelector,
};
use reflexio_types::{
    BlockingIssue, BlockingIssueKind, InteractionId, Status, TimeRange, UserPlaybook, UserPlaybookBody,
    UserPlaybookId,
};

use crate::sample::{
    ALL, a_run, acme, add_user_playbooks, at, everything, other, settle, user_playbook, user_playbooks,
};

pub async fn a_user_playbook_is_read_back_whole(store: &dyn Store) {
    let body = UserPlaybookBody {
        content: "do it".to_owned(),
        trigger: Some("when".to_owned()),
        instruction: Some("how".to_owned()),
        pitfall: Some("not so".to_owned()),
        rationale: Some(String::new()),
        playbook_metadata: "{\"a\":1}".to_owned(),
        blocking_issue: Some(BlockingIssue {
            kind: BlockingIssueKind::MissingTool,
            details: "no tool".to_owned(),
        }),
        source_interaction_ids: vec![InteractionId(5)],
        expanded_terms: Some("terms".to_owned()),
        tags: Some(vec!["a".to_owned()]),
        source_span: Some("span".to_owned()),
        notes: Some("notes".to_owned()),
        reader_angle: Some("angle".to_owned()),
        merged_into: Some(UserPlaybookId(8)),
        superseded_by: Some(UserPlaybookId(9)),
        learned_by: Some("model".to_owned()),
    };
    let full = UserPlaybook {
        user_id: None,
        source: Some("chat".to_owned()),
        status: Status::Expired,
        body,
        ..user_playbook("", 2, "")
    };
    let rows = add_user_playbooks(store, &acme(), &[full, user_playbook("u1", 1, "plain")]).await;
    assert_eq!(user_playbooks(store, &acme()).await, rows);
}

pub async fn user_playbooks_get_new_ids_in_the_order_given(store: &dyn Store) {
    let given = UserPlaybook { id: UserPlaybookId(77), ..user_playbook("u1", 1, "a") };
    let rows = add_user_playbooks(store, &acme(), &[given, user_playbook("u1", 1, "b")]).await;
    assert!(rows[0].id.0 > 0 && rows[0].id < rows[1].id && rows[0].id.0 != 77, "{rows:?}");
    store.delete_user_playbooks(&acme(), &UserPlaybookSelector::All, at(9)).await.unwrap();
    let later = add_user_playbooks(store, &acme(), &[user_playbook("u1", 1, "c")]).await;
    assert!(later[0].id > rows[1].id, "ids are never used again");
}

pub async fn user_playbooks_come_newest_first(store: &dyn Store) {
    let rows = [user_playbook("u1", 1, "a"), user_playbook("u1", 2, "b"), user_playbook("u2", 1, "c")];
    add_user_playbooks(store, &acme(), &rows).await;
    for limit in 0..=3 {
        let some = store.user_playbooks(&acme(), &UserPlaybookFilter::default(), limit).await.unwrap();
        assert_eq!(contents(&some), ["b", "c", "a"][..limit]);
    }
}

pub async fn user_playbooks_are_filtered_by_each_field(store: &dyn Store) {
    let mut first = user_playbook("u1", 1, "apple a");
    first.request_id = "r7".into();
    first.playbook_name = "sales".to_owned();
    first.source = Some("chat".to_owned());
    first.body.tags = Some(vec!["x".to_owned(), "y".to_owned()]);
    let mut second = user_playbook("u1", 2, "apple b");
    second.agent_version = "v2".to_owned();
    second.status = Status::Pending;
    let mut third = user_playbook("u2", 3, "apple c");
    third.user_id = None;
    let rows = add_user_playbooks(store, &acme(), &[first, second, third]).await;
    let every = UserPlaybookFilter::default();
    let time = |start: Option<i64>, end: Option<i64>| TimeRange { start: start.map(at), end: end.map(at) };
    let checks = [
        (every.clone(), "c b a"),
        (UserPlaybookFilter { id: Some(rows[1].id), ..every.clone() }, "b"),
        (UserPlaybookFilter { user_id: Some("u1".into()), ..every.clone() }, "b a"),
        (UserPlaybookFilter { user_id: Some("u2".into()), ..every.clone() }, ""),
        (UserPlaybookFilter { request_id: Some("r7".into()), ..every.clone() }, "a"),
        (UserPlaybookFilter { playbook_name: Some("sales".to_owned()), ..every.clone() }, "a"),
        (UserPlaybookFilter { agent_version: Some("v2".to_owned()), ..every.clone() }, "b"),
        (UserPlaybookFilter { source: Some("chat".to_owned()), ..every.clone() }, "a"),
        (UserPlaybookFilter { time: time(Some(2), None), ..every.clone() }, "c b"),
        (UserPlaybookFilter { time: time(None, Some(2)), ..every.clone() }, "b a"),
        (UserPlaybookFilter { status: vec![Status::Current], ..every.clone() }, "c a"),
        (UserPlaybookFilter { status: vec![Status::Pending, Status::Merged], ..every.clone() }, "b"),
        (UserPlaybookFilter { tags: vec!["y".to_owned(), "z".to_owned()], ..every.clone() }, "a"),
        (
            UserPlaybookFilter {
                agent_version: Some("v1".to_owned()),
                playbook_name: Some("support".to_owned()),
                ..every.clone()
            },
            "c",
        ),
        (UserPlaybookFilter { user_id: Some("u1".into()), status: vec![Status::Merged], ..every }, ""),
    ];
    for (filter, expected) in checks {
        let expected: Vec<String> = expected.split_whitespace().map(|name| format!("apple {name}")).collect();
        assert_eq!(
            contents(&store.user_playbooks(&acme(), &filter, ALL).await.unwrap()),
            expected,
            "{filter:?}"
        );
        assert_eq!(search(store, &filter, "apple").await, expected, "search with {filter:?}");
    }
}

pub async fn an_edit_of_a_user_playbook_is_found_by_the_next_search(store: &dyn Store) {
    let rows = add_user_playbooks(
        store,
        &acme(),
        &[user_playbook("u1", 1, "apple"), user_playbook("u1", 2, "plum")],
    )
    .await;
    let change = UserPlaybookChange { content: Some("pear".to_owned()), ..UserPlaybookChange::default() };
    let edited =
        store.update_user_playbook(&acme(), rows[0].id, &change, None, at(5)).await.unwrap().unwrap();
    let mut expected = rows[0].clone();
    expected.body.content = "pear".to_owned();
    assert_eq!(edited, expected);
    assert_eq!(user_playbooks(store, &acme()).await, [rows[1].clone(), expected]);
    assert!(search(store, &UserPlaybookFilter::default(), "apple").await.is_empty());
    assert_eq!(search(store, &UserPlaybookFilter::default(), "pear").await, ["pear"]);
    let of_user = UserPlaybookFilter { user_id: Some("u1".into()), ..UserPlaybookFilter::default() };
    assert_eq!(search(store, &of_user, "pear").await, ["pear"]);
}

pub async fn an_edit_of_a_user_playbook_changes_only_what_it_names(store: &dyn Store) {
    let rows = add_user_playbooks(store, &acme(), &[user_playbook("u1", 1, "apple")]).await;
    let change = UserPlaybookChange {
        playbook_name: Some("sales".to_owned()),
        trigger: Some("asked".to_owned()),
        rationale: Some("because".to_owned()),
        content: None,
    };
    let mut expected = rows[0].clone();
    expected.playbook_name = "sales".to_owned();
    expected.body.trigger = Some("asked".to_owned());
    expected.body.rationale = Some("because".to_owned());
    let edited = store.update_user_playbook(&acme(), rows[0].id, &change, None, at(5)).await.unwrap();
    assert_eq!(edited, Some(expected.clone()));
    assert_eq!(search(store, &UserPlaybookFilter::default(), "asked").await, ["apple"]);
    let nothing = UserPlaybookChange::default();
    let same = store.update_user_playbook(&acme(), rows[0].id, &nothing, None, at(6)).await.unwrap();
    assert_eq!(same, Some(expected));
    assert_eq!(
        store.update_user_playbook(&acme(), UserPlaybookId(999), &change, None, at(6)).await.unwrap(),
        None
    );
}

pub async fn deleted_user_playbooks_are_gone_from_lists_and_searches(store: &dyn Store) {
    let rows: Vec<UserPlaybook> = (1..=3).map(|n| user_playbook("u1", n, "apple")).collect();
    let rows = add_user_playbooks(store, &acme(), &rows).await;
    let some = UserPlaybookSelector::Ids(vec![rows[0].id, rows[0].id, UserPlaybookId(999)]);
    assert_eq!(store.delete_user_playbooks(&acme(), &some, at(9)).await.unwrap(), 1);
    assert_eq!(search(store, &UserPlaybookFilter::default(), "apple").await.len(), 2);
    assert_eq!(store.delete_user_playbooks(&acme(), &UserPlaybookSelector::All, at(9)).await.unwrap(), 2);
    assert!(user_playbooks(store, &acme()).await.is_empty());
    assert!(search(store, &UserPlaybookFilter::default(), "apple").await.is_empty());
}

pub async fn an_upgrade_of_user_playbooks_keeps_to_version_and_name(store: &dyn Store) {
    for (version, name) in [("v1", "support"), ("v1", "sales"), ("v2", "support")] {
        add_user_playbooks(store, &acme(), &generations(version, name)).await;
    }
    let step = Upgrade { promoted: 1, archived: 1, deleted: 1 };
    let done = store
        .upgrade_user_playbooks(&acme(), Some("v1"), Some("sales"), true, &a_run(), at(9))
        .await
        .unwrap();
    assert_eq!(done, step);
    assert_eq!(count(store, "v1", "sales").await, "pending=current current=archived");
    assert_eq!(count(store, "v1", "support").await, "pending=pending current=current archived=archived");
    let done = store.upgrade_user_playbooks(&acme(), Some("v1"), None, true, &a_run(), at(9)).await.unwrap();
    // The name upgraded before is in scope again: its current row is archived, its archived one goes.
    assert_eq!(done, Upgrade { promoted: 1, archived: 2, deleted: 2 });
    assert_eq!(count(store, "v2", "support").await, "pending=pending current=current archived=archived");
    assert_eq!(
        store.upgrade_user_playbooks(&acme(), None, None, true, &a_run(), at(9)).await.unwrap().promoted,
        1
    );
    assert_eq!(search(store, &UserPlaybookFilter::default(), "archived ").await, Vec::<String>::new());
}

pub async fn an_upgrade_of_user_playbooks_may_keep_the_current_ones(store: &dyn Store) {
    add_user_playbooks(store, &acme(), &generations("v1", "support")).await;
    let done = store.upgrade_user_playbooks(&acme(), None, None, false, &a_run(), at(9)).await.unwrap();
    assert_eq!(done, Upgrade { promoted: 1, archived: 0, deleted: 0 });
    assert_eq!(count(store, "v1", "support").await, "pending=current current=current archived=archived");
}

pub async fn an_upgrade_of_user_playbooks_without_pending_rows_changes_nothing(store: &dyn Store) {
    add_user_playbooks(store, &acme(), &generations("v1", "support")[1..]).await;
    let done = store.upgrade_user_playbooks(&acme(), Some("v1"), None, true, &a_run(), at(9)).await.unwrap();
    assert_eq!(done, Upgrade::default());
    assert_eq!(count(store, "v1", "support").await, "current=current archived=archived");
}

pub async fn a_downgrade_of_user_playbooks_keeps_to_version_and_name(store: &dyn Store) {
    for (version, name) in [("v1", "support"), ("v1", "sales"), ("v2", "support")] {
        add_user_playbooks(store, &acme(), &generations(version, name)).await;
    }
    let step = Downgrade { demoted: 1, restored: 1 };
    let done =
        store.downgrade_user_playbooks(&acme(), Some("v1"), Some("sales"), &a_run(), at(9)).await.unwrap();
    assert_eq!(done, step);
    assert_eq!(count(store, "v1", "sales").await, "pending=pending current=archived archived=current");
    for (version, name) in [("v1", "support"), ("v2", "support")] {
        assert_eq!(count(store, version, name).await, "pending=pending current=current archived=archived");
    }
    let none = store.downgrade_user_playbooks(&acme(), Some("v3"), None, &a_run(), at(9)).await.unwrap();
    assert_eq!(none, Downgrade::default());
}

pub async fn a_downgrade_of_user_playbooks_takes_an_upgrade_back(store: &dyn Store) {
    add_user_playbooks(store, &acme(), &generations("v1", "support")).await;
    store.upgrade_user_playbooks(&acme(), None, None, true, &a_run(), at(9)).await.unwrap();
    let done = store.downgrade_user_playbooks(&acme(), None, None, &a_run(), at(10)).await.unwrap();
    assert_eq!(done, Downgrade { demoted: 1, restored: 1 });
    assert_eq!(count(store, "v1", "support").await, "pending=archived current=current");
    assert_eq!(search(store, &UserPlaybookFilter::default(), "archived ").await, Vec::<String>::new());
}

pub async fn user_playbooks_of_another_org_are_neither_seen_nor_touched(store: &dyn Store) {
    settle(store, &other()).await;
    add_user_playbooks(store, &other(), &generations("v1", "support")).await;
    let before = everything(store, &other()).await;
    let theirs = user_playbooks(store, &other()).await;
    assert!(user_playbooks(store, &acme()).await.is_empty());
    assert!(search(store, &UserPlaybookFilter::default(), "refund current").await.is_empty());
    let change = UserPlaybookChange { content: Some("stolen".to_owned()), ..UserPlaybookChange::default() };
    assert_eq!(store.update_user_playbook(&acme(), theirs[0].id, &change, None, at(9)).await.unwrap(), None);
    for which in
        [UserPlaybookSelector::All, UserPlaybookSelector::Ids(theirs.iter().map(|row| row.id).collect())]
    {
        assert_eq!(store.delete_user_playbooks(&acme(), &which, at(9)).await.unwrap(), 0);
    }
    add_user_playbooks(store, &acme(), &generations("v1", "support")).await;
    store.upgrade_user_playbooks(&acme(), None, None, true, &a_run(), at(9)).await.unwrap();
    store.downgrade_user_playbooks(&acme(), None, None, &a_run(), at(9)).await.unwrap();
    assert_eq!(everything(store, &other()).await, before);
}

/// A pending, a current and an archived row, newest first, each saying what it was at first.
fn generations(version: &str, name: &str) -> Vec<UserPlaybook> {
    let row = |status: Status, second| UserPlaybook {
        status,
        agent_version: version.to_owned(),
        playbook_name: name.to_owned(),
        ..user_playbook("u1", second, status.as_str())
    };
    vec![row(Status::Pending, 3), row(Status::Current, 2), row(Status::Archived, 1)]
}

async fn count(store: &dyn Store, version: &str, name: &str) -> String {
    let filter = UserPlaybookFilter {
        agent_version: Some(version.to_owned()),
        playbook_name: Some(name.to_owned()),
        ..UserPlaybookFilter::default()
    };
    let rows = store.user_playbooks(&acme(), &filter, ALL).await.unwrap();
    rows.iter().map(|row| format!("{}={}", row.body.content, row.status)).collect::<Vec<_>>().join(" ")
}

fn contents(rows: &[UserPlaybook]) -> Vec<&str> {
    rows.iter().map(|row| row.body.content.as_str()).collect()
}

async fn search(store: &dyn Store, filter: &UserPlaybookFilter, query: &str) -> Vec<String> {
    let rows = store
        .search_user_playbooks(&acme(), filter, &Ask::words(&TextQuery::parse(query), ALL))
        .await
        .unwrap();
    rows.into_iter().map(|hit| hit.row.body.content).collect()
}
