use reflexio_store::{PlaybookScope, Store, UserPlaybookCount, VersionCount};
use reflexio_types::{AgentPlaybook, PlaybookStatus, RequestId, Status, TimeRange, UserPlaybook};

use crate::sample::{
    acme, add_agent_playbooks, add_user_playbooks, agent_playbook, at, other, request, say, user_playbook,
};

const DAY: i64 = 86_400;

fn made(version: &str, name: &str, second: i64, from: &str) -> UserPlaybook {
    UserPlaybook {
        agent_version: version.to_owned(),
        playbook_name: name.to_owned(),
        request_id: RequestId::new(from),
        ..user_playbook("u1", second, "x")
    }
}

/// From a day after the beginning on.
fn later() -> TimeRange {
    TimeRange { start: Some(at(DAY)), end: None }
}

async fn fill(store: &dyn Store) {
    let rows = [
        made("v1", "a", 1, "r1"),
        made("v1", "a", DAY, "r1"),
        made("v1", "a", DAY + 1, "r2"),
        made("v1", "b", 3 * DAY, "r3"),
        made("v2", "a", 3 * DAY, "r4"),
        UserPlaybook { status: Status::Merged, ..made("v2", "a", 3 * DAY, "r5") },
    ];
    add_user_playbooks(store, &acme(), &rows).await;
    add_user_playbooks(store, &other(), &rows).await;
}

pub async fn playbooks_are_counted_by_type_version_status_and_time(store: &dyn Store) {
    fill(store).await;
    let scope = PlaybookScope { time: later(), ..PlaybookScope::default() };
    let count = |version: &str, name: &str, status, total, recent| UserPlaybookCount {
        agent_version: version.to_owned(),
        playbook_name: name.to_owned(),
        status,
        total,
        recent,
    };
    let counts = store.playbook_counts(&acme(), &scope).await.unwrap();
    let expected = [
        count("v1", "a", Status::Current, 3, 2),
        count("v1", "b", Status::Current, 1, 1),
        count("v2", "a", Status::Current, 1, 1),
        count("v2", "a", Status::Merged, 1, 1),
    ];
    assert_eq!(counts.user, expected);
    let days: Vec<u64> = counts.user_days.iter().map(|day| day.count).collect();
    assert_eq!(days, [2, 2], "what was merged is not counted, and days without any are missing");
    let narrow =
        PlaybookScope { agent_versions: vec!["v1".to_owned()], playbook_name: Some("a".to_owned()), ..scope };
    assert_eq!(store.playbook_counts(&acme(), &narrow).await.unwrap().user, expected[..1]);
}

pub async fn versions_are_compared_by_what_their_requests_taught(store: &dyn Store) {
    fill(store).await;
    for (n, (id, version)) in
        (0..).zip([("r1", "v1"), ("r2", "v1"), ("r3", "v1"), ("r4", "v2"), ("r6", "v3")])
    {
        let mut request = request(id, "u1", id, DAY + n);
        request.agent_version = version.to_owned();
        say(store, &acme(), request, &["hello"]).await;
    }
    let count = |version: &str, published, playbooks, requests| VersionCount {
        agent_version: version.to_owned(),
        published,
        playbooks,
        requests,
    };
    let all = store.version_counts(&acme(), &PlaybookScope::default()).await.unwrap();
    assert_eq!(all, [count("v1", 3, 4, 3), count("v2", 1, 1, 1), count("v3", 1, 0, 0)]);
    let scope = PlaybookScope {
        time: later(),
        playbook_name: Some("a".to_owned()),
        agent_versions: vec!["v1".to_owned()],
    };
    assert_eq!(store.version_counts(&acme(), &scope).await.unwrap(), [count("v1", 3, 2, 2)]);
    let elsewhere = store.version_counts(&other(), &PlaybookScope::default()).await.unwrap();
    assert_eq!(elsewhere, [count("v1", 0, 4, 3), count("v2", 0, 1, 1)]);
}

pub async fn what_waits_longest_for_a_person_comes_first(store: &dyn Store) {
    let rows = [
        agent_playbook("a", 5, "second"),
        agent_playbook("a", 1, "first"),
        agent_playbook("b", 3, "of another type"),
        AgentPlaybook { playbook_status: PlaybookStatus::Approved, ..agent_playbook("a", 0, "decided") },
        AgentPlaybook { status: Status::Superseded, ..agent_playbook("a", 0, "replaced") },
    ];
    add_agent_playbooks(store, &acme(), &rows).await;
    let scope = PlaybookScope { playbook_name: Some("a".to_owned()), ..PlaybookScope::default() };
    let texts = |rows: &[AgentPlaybook]| rows.iter().map(|row| row.body.content.clone()).collect::<Vec<_>>();
    let (waiting, count) = store.longest_waiting(&acme(), &scope, 10).await.unwrap();
    assert_eq!((texts(&waiting), count), (vec!["first".to_owned(), "second".to_owned()], 2));
    let (waiting, count) = store.longest_waiting(&acme(), &PlaybookScope::default(), 1).await.unwrap();
    assert_eq!((texts(&waiting), count), (vec!["first".to_owned()], 3));
    assert_eq!(store.longest_waiting(&other(), &scope, 10).await.unwrap(), (Vec::new(), 0));
    let counts = store.playbook_counts(&acme(), &scope).await.unwrap().agent;
    let seen: Vec<_> = counts.iter().map(|row| (row.playbook_status, row.status, row.total)).collect();
    let pending = PlaybookStatus::Pending;
    let expected = [
        (PlaybookStatus::Approved, Status::Current, 1),
        (pending, Status::Current, 2),
        (pending, Status::Superseded, 1),
    ];
    assert_eq!(seen, expected);
}
