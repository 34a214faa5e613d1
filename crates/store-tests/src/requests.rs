use reflexio_store::{Error, NewRequest, Page, RequestFilter, RequestSelector, SessionGroup, Store};
use reflexio_types::{
    Citation, CitationKind, Experiment, ExperimentArm, LearningIntent, LearningKind, Request,
    RetrievedLearning, TimeRange, ToolUse, Turn, UserAction,
};

use crate::sample::{
    acme, at, everything, found, image, interactions, learn, new_request, other, publish, request, say,
    settle, showing,
};

pub async fn a_publish_is_read_back_whole(store: &dyn Store) {
    let frame = Request {
        experiment: Some(Experiment { id: "e1".to_owned(), arm: ExperimentArm::Holdout }),
        intent: LearningIntent {
            force_extraction: true,
            session_finished: true,
            ..LearningIntent::default()
        },
        ..request("r1", "u1", "s1", 5)
    };
    let picture = image("cat");
    let turn = Turn {
        shadow_content: "shadow".to_owned(),
        expert_content: "expert".to_owned(),
        user_action: UserAction::Click,
        user_action_description: "pressed the button".to_owned(),
        image_url: "https://example.org/cat.gif".to_owned(),
        tools_used: vec![ToolUse {
            tool_name: "lookup".to_owned(),
            tool_data: serde_json::json!({ "q": ["x", null] }).as_object().cloned().unwrap(),
            status: "ok".to_owned(),
        }],
        citations: vec![Citation {
            kind: CitationKind::Profile,
            real_id: "p1".to_owned(),
            tag: "t".to_owned(),
            title: "T".to_owned(),
        }],
        retrieved_learnings: vec![RetrievedLearning {
            kind: LearningKind::UserPlaybook,
            learning_id: "7".to_owned(),
        }],
        ..showing(6, "Größe: 退款 \"quoted\" 🙂\nnext line", &picture)
    };
    let new = NewRequest {
        turns: vec![turn.clone(), Turn::say(at(7), "", "")],
        images: vec![picture],
        ..new_request(frame.clone(), &[])
    };
    let ids = publish(store, &acme(), new).await;

    assert_eq!(store.request(&acme(), &frame.id).await.unwrap(), Some(frame.clone()));
    let mut rows = interactions(store, &acme()).await;
    rows.sort_by_key(|row| row.id);
    assert_eq!(rows.iter().map(|row| row.id).collect::<Vec<_>>(), ids);
    assert_eq!((&rows[0].turn, &rows[1].turn), (&turn, &Turn::say(at(7), "", "")));
    assert_eq!(
        (&rows[0].user_id, &rows[0].request_id, &rows[0].session_id),
        (&frame.user_id, &frame.id, &frame.session_id)
    );
}

pub async fn ids_grow_in_the_order_of_arrival(store: &dyn Store) {
    let first = say(store, &acme(), request("r1", "u1", "s1", 9), &["one", "two", "three"]).await;
    let second = say(store, &other(), request("r1", "u1", "s1", 1), &["four"]).await;
    let all: Vec<_> = first.iter().chain(&second).collect();
    assert!(all.is_sorted() && first.len() == 3 && second.len() == 1, "{all:?}");
    assert!(first[0].0 > 0);
}

pub async fn a_request_may_be_empty(store: &dyn Store) {
    assert!(say(store, &acme(), request("r1", "u1", "s1", 1), &[]).await.is_empty());
    let groups = sessions(store, &RequestFilter::default(), Page::first(10)).await;
    assert_eq!(names(&groups), ["s1: r1[]"]);
}

pub async fn a_taken_request_id_is_refused_and_leaves_nothing_behind(store: &dyn Store) {
    say(store, &acme(), request("r1", "u1", "s1", 1), &["first"]).await;
    let before = everything(store, &acme()).await;
    let picture = image("cat");
    let again = NewRequest {
        turns: vec![showing(2, "second", &picture)],
        images: vec![picture.clone()],
        job: Some(learn("u2")),
        ..new_request(request("r1", "u2", "s2", 2), &[])
    };
    match store.publish(&acme(), again).await {
        Err(Error::Duplicate { what: "request_id", id }) => assert_eq!(id, "r1"),
        other => assert!(matches!(other, Err(Error::Duplicate { .. })), "{other:?}"),
    }
    assert_eq!(everything(store, &acme()).await, before);
    assert_eq!(store.image(&acme(), &picture.id).await.unwrap(), None);
    assert_eq!(store.learning_job(&acme(), &"u2".into()).await.unwrap(), None);
    assert!(found(store, &acme(), "second").await.is_empty());
}

pub async fn two_orgs_may_use_the_same_request_id(store: &dyn Store) {
    say(store, &acme(), request("r1", "u1", "s1", 1), &["mine"]).await;
    say(store, &other(), request("r1", "u2", "s2", 2), &["theirs"]).await;
    assert_eq!(store.request(&acme(), &"r1".into()).await.unwrap(), Some(request("r1", "u1", "s1", 1)));
    assert_eq!(store.request(&other(), &"r1".into()).await.unwrap(), Some(request("r1", "u2", "s2", 2)));
    assert_eq!(interactions(store, &acme()).await[0].turn.content, "mine");
}

pub async fn requests_tell_their_sessions(store: &dyn Store) {
    say(store, &acme(), request("r1", "u1", "s1", 1), &["a"]).await;
    say(store, &acme(), request("r2", "u1", "s2", 1), &["b"]).await;
    say(store, &other(), request("r3", "u1", "s3", 1), &["c"]).await;
    let asked = ["r1".into(), "r3".into(), "nobody".into()];
    let found = store.request_sessions(&acme(), &asked).await.unwrap();
    assert_eq!(found.into_iter().collect::<Vec<_>>(), [("r1".into(), "s1".into())]);
}

pub async fn sessions_come_newest_first_and_so_do_their_requests(store: &dyn Store) {
    say(store, &acme(), request("r1", "u1", "old", 1), &["a", "b"]).await;
    say(store, &acme(), request("r2", "u1", "new", 5), &["c"]).await;
    say(store, &acme(), request("r3", "u1", "old", 3), &["d"]).await;
    say(store, &acme(), request("r4", "u1", "old", 3), &["e"]).await;
    let groups = sessions(store, &RequestFilter::default(), Page::first(10)).await;
    // Within one second the latest arrival is the newest.
    assert_eq!(names(&groups), ["new: r2[c]", "old: r4[e] r3[d] r1[a b]"]);
}

pub async fn sessions_are_paged(store: &dyn Store) {
    for second in 1..=5 {
        let name = format!("s{second}");
        say(store, &acme(), request(&format!("r{second}"), "u1", &name, second), &["x"]).await;
        say(store, &acme(), request(&format!("q{second}"), "u1", &name, second), &[]).await;
    }
    for (limit, offset, expected, more) in [
        (2, 0, vec!["s5", "s4"], true),
        (2, 2, vec!["s3", "s2"], true),
        (2, 4, vec!["s1"], false),
        (5, 0, vec!["s5", "s4", "s3", "s2", "s1"], false),
        (3, 9, vec![], false),
        (0, 0, vec![], true),
    ] {
        let page = Page { limit, offset };
        let (groups, told) = store.sessions(&acme(), &RequestFilter::default(), page).await.unwrap();
        let found: Vec<&str> = groups.iter().map(|group| group.session_id.as_str()).collect();
        assert_eq!((found, told), (expected, more), "limit {limit} offset {offset}");
        assert!(groups.iter().all(|group| group.requests.len() == 2));
    }
}

pub async fn sessions_are_filtered_by_each_field_of_their_requests(store: &dyn Store) {
    say(store, &acme(), request("r1", "u1", "s1", 1), &["a"]).await;
    say(store, &acme(), Request { source: "mail".to_owned(), ..request("r2", "u1", "s1", 2) }, &["b"]).await;
    say(store, &acme(), request("r3", "u2", "s2", 3), &["c"]).await;
    let every = RequestFilter::default();
    let checks = [
        (every.clone(), vec!["s2: r3[c]", "s1: r2[b] r1[a]"]),
        (RequestFilter { user_id: Some("u1".into()), ..every.clone() }, vec!["s1: r2[b] r1[a]"]),
        // Only the requests that match are in the group.
        (RequestFilter { request_id: Some("r1".into()), ..every.clone() }, vec!["s1: r1[a]"]),
        (RequestFilter { session_id: Some("s2".into()), ..every.clone() }, vec!["s2: r3[c]"]),
        (RequestFilter { source: Some("mail".to_owned()), ..every.clone() }, vec!["s1: r2[b]"]),
        (RequestFilter { time: between(Some(2), None), ..every.clone() }, vec!["s2: r3[c]", "s1: r2[b]"]),
        (RequestFilter { time: between(None, Some(2)), ..every.clone() }, vec!["s1: r2[b] r1[a]"]),
        (RequestFilter { time: between(Some(2), Some(2)), ..every.clone() }, vec!["s1: r2[b]"]),
        (
            RequestFilter { user_id: Some("u1".into()), time: between(None, Some(1)), ..every.clone() },
            vec!["s1: r1[a]"],
        ),
        (RequestFilter { user_id: Some("u2".into()), session_id: Some("s1".into()), ..every }, vec![]),
    ];
    for (filter, expected) in checks {
        assert_eq!(names(&sessions(store, &filter, Page::first(10)).await), expected, "{filter:?}");
    }
}

pub async fn deleted_requests_take_their_interactions_along(store: &dyn Store) {
    say(store, &acme(), request("r1", "u1", "s1", 1), &["apple", "pear"]).await;
    say(store, &acme(), request("r2", "u1", "s1", 2), &["plum"]).await;
    say(store, &acme(), request("r3", "u2", "s2", 3), &["apple cake"]).await;
    let which = RequestSelector::Ids(vec!["r1".into(), "r1".into(), "r9".into()]);
    assert_eq!(store.delete_requests(&acme(), &which).await.unwrap(), 1);
    assert_eq!(store.request(&acme(), &"r1".into()).await.unwrap(), None);
    assert_eq!(found(store, &acme(), "apple pear ").await, ["apple cake"]);
    let groups = sessions(store, &RequestFilter::default(), Page::first(10)).await;
    assert_eq!(names(&groups), ["s2: r3[apple cake]", "s1: r2[plum]"]);
    assert_eq!(store.delete_requests(&acme(), &which).await.unwrap(), 0);
    assert_eq!(store.delete_requests(&acme(), &RequestSelector::Ids(vec![])).await.unwrap(), 0);
}

pub async fn a_deleted_session_is_gone_whole(store: &dyn Store) {
    say(store, &acme(), request("r1", "u1", "s1", 1), &["apple"]).await;
    say(store, &acme(), request("r2", "u2", "s1", 2), &["apple"]).await;
    say(store, &acme(), request("r3", "u1", "s2", 3), &["apple"]).await;
    let which = RequestSelector::Session("s1".into());
    assert_eq!(store.delete_requests(&acme(), &which).await.unwrap(), 2);
    let groups = sessions(store, &RequestFilter::default(), Page::first(10)).await;
    assert_eq!(names(&groups), ["s2: r3[apple]"]);
    assert_eq!(found(store, &acme(), "apple").await.len(), 1);
    assert_eq!(store.delete_requests(&acme(), &which).await.unwrap(), 0);
}

pub async fn a_deleted_request_id_can_be_used_again(store: &dyn Store) {
    let first = say(store, &acme(), request("r1", "u1", "s1", 1), &["apple"]).await;
    store.delete_requests(&acme(), &RequestSelector::Ids(vec!["r1".into()])).await.unwrap();
    let second = say(store, &acme(), request("r1", "u1", "s1", 1), &["pear"]).await;
    assert!(second[0] > first[0], "interaction ids are never used again");
    assert_eq!(found(store, &acme(), "apple pear ").await, ["pear"]);
}

pub async fn requests_of_another_org_are_neither_seen_nor_deleted(store: &dyn Store) {
    settle(store, &other()).await;
    let before = everything(store, &other()).await;
    assert_eq!(store.request(&acme(), &"r1".into()).await.unwrap(), None);
    let (groups, more) = store.sessions(&acme(), &RequestFilter::default(), Page::first(10)).await.unwrap();
    assert_eq!((groups, more), (vec![], false));
    for which in [RequestSelector::Ids(vec!["r1".into()]), RequestSelector::Session("s1".into())] {
        assert_eq!(store.delete_requests(&acme(), &which).await.unwrap(), 0);
    }
    assert_eq!(everything(store, &other()).await, before);
}

async fn sessions(store: &dyn Store, filter: &RequestFilter, page: Page) -> Vec<SessionGroup> {
    store.sessions(&acme(), filter, page).await.unwrap().0
}

/// `session: request[turn turn] request[turn]`
fn names(groups: &[SessionGroup]) -> Vec<String> {
    let mut lines = Vec::new();
    for group in groups {
        let requests: Vec<String> = group
            .requests
            .iter()
            .map(|detail| {
                let said: Vec<&str> =
                    detail.interactions.iter().map(|row| row.turn.content.as_str()).collect();
                format!("{}[{}]", detail.request.id, said.join(" "))
            })
            .collect();
        lines.push(format!("{}: {}", group.session_id, requests.join(" ")));
    }
    lines
}

fn between(start: Option<i64>, end: Option<i64>) -> TimeRange {
    TimeRange { start: start.map(at), end: end.map(at) }
}
