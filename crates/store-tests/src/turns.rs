use std::collections::HashSet;
use std::time::Duration;

use reflexio_store::{Claim, Claimed, Retry, Store};
use reflexio_types::{JobKind, Lane, NewJob, OrgId};

use crate::sample::{acme, at, other};
use crate::workers::{claim, embed, enqueue, enqueue_all, ids, learn, sorted_ids};

/// More than any claim below takes.
const MANY: usize = 3000;

pub async fn a_long_queue_of_one_org_delays_another_by_one_turn(store: &dyn Store) {
    enqueue_all(store, &acme(), (0..MANY).map(|n| learn(&format!("u{n}"))).collect()).await;
    claim(store, 1, 10).await;
    let theirs = enqueue(store, &other(), learn("u1"), 1).await;
    assert!(ids(&claim(store, 1, 2).await).contains(&theirs));
    for _ in 0..3 {
        claim(store, 1, 1).await;
    }
    let after = OrgId::new("zzz");
    let theirs = enqueue(store, &after, learn("u1"), 1).await;
    assert!(ids(&claim(store, 1, 2).await).contains(&theirs), "at the end of the round");
    let before = OrgId::new("aaa");
    let theirs = enqueue(store, &before, learn("u1"), 1).await;
    assert!(ids(&claim(store, 1, 3).await).contains(&theirs), "whatever the name");
}

pub async fn a_long_queue_of_one_user_delays_another_by_one_turn(store: &dyn Store) {
    let free = |user: &str| NewJob { lane: Lane::Free, ..learn(user) };
    enqueue_all(store, &acme(), (0..MANY).map(|_| free("m")).collect()).await;
    claim(store, 1, 10).await;
    for user in ["a", "z"] {
        let mine = enqueue(store, &acme(), free(user), 1).await;
        assert!(ids(&claim(store, 1, 3).await).contains(&mine), "{user}");
    }
    let of_nobody = enqueue(store, &acme(), NewJob { user_id: None, lane: Lane::Free, ..learn("") }, 1).await;
    assert!(ids(&claim(store, 1, 3).await).contains(&of_nobody));
}

/// New names that sort after the last one served would otherwise always be next.
pub async fn users_who_keep_arriving_do_not_starve_the_first(store: &dyn Store) {
    enqueue_all(store, &acme(), vec![learn("m1"), learn("m2")]).await;
    claim(store, 1, 1).await;
    let first = enqueue(store, &acme(), learn("a"), 1).await;
    let mut claimed = Vec::new();
    for round in 0..6 {
        let pair = [2 * round, 2 * round + 1].map(|n| learn(&format!("n{n:03}")));
        enqueue_all(store, &acme(), pair.to_vec()).await;
        claimed.extend(ids(&claim(store, 1, 1).await));
    }
    assert!(claimed.contains(&first), "{claimed:?}");
}

pub async fn many_jobs_that_come_due_at_once_do_not_delay_others(store: &dyn Store) {
    let later = |user: String, second| NewJob { run_after: Some(at(second)), ..learn(&user) };
    enqueue_all(store, &acme(), (0..MANY).map(|n| later(format!("u{n}"), 5)).collect()).await;
    let theirs = enqueue(store, &other(), later("u1".to_owned(), 6), 1).await;
    assert!(ids(&claim(store, 7, 2).await).contains(&theirs));
}

pub async fn paused_work_is_left_alone(store: &dyn Store) {
    let mine = enqueue_all(store, &acme(), vec![learn("u1"), embed("u1")]).await;
    let theirs = enqueue(store, &other(), learn("u1"), 1).await;
    let paused = HashSet::from([(acme(), JobKind::Learn)]);
    let claimed = claim_without(store, &paused).await;
    assert_eq!(sorted_ids(&claimed), [mine[1], theirs]);
    assert_eq!(claim_without(store, &paused).await, []);
    assert_eq!(ids(&claim_without(store, &HashSet::new()).await), [mine[0]]);
}

async fn claim_without(store: &dyn Store, paused: &HashSet<(OrgId, JobKind)>) -> Vec<Claimed> {
    let lease = Duration::from_secs(60);
    let claim = Claim { kinds: &JobKind::ALL, worker: "w1", now: at(1), lease, limit: 10, paused };
    store.claim(claim).await.unwrap()
}

pub async fn kinds_take_turns(store: &dyn Store) {
    let users = || (0..10).map(|n| format!("u{n}"));
    enqueue_all(store, &acme(), users().map(|user| learn(&user)).collect()).await;
    enqueue_all(store, &acme(), users().map(|user| embed(&user)).collect()).await;
    let mut kinds = Vec::new();
    for _ in 0..4 {
        let claimed = claim(store, 1, 1).await;
        store.fail(&claimed[0].lease, "no", Retry::Never, at(1)).await.unwrap();
        kinds.push(claimed[0].job.kind.clone());
    }
    kinds.sort_unstable();
    assert_eq!(kinds, ["embed", "embed", "learn", "learn"]);
    let six = claim(store, 1, 6).await;
    assert_eq!(six.iter().filter(|claimed| claimed.job.kind == "embed").count(), 3);
}
