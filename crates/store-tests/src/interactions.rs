use reflexio_search::TextQuery;
use reflexio_store::{Ask, InteractionFilter, InteractionOrder, InteractionSelector, NewRequest, Store};
use reflexio_types::{Interaction, InteractionId, TimeRange, Turn};

use crate::sample::{
    ALL, acme, at, everything, found, image, interactions, new_request, other, publish, request, say, settle,
    showing, texts,
};

pub async fn interactions_come_newest_first_and_one_second_in_the_order_said(store: &dyn Store) {
    say(store, &acme(), request("r1", "u1", "s1", 5), &["five-a", "five-b"]).await;
    say(store, &acme(), request("r2", "u1", "s1", 9), &["nine"]).await;
    say(store, &acme(), request("r3", "u1", "s1", 1), &["one"]).await;
    assert_eq!(contents(&interactions(store, &acme()).await), ["nine", "five-a", "five-b", "one"]);
    let every = InteractionFilter::default();
    let latest =
        store.interactions(&acme(), &every, InteractionOrder::LatestArrivalFirst, ALL).await.unwrap();
    assert_eq!(contents(&latest), ["one", "nine", "five-b", "five-a"]);
    for limit in 0..=4 {
        let some = store.interactions(&acme(), &every, InteractionOrder::NewestFirst, limit).await.unwrap();
        assert_eq!(contents(&some), ["nine", "five-a", "five-b", "one"][..limit]);
    }
}

pub async fn interactions_are_filtered_by_each_field(store: &dyn Store) {
    say(store, &acme(), request("r1", "u1", "s1", 1), &["red apple"]).await;
    say(store, &acme(), request("r2", "u1", "s2", 2), &["green apple"]).await;
    say(store, &acme(), request("r3", "u2", "s1", 3), &["blue apple"]).await;
    let every = InteractionFilter::default();
    let time = |start: Option<i64>, end: Option<i64>| TimeRange { start: start.map(at), end: end.map(at) };
    let checks = [
        (every.clone(), vec!["blue apple", "green apple", "red apple"]),
        (InteractionFilter { user_id: Some("u1".into()), ..every.clone() }, vec!["green apple", "red apple"]),
        (InteractionFilter { request_id: Some("r2".into()), ..every.clone() }, vec!["green apple"]),
        (
            InteractionFilter { session_id: Some("s1".into()), ..every.clone() },
            vec!["blue apple", "red apple"],
        ),
        (InteractionFilter { time: time(Some(2), None), ..every.clone() }, vec!["blue apple", "green apple"]),
        (InteractionFilter { time: time(None, Some(2)), ..every.clone() }, vec!["green apple", "red apple"]),
        (InteractionFilter { time: time(Some(2), Some(2)), ..every.clone() }, vec!["green apple"]),
        (
            InteractionFilter { user_id: Some("u1".into()), session_id: Some("s1".into()), ..every.clone() },
            vec!["red apple"],
        ),
        (
            InteractionFilter { user_id: Some("u2".into()), request_id: Some("r1".into()), ..every.clone() },
            vec![],
        ),
        (InteractionFilter { user_id: Some("nobody".into()), ..every }, vec![]),
    ];
    for (filter, expected) in checks {
        let rows = store.interactions(&acme(), &filter, InteractionOrder::NewestFirst, ALL).await.unwrap();
        assert_eq!(contents(&rows), expected, "{filter:?}");
        let mut rows = texts(&search(store, &filter, "apple").await);
        rows.sort_unstable();
        let mut expected = expected;
        expected.sort_unstable();
        assert_eq!(rows, expected, "search with {filter:?}");
    }
}

pub async fn the_best_match_comes_first_and_of_equal_ones_the_newest(store: &dyn Store) {
    say(store, &acme(), request("r1", "u1", "s1", 1), &["refund order"]).await;
    say(store, &acme(), request("r2", "u1", "s1", 2), &["order order shipping today", "order parcel"]).await;
    say(store, &acme(), request("r3", "u1", "s1", 3), &["order parcel"]).await;
    let rows = search(store, &InteractionFilter::default(), "refund order ").await;
    assert_eq!(texts(&rows)[0], "refund order");
    assert!(rows.windows(2).all(|pair| pair[0].score >= pair[1].score), "{rows:?}");
    let parcels: Vec<i64> = rows
        .iter()
        .filter(|hit| hit.row.turn.content == "order parcel")
        .map(|hit| hit.row.turn.created_at.0)
        .collect();
    assert_eq!(parcels, [at(3).0, at(2).0]);
    let query = TextQuery::parse("refund order ");
    for limit in 0..=4 {
        let some = store
            .search_interactions(&acme(), &InteractionFilter::default(), &Ask::words(&query, limit))
            .await
            .unwrap();
        assert_eq!(some, rows[..limit]);
    }
}

pub async fn every_part_of_a_turn_that_people_read_is_found(store: &dyn Store) {
    let turn = Turn {
        content: "said".to_owned(),
        shadow_content: "shadowed".to_owned(),
        expert_content: "expertise".to_owned(),
        user_action_description: "clicking".to_owned(),
        ..Turn::say(at(1), "User", "")
    };
    let new = NewRequest { turns: vec![turn], ..new_request(request("r1", "u1", "s1", 1), &[]) };
    publish(store, &acme(), new).await;
    for query in ["said", "shadow ", "expertise", "click "] {
        assert_eq!(found(store, &acme(), query).await, ["said"], "{query}");
    }
    assert!(found(store, &acme(), "User ").await.is_empty());
}

pub async fn queries_that_say_nothing_find_nothing(store: &dyn Store) {
    say(store, &acme(), request("r1", "u1", "s1", 1), &["apple \" AND (", "body scope rowid"]).await;
    for query in ["", "   ", "\"\"", "AND", "NOT apple", "🙂", "*", "':()"] {
        assert!(found(store, &acme(), query).await.is_empty(), "{query}");
    }
    assert_eq!(found(store, &acme(), "scope:apple ").await, Vec::<String>::new());
    assert_eq!(found(store, &acme(), "apple\"").await, ["apple \" AND ("]);
}

pub async fn many_matches_are_still_found_best_first(store: &dyn Store) {
    let crowd: Vec<String> = (0..1500).map(|n| format!("parcel number{n} is on its way")).collect();
    let crowd: Vec<&str> = crowd.iter().map(String::as_str).collect();
    say(store, &acme(), request("r1", "u1", "s1", 1), &crowd).await;
    say(store, &acme(), request("r2", "u2", "s2", 2), &["parcel lost", "nothing here"]).await;
    let query = TextQuery::parse("parcel lost");
    let every = InteractionFilter::default();
    let rows = store.search_interactions(&acme(), &every, &Ask::words(&query, 3)).await.unwrap();
    assert_eq!(texts(&rows)[0], "parcel lost");
    assert!(rows.len() == 3 && rows.windows(2).all(|pair| pair[0].score >= pair[1].score));
    assert_eq!(
        store.search_interactions(&acme(), &every, &Ask::words(&query, ALL)).await.unwrap().len(),
        1501
    );
    let only = InteractionFilter { user_id: Some("u2".into()), ..every };
    assert_eq!(
        texts(&store.search_interactions(&acme(), &only, &Ask::words(&query, 9)).await.unwrap()),
        ["parcel lost"]
    );
}

pub async fn a_request_goes_with_its_last_interaction(store: &dyn Store) {
    let ids = say(store, &acme(), request("r1", "u1", "s1", 1), &["apple", "pear"]).await;
    assert_eq!(delete_one(store, "u1", ids[0]).await, 1);
    assert_eq!(found(store, &acme(), "apple pear ").await, ["pear"]);
    assert!(store.request(&acme(), &"r1".into()).await.unwrap().is_some());
    assert_eq!(delete_one(store, "u1", ids[0]).await, 0);
    assert_eq!(delete_one(store, "u1", ids[1]).await, 1);
    assert_eq!(store.request(&acme(), &"r1".into()).await.unwrap(), None);
    assert!(found(store, &acme(), "apple pear ").await.is_empty());
}

pub async fn an_interaction_of_another_user_is_not_deleted(store: &dyn Store) {
    let ids = say(store, &acme(), request("r1", "u1", "s1", 1), &["apple"]).await;
    assert_eq!(delete_one(store, "u2", ids[0]).await, 0);
    assert_eq!(found(store, &acme(), "apple").await, ["apple"]);
}

pub async fn deleting_all_interactions_leaves_no_request(store: &dyn Store) {
    settle(store, &acme()).await;
    say(store, &acme(), request("r2", "u2", "s2", 2), &["apple", "pear"]).await;
    say(store, &acme(), request("r3", "u2", "s2", 2), &[]).await;
    assert_eq!(store.delete_interactions(&acme(), &InteractionSelector::All).await.unwrap(), 3);
    let stats = store.stats(&acme(), None).await.unwrap();
    assert_eq!((stats.interaction_count, stats.request_count, stats.profile_count), (0, 0, 1));
    assert_eq!(store.image(&acme(), &image("shared").id).await.unwrap(), None);
    assert!(found(store, &acme(), "apple refund ").await.is_empty());
    assert_eq!(store.delete_interactions(&acme(), &InteractionSelector::All).await.unwrap(), 0);
}

pub async fn interactions_of_another_org_are_neither_seen_nor_deleted(store: &dyn Store) {
    settle(store, &other()).await;
    let before = everything(store, &other()).await;
    let theirs = interactions(store, &other()).await;
    assert!(interactions(store, &acme()).await.is_empty());
    assert!(found(store, &acme(), "refund").await.is_empty());
    let filter = InteractionFilter { user_id: Some("u1".into()), ..InteractionFilter::default() };
    assert!(search(store, &filter, "refund").await.is_empty());
    assert_eq!(delete_one(store, "u1", theirs[0].id).await, 0);
    assert_eq!(store.delete_interactions(&acme(), &InteractionSelector::All).await.unwrap(), 0);
    assert_eq!(everything(store, &other()).await, before);
}

pub async fn an_image_is_stored_once_and_goes_with_its_last_reference(store: &dyn Store) {
    let picture = image("cat");
    let show = |id: &str| NewRequest {
        turns: vec![showing(1, "look", &picture), showing(1, "again", &picture)],
        images: vec![picture.clone()],
        ..new_request(request(id, "u1", "s1", 1), &[])
    };
    let first = publish(store, &acme(), show("r1")).await;
    let second = publish(store, &acme(), show("r2")).await;
    assert_eq!(store.image(&acme(), &picture.id).await.unwrap(), Some(picture.clone()));
    for id in first.iter().chain(&second[..1]) {
        assert_eq!(delete_one(store, "u1", *id).await, 1);
        assert!(store.image(&acme(), &picture.id).await.unwrap().is_some());
    }
    assert_eq!(delete_one(store, "u1", second[1]).await, 1);
    assert_eq!(store.image(&acme(), &picture.id).await.unwrap(), None);
}

pub async fn images_belong_to_their_org(store: &dyn Store) {
    settle(store, &other()).await;
    let picture = image("shared");
    assert_eq!(store.image(&acme(), &picture.id).await.unwrap(), None);
    settle(store, &acme()).await;
    store.delete_interactions(&acme(), &InteractionSelector::All).await.unwrap();
    assert_eq!(store.image(&acme(), &picture.id).await.unwrap(), None);
    assert_eq!(store.image(&other(), &picture.id).await.unwrap(), Some(picture));
}

fn contents(rows: &[Interaction]) -> Vec<&str> {
    rows.iter().map(|row| row.turn.content.as_str()).collect()
}

async fn search(
    store: &dyn Store,
    filter: &InteractionFilter,
    query: &str,
) -> Vec<reflexio_store::Scored<Interaction>> {
    store.search_interactions(&acme(), filter, &Ask::words(&TextQuery::parse(query), ALL)).await.unwrap()
}

async fn delete_one(store: &dyn Store, user: &str, id: InteractionId) -> u64 {
    let which = InteractionSelector::One { user_id: user.into(), id };
    store.delete_interactions(&acme(), &which).await.unwrap()
}
