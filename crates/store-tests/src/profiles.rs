use reflexio_search::TextQuery;
use reflexio_store::{Ask, Downgrade, Error, ProfileFilter, ProfileSelector, Store, Upgrade};
use reflexio_types::{InteractionId, Profile, ProfileBody, ProfileTimeToLive, Status, TimeRange, UserId};

use crate::sample::{ALL, a_run, acme, add_profiles, at, everything, other, profile, profiles, settle};

pub async fn a_profile_is_read_back_whole(store: &dyn Store) {
    let body = ProfileBody {
        content: "likes \"tea\" 🙂".to_owned(),
        custom_features: serde_json::json!({ "city": "Köln", "nested": { "a": [1, null] } })
            .as_object()
            .cloned(),
        extractor_names: Some(vec!["basic".to_owned()]),
        expanded_terms: Some("drink".to_owned()),
        tags: Some(vec![]),
        source_interaction_ids: vec![InteractionId(3), InteractionId(1)],
        source_span: Some("tea".to_owned()),
        notes: Some(String::new()),
        reader_angle: Some("angle".to_owned()),
        merged_into: Some("p8".into()),
        superseded_by: Some("p9".into()),
        learned_by: Some("model".to_owned()),
    };
    let full = Profile {
        time_to_live: ProfileTimeToLive::OneWeek,
        expires_at: at(9),
        source: Some("chat".to_owned()),
        status: Status::Superseded,
        body,
        ..profile("p1", "u1", 2, "")
    };
    let plain = profile("p2", "u1", 1, "");
    add_profiles(store, &acme(), &[plain.clone(), full.clone()]).await;
    assert_eq!(profiles(store, &acme()).await, [full, plain]);
}

pub async fn profiles_come_by_newest_change_then_by_id(store: &dyn Store) {
    let rows = [profile("b", "u1", 1, ""), profile("c", "u2", 2, ""), profile("a", "u1", 1, "")];
    add_profiles(store, &acme(), &rows).await;
    for limit in 0..=3 {
        let some = store.profiles(&acme(), &ProfileFilter::default(), limit).await.unwrap();
        assert_eq!(ids(&some), ["c", "a", "b"][..limit]);
    }
}

pub async fn a_taken_profile_id_is_refused_and_none_of_the_batch_is_stored(store: &dyn Store) {
    add_profiles(store, &acme(), &[profile("p1", "u1", 1, "apple")]).await;
    let before = everything(store, &acme()).await;
    let batch =
        vec![profile("p2", "u1", 2, "pear"), profile("p1", "u2", 3, "pear"), profile("p3", "u1", 4, "pear")];
    let refused = store.add_profiles(&acme(), batch, None).await;
    assert!(matches!(&refused, Err(Error::Duplicate { id, .. }) if id == "p1"), "{refused:?}");
    let twice = vec![profile("p4", "u1", 2, "pear"), profile("p4", "u1", 2, "pear")];
    assert!(matches!(store.add_profiles(&acme(), twice, None).await, Err(Error::Duplicate { .. })));
    assert_eq!(everything(store, &acme()).await, before);
    assert!(search(store, &ProfileFilter::default(), "pear").await.is_empty());
    add_profiles(store, &other(), &[profile("p1", "u1", 1, "another org")]).await;
}

pub async fn profiles_are_filtered_by_each_field(store: &dyn Store) {
    let base = |id: &str, user: &str, second| profile(id, user, second, "apple");
    let tagged = |mut row: Profile, tags: &[&str]| {
        row.body.tags = Some(tags.iter().map(|tag| (*tag).to_owned()).collect());
        row
    };
    let mut special = tagged(base("p1", "u1", 1), &["food", "fruit"]);
    special.request_id = "r7".into();
    special.source = Some("chat".to_owned());
    special.time_to_live = ProfileTimeToLive::OneDay;
    special.expires_at = at(100);
    special.status = Status::Pending;
    special.body.custom_features = serde_json::json!({ "city": "Köln" }).as_object().cloned();
    special.body.extractor_names = Some(vec!["basic".to_owned(), "deep".to_owned()]);
    let mut archived = tagged(base("p2", "u1", 2), &["drink"]);
    archived.status = Status::Archived;
    add_profiles(store, &acme(), &[special, archived, base("p3", "u2", 3)]).await;
    let every = ProfileFilter::default();
    let time = |start: Option<i64>, end: Option<i64>| TimeRange { start: start.map(at), end: end.map(at) };
    let words = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let checks = [
        (every.clone(), "p3 p2 p1"),
        (ProfileFilter { user_id: Some("u1".into()), ..every.clone() }, "p2 p1"),
        (ProfileFilter { profile_id: Some("p2".into()), ..every.clone() }, "p2"),
        (ProfileFilter { request_id: Some("r7".into()), ..every.clone() }, "p1"),
        (ProfileFilter { source: Some("chat".to_owned()), ..every.clone() }, "p1"),
        (ProfileFilter { time_to_live: Some(ProfileTimeToLive::OneDay), ..every.clone() }, "p1"),
        (ProfileFilter { time: time(Some(2), None), ..every.clone() }, "p3 p2"),
        (ProfileFilter { time: time(None, Some(2)), ..every.clone() }, "p2 p1"),
        (ProfileFilter { status: vec![Status::Current], ..every.clone() }, "p3"),
        (ProfileFilter { status: vec![Status::Current, Status::Pending], ..every.clone() }, "p3 p1"),
        (ProfileFilter { tags: words(&["fruit"]), ..every.clone() }, "p1"),
        (ProfileFilter { tags: words(&["drink", "fruit", "none"]), ..every.clone() }, "p2 p1"),
        (ProfileFilter { tags: words(&["fru"]), ..every.clone() }, ""),
        (ProfileFilter { custom_feature: Some("Köl".to_owned()), ..every.clone() }, "p1"),
        (ProfileFilter { custom_feature: Some("null".to_owned()), ..every.clone() }, ""),
        (ProfileFilter { extractor_name: Some("deep".to_owned()), ..every.clone() }, "p1"),
        (ProfileFilter { alive_at: Some(at(100)), ..every.clone() }, "p3 p2 p1"),
        (ProfileFilter { alive_at: Some(at(101)), ..every.clone() }, "p3 p2"),
        (ProfileFilter { user_id: Some("u1".into()), status: vec![Status::Archived], ..every.clone() }, "p2"),
        (ProfileFilter { user_id: Some("u2".into()), tags: words(&["fruit"]), ..every }, ""),
    ];
    for (filter, expected) in checks {
        let rows = store.profiles(&acme(), &filter, ALL).await.unwrap();
        assert_eq!(ids(&rows).join(" "), expected, "{filter:?}");
        let mut rows = search(store, &filter, "apple").await;
        rows.sort_unstable_by(|a, b| b.cmp(a));
        assert_eq!(rows.join(" "), expected, "search with {filter:?}");
    }
}

pub async fn profiles_are_found_by_content_features_and_expanded_terms(store: &dyn Store) {
    let mut row = profile("p1", "u1", 1, "drinks tea");
    row.body.custom_features =
        serde_json::json!({ "city": "Köln", "list": ["harbour"] }).as_object().cloned();
    row.body.expanded_terms = Some("beverage".to_owned());
    row.body.notes = Some("secretive".to_owned());
    add_profiles(store, &acme(), &[row, profile("p2", "u2", 2, "drinks coffee")]).await;
    for query in ["tea ", "koln ", "harbour", "beverages "] {
        assert_eq!(search(store, &ProfileFilter::default(), query).await, ["p1"], "{query}");
    }
    assert!(search(store, &ProfileFilter::default(), "secretive").await.is_empty());
    assert_eq!(search(store, &ProfileFilter::default(), "drinks ").await, ["p2", "p1"]);
}

pub async fn deleted_profiles_are_gone_from_lists_and_searches(store: &dyn Store) {
    let rows: Vec<Profile> = (1..=4).map(|n| profile(&format!("p{n}"), "u1", n, "apple")).collect();
    add_profiles(store, &acme(), &rows).await;
    let delete =
        |which: ProfileSelector| async move { store.delete_profiles(&acme(), &which, at(9)).await.unwrap() };
    assert_eq!(delete(ProfileSelector::Ids(vec!["p1".into(), "p1".into(), "x".into()])).await, 1);
    assert_eq!(delete(ProfileSelector::OfUser { user_id: "u2".into(), id: "p2".into() }).await, 0);
    assert_eq!(delete(ProfileSelector::OfUser { user_id: "u1".into(), id: "p2".into() }).await, 1);
    assert_eq!(search(store, &ProfileFilter::default(), "apple").await, ["p4", "p3"]);
    assert_eq!(delete(ProfileSelector::All).await, 2);
    assert!(profiles(store, &acme()).await.is_empty());
    assert!(search(store, &ProfileFilter::default(), "apple").await.is_empty());
    add_profiles(store, &acme(), &rows[..1]).await;
    assert_eq!(search(store, &ProfileFilter::default(), "apple").await, ["p1"]);
}

pub async fn an_upgrade_moves_every_row_one_step(store: &dyn Store) {
    add_profiles(store, &acme(), &generations("u1")).await;
    let mut merged = profile("merged", "u1", 9, "apple");
    merged.status = Status::Merged;
    add_profiles(store, &acme(), &[merged]).await;
    let done = store.upgrade_profiles(&acme(), None, false, &a_run(), at(20)).await.unwrap();
    assert_eq!(done, Upgrade { promoted: 1, archived: 1, deleted: 1 });
    assert_eq!(states(store).await, ["merged=merged", "u1-pending=current", "u1-current=archived"]);
    let mut found = search(store, &ProfileFilter::default(), "apple").await;
    found.sort_unstable();
    assert_eq!(found, ["merged", "u1-current", "u1-pending"]);
}

pub async fn an_upgrade_keeps_to_its_user(store: &dyn Store) {
    add_profiles(store, &acme(), &generations("u1")).await;
    add_profiles(store, &acme(), &generations("u2")).await;
    let done =
        store.upgrade_profiles(&acme(), Some(&UserId::new("u1")), false, &a_run(), at(20)).await.unwrap();
    assert_eq!(done, Upgrade { promoted: 1, archived: 1, deleted: 1 });
    let expected = [
        "u1-pending=current",
        "u2-pending=pending",
        "u1-current=archived",
        "u2-current=current",
        "u2-archived=archived",
    ];
    assert_eq!(states(store).await, expected);
}

pub async fn an_upgrade_of_affected_users_leaves_the_others_alone(store: &dyn Store) {
    add_profiles(store, &acme(), &generations("u1")).await;
    add_profiles(store, &acme(), &generations("u2")[1..]).await;
    let done = store.upgrade_profiles(&acme(), None, true, &a_run(), at(20)).await.unwrap();
    assert_eq!(done, Upgrade { promoted: 1, archived: 1, deleted: 1 });
    assert_eq!(
        states(store).await,
        ["u1-pending=current", "u1-current=archived", "u2-current=current", "u2-archived=archived"]
    );
}

pub async fn an_upgrade_of_all_users_also_archives_those_without_pending_rows(store: &dyn Store) {
    add_profiles(store, &acme(), &generations("u1")).await;
    add_profiles(store, &acme(), &generations("u2")[1..]).await;
    let done = store.upgrade_profiles(&acme(), None, false, &a_run(), at(20)).await.unwrap();
    assert_eq!(done, Upgrade { promoted: 1, archived: 2, deleted: 2 });
    assert_eq!(states(store).await, ["u1-pending=current", "u1-current=archived", "u2-current=archived"]);
}

pub async fn an_upgrade_without_pending_rows_changes_nothing(store: &dyn Store) {
    add_profiles(store, &acme(), &generations("u1")[1..]).await;
    for only_affected in [false, true] {
        let done = store.upgrade_profiles(&acme(), None, only_affected, &a_run(), at(20)).await.unwrap();
        assert_eq!(done, Upgrade::default());
    }
    assert_eq!(states(store).await, ["u1-current=current", "u1-archived=archived"]);
}

pub async fn a_downgrade_takes_an_upgrade_back(store: &dyn Store) {
    add_profiles(store, &acme(), &generations("u1")).await;
    store.upgrade_profiles(&acme(), None, false, &a_run(), at(20)).await.unwrap();
    let done = store.downgrade_profiles(&acme(), None, false, &a_run(), at(21)).await.unwrap();
    assert_eq!(done, Downgrade { demoted: 1, restored: 1 });
    assert_eq!(states(store).await, ["u1-pending=archived", "u1-current=current"]);
    let again = store.downgrade_profiles(&acme(), None, false, &a_run(), at(22)).await.unwrap();
    assert_eq!(again, Downgrade { demoted: 1, restored: 1 });
    assert_eq!(states(store).await, ["u1-pending=current", "u1-current=archived"]);
    let mut found = search(store, &ProfileFilter::default(), "apple").await;
    found.sort_unstable();
    assert_eq!(found, ["u1-current", "u1-pending"]);
}

pub async fn a_downgrade_keeps_to_its_user_and_leaves_pending_rows_alone(store: &dyn Store) {
    add_profiles(store, &acme(), &generations("u1")).await;
    add_profiles(store, &acme(), &generations("u2")).await;
    let done =
        store.downgrade_profiles(&acme(), Some(&UserId::new("u1")), false, &a_run(), at(20)).await.unwrap();
    assert_eq!(done, Downgrade { demoted: 1, restored: 1 });
    let expected = [
        "u1-pending=pending",
        "u2-pending=pending",
        "u1-current=archived",
        "u2-current=current",
        "u1-archived=current",
        "u2-archived=archived",
    ];
    assert_eq!(states(store).await, expected);
}

pub async fn a_downgrade_of_affected_users_leaves_the_others_alone(store: &dyn Store) {
    add_profiles(store, &acme(), &generations("u1")[1..]).await;
    add_profiles(store, &acme(), &generations("u2")[..2]).await;
    let done = store.downgrade_profiles(&acme(), None, true, &a_run(), at(20)).await.unwrap();
    assert_eq!(done, Downgrade { demoted: 1, restored: 1 });
    let expected = ["u2-pending=pending", "u1-current=archived", "u2-current=current", "u1-archived=current"];
    assert_eq!(states(store).await, expected);
    let done = store.downgrade_profiles(&acme(), None, false, &a_run(), at(21)).await.unwrap();
    assert_eq!(done, Downgrade { demoted: 2, restored: 1 });
}

pub async fn a_downgrade_without_archived_rows_changes_nothing(store: &dyn Store) {
    add_profiles(store, &acme(), &generations("u1")[..2]).await;
    for only_affected in [false, true] {
        let done = store.downgrade_profiles(&acme(), None, only_affected, &a_run(), at(20)).await.unwrap();
        assert_eq!(done, Downgrade::default());
    }
    assert_eq!(states(store).await, ["u1-pending=pending", "u1-current=current"]);
}

pub async fn profiles_of_another_org_are_neither_seen_nor_touched(store: &dyn Store) {
    settle(store, &other()).await;
    add_profiles(store, &other(), &generations("u1")).await;
    let before = everything(store, &other()).await;
    assert!(profiles(store, &acme()).await.is_empty());
    assert!(search(store, &ProfileFilter::default(), "refunds apple").await.is_empty());
    for which in [
        ProfileSelector::All,
        ProfileSelector::Ids(vec!["p1".into()]),
        ProfileSelector::OfUser { user_id: "u1".into(), id: "p1".into() },
    ] {
        assert_eq!(store.delete_profiles(&acme(), &which, at(9)).await.unwrap(), 0);
    }
    add_profiles(store, &acme(), &generations("u1")).await;
    store.upgrade_profiles(&acme(), None, false, &a_run(), at(9)).await.unwrap();
    store.downgrade_profiles(&acme(), None, false, &a_run(), at(9)).await.unwrap();
    assert_eq!(everything(store, &other()).await, before);
}

/// A pending, a current and an archived row, newest first.
fn generations(user: &str) -> Vec<Profile> {
    let row = |status: Status, second| Profile {
        status,
        ..profile(&format!("{user}-{status}"), user, second, "apple")
    };
    vec![row(Status::Pending, 3), row(Status::Current, 2), row(Status::Archived, 1)]
}

async fn states(store: &dyn Store) -> Vec<String> {
    profiles(store, &acme()).await.iter().map(|row| format!("{}={}", row.id, row.status)).collect()
}

fn ids(rows: &[Profile]) -> Vec<&str> {
    rows.iter().map(|row| row.id.as_str()).collect()
}

async fn search(store: &dyn Store, filter: &ProfileFilter, query: &str) -> Vec<String> {
    let rows =
        store.search_profiles(&acme(), filter, &Ask::words(&TextQuery::parse(query), ALL)).await.unwrap();
    rows.into_iter().map(|hit| hit.row.id.into_string()).collect()
}
