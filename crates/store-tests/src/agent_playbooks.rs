use reflexio_search::TextQuery;
use reflexio_store::{AgentPlaybookChange, AgentPlaybookFilter, AgentPlaybookSelector, Ask, Store};
use reflexio_types::{
    AgentPlaybook, AgentPlaybookBody, AgentPlaybookId, PlaybookStatus, Review, Signature, Status, TimeRange,
    UserPlaybookId,
};

use crate::sample::{
    ALL, acme, add_agent_playbooks, agent_playbook, agent_playbooks, at, everything, other, settle,
};

pub async fn an_agent_playbook_is_read_back_whole(store: &dyn Store) {
    let body = AgentPlaybookBody {
        content: "do it".to_owned(),
        trigger: Some("when".to_owned()),
        instruction: Some("how".to_owned()),
        pitfall: None,
        rationale: Some("why".to_owned()),
        playbook_metadata: "{}".to_owned(),
        blocking_issue: None,
        expanded_terms: Some("more".to_owned()),
        tags: Some(vec!["a".to_owned()]),
        source_user_playbook_ids: vec![UserPlaybookId(2), UserPlaybookId(1)],
        cluster_size: Some(7),
        distinct_users: Some(3),
        agreement: Some(0.75),
        source_windows: vec![reflexio_types::SourceWindow {
            user_playbook_id: UserPlaybookId(9),
            request_id: "r".into(),
            interaction_ids: vec![reflexio_types::InteractionId(4)],
        }],
        successor_of: Some(AgentPlaybookId(2)),
        merged_into: Some(AgentPlaybookId(8)),
        superseded_by: Some(AgentPlaybookId(9)),
        learned_by: Some("model".to_owned()),
        written_by: Some(Signature { key: None, at: at(3) }),
        review: Some(Review {
            by: Signature { key: Some("key".to_owned()), at: at(4) },
            reason: Some("because".to_owned()),
        }),
    };
    let full = AgentPlaybook {
        playbook_status: PlaybookStatus::Rejected,
        status: Status::ArchiveInProgress,
        body,
        ..agent_playbook("full", 2, "")
    };
    let rows = add_agent_playbooks(store, &acme(), &[full, agent_playbook("plain", 1, "")]).await;
    assert_eq!(agent_playbooks(store, &acme()).await, rows);
}

pub async fn agent_playbooks_come_newest_first(store: &dyn Store) {
    let rows = [agent_playbook("a", 1, ""), agent_playbook("b", 2, ""), agent_playbook("c", 1, "")];
    let rows = add_agent_playbooks(store, &acme(), &rows).await;
    assert!(rows[0].id.0 > 0 && rows.is_sorted_by_key(|row| row.id));
    for limit in 0..=3 {
        let some = store.agent_playbooks(&acme(), &AgentPlaybookFilter::default(), limit).await.unwrap();
        assert_eq!(names(&some), ["b", "c", "a"][..limit]);
    }
}

pub async fn agent_playbooks_are_filtered_by_each_field(store: &dyn Store) {
    let first =
        AgentPlaybook { playbook_status: PlaybookStatus::Approved, ..agent_playbook("a", 1, "apple") };
    let mut second = AgentPlaybook { agent_version: "v2".to_owned(), ..agent_playbook("b", 2, "apple") };
    second.body.tags = Some(vec!["x".to_owned()]);
    let third = AgentPlaybook {
        playbook_status: PlaybookStatus::Rejected,
        status: Status::Pending,
        ..agent_playbook("c", 3, "apple")
    };
    let rows = add_agent_playbooks(store, &acme(), &[first, second, third]).await;
    let every = AgentPlaybookFilter::default();
    let time = |start: Option<i64>, end: Option<i64>| TimeRange { start: start.map(at), end: end.map(at) };
    let checks = [
        (every.clone(), "c b a"),
        (AgentPlaybookFilter { id: Some(rows[2].id), ..every.clone() }, "c"),
        (AgentPlaybookFilter { playbook_name: Some("a".to_owned()), ..every.clone() }, "a"),
        (AgentPlaybookFilter { agent_version: Some("v1".to_owned()), ..every.clone() }, "c a"),
        (AgentPlaybookFilter { time: time(Some(2), None), ..every.clone() }, "c b"),
        (AgentPlaybookFilter { time: time(Some(1), Some(2)), ..every.clone() }, "b a"),
        (AgentPlaybookFilter { status: vec![Status::Current], ..every.clone() }, "b a"),
        (AgentPlaybookFilter { playbook_status: vec![PlaybookStatus::Approved], ..every.clone() }, "a"),
        (
            AgentPlaybookFilter {
                playbook_status: vec![PlaybookStatus::Approved, PlaybookStatus::Rejected],
                ..every.clone()
            },
            "c a",
        ),
        (AgentPlaybookFilter { awaiting_review: true, ..every.clone() }, "c b"),
        (
            AgentPlaybookFilter {
                awaiting_review: true,
                agent_version: Some("v2".to_owned()),
                ..every.clone()
            },
            "b",
        ),
        (AgentPlaybookFilter { tags: vec!["x".to_owned()], ..every.clone() }, "b"),
        (
            AgentPlaybookFilter { tags: vec!["x".to_owned()], playbook_name: Some("a".to_owned()), ..every },
            "",
        ),
    ];
    for (filter, expected) in checks {
        let rows = store.agent_playbooks(&acme(), &filter, ALL).await.unwrap();
        assert_eq!(names(&rows).join(" "), expected, "{filter:?}");
        assert_eq!(search(store, &filter, "apple").await.join(" "), expected, "search with {filter:?}");
    }
}

pub async fn a_review_changes_the_decision_and_nothing_else(store: &dyn Store) {
    let rows = add_agent_playbooks(store, &acme(), &[agent_playbook("a", 1, "apple")]).await;
    for status in [PlaybookStatus::Approved, PlaybookStatus::Rejected, PlaybookStatus::Pending] {
        let change = AgentPlaybookChange { playbook_status: Some(status), ..AgentPlaybookChange::default() };
        let mut expected = AgentPlaybook { playbook_status: status, ..rows[0].clone() };
        let by = Signature { key: Some("key".to_owned()), at: at(2) };
        let decided = status != PlaybookStatus::Pending;
        expected.body.review = decided.then_some(Review { by, reason: None });
        let changed =
            store.update_agent_playbook(&acme(), rows[0].id, &change, Some("key"), at(2)).await.unwrap();
        assert_eq!(changed, Some(expected.clone()));
        assert_eq!(agent_playbooks(store, &acme()).await, [expected]);
        assert_eq!(search(store, &AgentPlaybookFilter::default(), "apple").await, ["a"]);
    }
}

pub async fn an_edit_of_an_agent_playbook_is_found_by_the_next_search(store: &dyn Store) {
    let rows = add_agent_playbooks(store, &acme(), &[agent_playbook("a", 1, "apple")]).await;
    let change = AgentPlaybookChange {
        playbook_name: Some("b".to_owned()),
        content: Some("pear".to_owned()),
        trigger: Some("plum".to_owned()),
        rationale: Some("because".to_owned()),
        ..AgentPlaybookChange::default()
    };
    let mut expected = AgentPlaybook { playbook_name: "b".to_owned(), ..rows[0].clone() };
    expected.body.content = "pear".to_owned();
    expected.body.trigger = Some("plum".to_owned());
    expected.body.rationale = Some("because".to_owned());
    expected.body.written_by = Some(Signature { key: None, at: at(2) });
    let changed = store.update_agent_playbook(&acme(), rows[0].id, &change, None, at(2)).await.unwrap();
    assert_eq!(changed, Some(expected));
    assert!(search(store, &AgentPlaybookFilter::default(), "apple").await.is_empty());
    assert_eq!(search(store, &AgentPlaybookFilter::default(), "plum").await, ["b"]);
    let nobody =
        store.update_agent_playbook(&acme(), AgentPlaybookId(999), &change, None, at(2)).await.unwrap();
    assert_eq!(nobody, None);
}

pub async fn deleted_agent_playbooks_are_gone_from_lists_and_searches(store: &dyn Store) {
    let rows: Vec<AgentPlaybook> = (1..=3).map(|n| agent_playbook("a", n, "apple")).collect();
    let rows = add_agent_playbooks(store, &acme(), &rows).await;
    let some = AgentPlaybookSelector::Ids(vec![rows[1].id, AgentPlaybookId(999)]);
    assert_eq!(store.delete_agent_playbooks(&acme(), &some, at(9)).await.unwrap(), 1);
    assert_eq!(agent_playbooks(store, &acme()).await, [rows[2].clone(), rows[0].clone()]);
    assert_eq!(search(store, &AgentPlaybookFilter::default(), "apple").await.len(), 2);
    assert_eq!(store.delete_agent_playbooks(&acme(), &AgentPlaybookSelector::All, at(9)).await.unwrap(), 2);
    assert!(search(store, &AgentPlaybookFilter::default(), "apple").await.is_empty());
}

pub async fn agent_playbooks_of_another_org_are_neither_seen_nor_touched(store: &dyn Store) {
    settle(store, &other()).await;
    let before = everything(store, &other()).await;
    let theirs = agent_playbooks(store, &other()).await;
    assert!(agent_playbooks(store, &acme()).await.is_empty());
    assert!(search(store, &AgentPlaybookFilter::default(), "refund").await.is_empty());
    let change = AgentPlaybookChange {
        playbook_status: Some(PlaybookStatus::Approved),
        ..AgentPlaybookChange::default()
    };
    assert_eq!(store.update_agent_playbook(&acme(), theirs[0].id, &change, None, at(9)).await.unwrap(), None);
    for which in [AgentPlaybookSelector::All, AgentPlaybookSelector::Ids(vec![theirs[0].id])] {
        assert_eq!(store.delete_agent_playbooks(&acme(), &which, at(9)).await.unwrap(), 0);
    }
    assert_eq!(everything(store, &other()).await, before);
}

fn names(rows: &[AgentPlaybook]) -> Vec<&str> {
    rows.iter().map(|row| row.playbook_name.as_str()).collect()
}

async fn search(store: &dyn Store, filter: &AgentPlaybookFilter, query: &str) -> Vec<String> {
    let rows = store
        .search_agent_playbooks(&acme(), filter, &Ask::words(&TextQuery::parse(query), ALL))
        .await
        .unwrap();
    rows.into_iter().map(|hit| hit.row.playbook_name).collect()
}
