use reflexio_store::{OutcomeFilter, Page, Recorded, RequestSelector, Store};
use reflexio_types::{OutcomeKind, SessionOutcome, TimeRange};

use crate::sample::{ALL, acme, at, other, outcome, request, say};

async fn outcomes(store: &dyn Store, filter: OutcomeFilter) -> Vec<String> {
    let rows = store.outcomes(&acme(), &filter, Page::first(ALL)).await.unwrap();
    rows.into_iter().map(|row| row.id).collect()
}

pub async fn the_first_outcome_of_a_session_stays(store: &dyn Store) {
    let first = SessionOutcome {
        value: Some(0.5),
        label: Some("refund".to_owned()),
        metadata: serde_json::json!({"order": [1, "ü"]}).as_object().cloned(),
        ..outcome("o1", "u1", "s1", 5)
    };
    assert_eq!(store.record_outcome(&acme(), first.clone()).await.unwrap(), Recorded::NoSession);
    say(store, &acme(), request("r1", "u1", "s1", 1), &["hello"]).await;
    assert_eq!(store.record_outcome(&acme(), first.clone()).await.unwrap(), Recorded::New);
    let second = SessionOutcome { kind: OutcomeKind::Failure, ..outcome("o2", "u1", "s1", 6) };
    let kept = store.record_outcome(&acme(), second).await.unwrap();
    assert_eq!(kept, Recorded::Before(Box::new(first.clone())));
    assert_eq!(store.outcome(&acme(), &"u1".into(), &"s1".into()).await.unwrap(), Some(first));
    let elsewhere = outcome("o3", "u2", "s1", 5);
    assert_eq!(
        store.record_outcome(&acme(), elsewhere).await.unwrap(),
        Recorded::NoSession,
        "the session of that name is another user's"
    );
}

pub async fn outcomes_are_filtered_by_each_field_and_paged(store: &dyn Store) {
    for (user, session) in [("u1", "s1"), ("u1", "s2"), ("u2", "s3")] {
        say(store, &acme(), request(session, user, session, 1), &["hello"]).await;
    }
    let rows = [
        outcome("o1", "u1", "s1", 5),
        SessionOutcome { kind: OutcomeKind::Failure, ..outcome("o2", "u1", "s2", 6) },
        SessionOutcome {
            source: "mail".to_owned(),
            label: Some("late".to_owned()),
            ..outcome("o3", "u2", "s3", 7)
        },
    ];
    for row in &rows {
        store.record_outcome(&acme(), row.clone()).await.unwrap();
    }
    let all = OutcomeFilter::default();
    let check = async |filter: OutcomeFilter, expected: &[&str]| {
        assert_eq!(outcomes(store, filter.clone()).await, expected, "{filter:?}");
    };
    check(all.clone(), &["o3", "o2", "o1"]).await;
    check(OutcomeFilter { user_id: Some("u1".into()), ..all.clone() }, &["o2", "o1"]).await;
    let sessions = vec!["s1".into(), "s3".into(), "nowhere".into()];
    check(OutcomeFilter { session_ids: sessions, ..all.clone() }, &["o3", "o1"]).await;
    check(OutcomeFilter { kind: Some(OutcomeKind::Failure), ..all.clone() }, &["o2"]).await;
    check(OutcomeFilter { source: Some("mail".to_owned()), ..all.clone() }, &["o3"]).await;
    check(OutcomeFilter { label: Some("late".to_owned()), ..all.clone() }, &["o3"]).await;
    let time = TimeRange { start: Some(at(6)), end: Some(at(6)) };
    check(OutcomeFilter { time, ..all.clone() }, &["o2"]).await;
    let page = store.outcomes(&acme(), &all, Page { limit: 1, offset: 1 }).await.unwrap();
    assert_eq!(page, rows[1..2]);
}

pub async fn an_outcome_goes_with_the_last_request_of_its_session(store: &dyn Store) {
    say(store, &acme(), request("r1", "u1", "s1", 1), &["hello"]).await;
    say(store, &acme(), request("r2", "u1", "s1", 2), &["again"]).await;
    say(store, &acme(), request("r3", "u2", "s1", 2), &["another user's"]).await;
    for (id, user) in [("o1", "u1"), ("o2", "u2")] {
        store.record_outcome(&acme(), outcome(id, user, "s1", 5)).await.unwrap();
    }
    let delete = async |id: &str| {
        store.delete_requests(&acme(), &RequestSelector::Ids(vec![id.into()])).await.unwrap();
    };
    delete("r1").await;
    assert_eq!(outcomes(store, OutcomeFilter::default()).await, ["o2", "o1"]);
    delete("r2").await;
    assert_eq!(outcomes(store, OutcomeFilter::default()).await, ["o2"]);
    assert_eq!(store.check_integrity().await.unwrap().problems, Vec::<String>::new());
}

pub async fn outcomes_of_another_org_are_neither_seen_nor_touched(store: &dyn Store) {
    for org in [acme(), other()] {
        say(store, &org, request("r1", "u1", "s1", 1), &["hello"]).await;
    }
    store.record_outcome(&acme(), outcome("o1", "u1", "s1", 5)).await.unwrap();
    assert_eq!(store.outcome(&other(), &"u1".into(), &"s1".into()).await.unwrap(), None);
    assert!(store.outcomes(&other(), &OutcomeFilter::default(), Page::first(ALL)).await.unwrap().is_empty());
    let theirs = outcome("o1", "u1", "s1", 6);
    assert_eq!(store.record_outcome(&other(), theirs).await.unwrap(), Recorded::New);
    store.clear_user(&other(), &"u1".into()).await.unwrap();
    assert_eq!(outcomes(store, OutcomeFilter::default()).await, ["o1"]);
}
