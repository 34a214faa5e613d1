use reflexio_store::{JobFilter, NewRequest, RunStart, Store};
use reflexio_types::{
    AgentPlaybook, AgentPlaybookId, JobKind, NewJob, PlaybookStatus, RunKind, Status, UserId,
};
use serde_json::Value;

use crate::sample::{
    a_run, acme, add_agent_playbooks, agent_playbook, agent_playbooks, at, new_request, other, publish,
    request,
};
use crate::workers::listed;

fn rule(version: &str, content: &str, status: PlaybookStatus) -> AgentPlaybook {
    AgentPlaybook {
        agent_version: version.to_owned(),
        playbook_status: status,
        status: Status::Current,
        ..agent_playbook("rule", 1, content)
    }
}

fn carried(from: AgentPlaybookId, content: &str) -> AgentPlaybook {
    let mut row = rule("v2", content, PlaybookStatus::Pending);
    row.body.carried_from = Some(from);
    row
}

async fn publish_with(store: &dyn Store, id: &str, version: &str, second: i64, job: Option<NewJob>) {
    let mut from = request(id, "u1", "s1", second);
    from.agent_version = version.to_owned();
    let new = NewRequest { for_new_version: job, ..new_request(from, &["hello"]) };
    publish(store, &acme(), new).await;
}

pub async fn a_rule_is_carried_over_once_as_a_run(store: &dyn Store) {
    let old = rule("v1", "be kind", PlaybookStatus::Approved);
    let old = add_agent_playbooks(store, &acme(), &[old]).await[0].id;
    let run = RunStart { kind: RunKind::CarryOver, ..a_run() };
    let rows =
        vec![carried(old, "be kind"), carried(old, "be kind"), carried(AgentPlaybookId(99), "be brief")];
    let ids = store.carry_agent_playbooks(&acme(), rows.clone(), &run, at(2)).await.unwrap();
    assert!(ids[0].is_some() && ids[1].is_none() && ids[2].is_some(), "{ids:?}");
    let again = store.carry_agent_playbooks(&acme(), rows, &a_run(), at(3)).await.unwrap();
    assert_eq!(again, [None, None, None]);
    assert_eq!(store.run(&acme(), &run.id).await.unwrap().unwrap().added, 2);
    crate::runs::undo(store, &acme(), &run.id).await;
    assert_eq!(agent_playbooks(store, &acme()).await.len(), 1, "what was carried is gone");
    let versions = store.agent_versions(&acme()).await.unwrap();
    assert_eq!(
        (versions, store.agent_versions(&other()).await.unwrap()),
        (vec!["v1".to_owned()], Vec::new())
    );
}

pub async fn the_first_publish_of_a_version_brings_its_job(store: &dyn Store) {
    let job = || Some(NewJob::new(JobKind::CarryOver, Value::Null));
    for (id, version) in [("r1", "v1"), ("r2", "v1"), ("r3", "v2")] {
        publish_with(store, id, version, 1, job()).await;
    }
    assert_eq!(listed(store, &acme(), &JobFilter::default()).await.len(), 2);
    // What is deleted since was there.
    store.clear_user(&acme(), &UserId::new("u1")).await.unwrap();
    publish_with(store, "r4", "v1", 2, job()).await;
    assert_eq!(listed(store, &acme(), &JobFilter::default()).await.len(), 2);
    assert_eq!(store.agent_versions(&acme()).await.unwrap(), ["v1", "v2"]);
}

pub async fn the_latest_version_with_rules_is_told(store: &dyn Store) {
    let latest = async |but: &str| store.latest_version_with_rules(&acme(), but).await.unwrap();
    assert_eq!(latest("v9").await, None);
    let rules = [
        rule("v1", "a", PlaybookStatus::Approved),
        rule("v2", "b", PlaybookStatus::Approved),
        rule("v3", "c", PlaybookStatus::Pending),
        rule("v4", "d", PlaybookStatus::Approved),
    ];
    add_agent_playbooks(store, &acme(), &rules).await;
    for (id, version, second) in [("r1", "v2", 1), ("r2", "v1", 3), ("r3", "v3", 4)] {
        publish_with(store, id, version, second, None).await;
    }
    assert_eq!(
        latest("v9").await.as_deref(),
        Some("v1"),
        "v3 has no approved rule, v4 was never published with"
    );
    assert_eq!(latest("v1").await.as_deref(), Some("v2"));
    assert_eq!(store.latest_version_with_rules(&other(), "v9").await.unwrap(), None);
}
