//! The turns around a turn.

use reflexio_store::{InteractionSelector, RequestSelector, Store};
use reflexio_types::InteractionId;

use crate::sample::{acme, other, request, say};

/// What was said around some turns, each stretch as one line; the order of stretches is the store's.
async fn around(store: &dyn Store, turns: &[InteractionId], reach: usize) -> Vec<String> {
    let stretches = store.conversations(&acme(), turns, reach).await.unwrap();
    let line = |rows: &Vec<reflexio_types::Interaction>| {
        rows.iter().map(|row| row.turn.content.clone()).collect::<Vec<_>>().join(" ")
    };
    let mut lines: Vec<String> = stretches.iter().map(line).collect();
    lines.sort_unstable();
    lines
}

pub async fn the_neighbours_of_a_turn_are_those_of_its_publish(store: &dyn Store) {
    let ids = say(store, &acme(), request("r1", "u1", "s1", 1), &["a", "b", "c", "d", "e"]).await;
    assert_eq!(around(store, &[ids[2]], 0).await, ["c"]);
    assert_eq!(around(store, &[ids[2]], 1).await, ["b c d"]);
    assert_eq!(around(store, &[ids[0]], 2).await, ["a b c"]);
    assert_eq!(around(store, &[ids[4]], 2).await, ["c d e"]);
    for beyond in [4, 5, 100, usize::MAX] {
        assert_eq!(around(store, &[ids[2]], beyond).await, ["a b c d e"]);
    }
}

pub async fn a_conversation_goes_on_over_the_publishes_of_its_session_in_time(store: &dyn Store) {
    say(store, &acme(), request("r3", "u1", "s1", 30), &["e", "f"]).await;
    let middle = say(store, &acme(), request("r2", "u1", "s1", 20), &["c", "d"]).await;
    let first = say(store, &acme(), request("r1", "u1", "s1", 10), &["a", "b"]).await;
    say(store, &acme(), request("r4", "u1", "s2", 20), &["elsewhere"]).await;
    assert_eq!(around(store, &[middle[0]], 1).await, ["b c d"]);
    assert_eq!(around(store, &[middle[1]], 1).await, ["c d e"]);
    assert_eq!(around(store, &[middle[0]], 3).await, ["a b c d e f"]);
    assert_eq!(around(store, &[first[1]], 2).await, ["a b c d"], "it arrived last and was said first");
    assert_eq!(around(store, &[middle[1]], usize::MAX).await, ["a b c d e f"]);
}

pub async fn publishes_of_one_second_follow_each_other_as_they_came(store: &dyn Store) {
    let first = say(store, &acme(), request("r1", "u1", "s1", 5), &["a", "b"]).await;
    say(store, &acme(), request("r2", "u1", "s1", 5), &["c"]).await;
    say(store, &acme(), request("r3", "u1", "s1", 5), &["d"]).await;
    assert_eq!(around(store, &[first[0]], 3).await, ["a b c d"]);
}

pub async fn the_session_of_another_user_or_org_is_another_conversation(store: &dyn Store) {
    let mine = say(store, &acme(), request("r1", "u1", "s1", 1), &["mine"]).await;
    say(store, &acme(), request("r2", "u2", "s1", 2), &["somebody's"]).await;
    let theirs = say(store, &other(), request("r3", "u1", "s1", 3), &["the neighbour's"]).await;
    assert_eq!(around(store, &mine, 5).await, ["mine"]);
    assert!(around(store, &theirs, 5).await.is_empty(), "a turn of another org");
}

/// Who publishes without a session gets one that is named like the request.
pub async fn without_a_session_a_users_turns_are_one_timeline(store: &dyn Store) {
    let first = say(store, &acme(), request("r1", "u1", "r1", 1), &["a"]).await;
    say(store, &acme(), request("r2", "u1", "r2", 2), &["b"]).await;
    say(store, &acme(), request("r3", "u1", "named", 3), &["in a session"]).await;
    say(store, &acme(), request("r4", "u2", "r4", 3), &["of another"]).await;
    let last = say(store, &acme(), request("r5", "u1", "r5", 4), &["c"]).await;
    assert_eq!(around(store, &first, 5).await, ["a b c"]);
    assert_eq!(around(store, &last, 1).await, ["b c"]);
}

/// A client may go on under the name that the first request got by itself.
pub async fn a_session_named_like_a_request_does_not_lead_elsewhere(store: &dyn Store) {
    say(store, &acme(), request("r0", "u1", "r0", 1), &["before"]).await;
    say(store, &acme(), request("r1", "u1", "r1", 2), &["a"]).await;
    let later = say(store, &acme(), request("r2", "u1", "r1", 3), &["b"]).await;
    assert_eq!(around(store, &later, 5).await, ["a b"]);
}

pub async fn stretches_that_overlap_are_one(store: &dyn Store) {
    let letters = ["a", "b", "c", "d", "e", "f", "g", "h", "i"];
    let mut ids = Vec::new();
    for (n, part) in letters.chunks(3).enumerate() {
        ids.extend(say(store, &acme(), request(&format!("r{n}"), "u1", "s1", n as i64), part).await);
    }
    assert_eq!(around(store, &[ids[1], ids[3]], 1).await, ["a b c d e"]);
    assert_eq!(around(store, &[ids[3], ids[1]], 1).await, ["a b c d e"], "in any order");
    assert_eq!(around(store, &[ids[1], ids[1]], 1).await, ["a b c"], "asked twice");
    assert_eq!(around(store, &[ids[0], ids[8]], 1).await, ["a b", "h i"]);
    assert_eq!(around(store, &[ids[0], ids[8], ids[4]], 2).await, ["a b c d e f g h i"]);
    let both = [ids[0], ids[4], ids[2]];
    assert_eq!(around(store, &both, 1).await, ["a b c d e f"], "the last one joins the others");
}

pub async fn deleted_turns_are_left_out_and_unknown_ones_bring_nothing(store: &dyn Store) {
    let ids = say(store, &acme(), request("r1", "u1", "s1", 1), &["a", "b", "c"]).await;
    say(store, &acme(), request("r2", "u1", "s1", 2), &["d"]).await;
    let last = say(store, &acme(), request("r3", "u1", "s1", 3), &["e"]).await;
    let one = InteractionSelector::One { user_id: "u1".into(), id: ids[1] };
    store.delete_interactions(&acme(), &one).await.unwrap();
    store.delete_requests(&acme(), &RequestSelector::Ids(vec!["r2".into()])).await.unwrap();
    assert_eq!(around(store, &[ids[0]], 2).await, ["a c e"]);
    assert!(around(store, &[ids[1]], 2).await.is_empty());
    assert!(around(store, &[InteractionId(4_711), InteractionId(-1)], 2).await.is_empty());
    assert!(around(store, &[], 2).await.is_empty());
    assert_eq!(around(store, &[ids[1], last[0]], 0).await, ["e"]);
}
