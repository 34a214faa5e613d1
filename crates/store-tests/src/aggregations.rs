use reflexio_store::{
    AgentPlaybookChange, AgentPlaybookFilter, Aggregated, AggregationScope, Error, Grown, JobEnd, Lease,
    Proposed, Store,
};
use reflexio_types::{
    AgentPlaybook, AgentPlaybookId, JobKind, JobState, LineageAction, LineageSubject, NewJob, PlaybookStatus,
    Status,
};
use serde_json::{Value, json};

use crate::sample::{
    acme, add_agent_playbooks, add_user_playbooks, agent_playbook, at, other, user_playbook,
};
use crate::workers::{claim_one, enqueue, job};

fn scope() -> AggregationScope {
    let row = agent_playbook("general", 1, "x");
    AggregationScope { agent_version: row.agent_version, playbook_name: row.playbook_name }
}

fn pending(content: &str) -> AgentPlaybook {
    AgentPlaybook { playbook_status: PlaybookStatus::Pending, ..agent_playbook("general", 3, content) }
}

fn proposed(cluster: u64, content: &str, replaces: Option<AgentPlaybook>) -> Proposed {
    Proposed { cluster, row: pending(content), replaces }
}

fn aggregated(revision: u64, proposed: Vec<Proposed>) -> Aggregated {
    Aggregated {
        scope: scope(),
        revision,
        state: json!({"seen": revision}),
        proposed,
        grown: Vec::new(),
        outdated: Vec::new(),
        progress: None,
        end: JobEnd::GoesOn,
    }
}

async fn lease(store: &dyn Store) -> Lease {
    enqueue(store, &acme(), NewJob::new(JobKind::Aggregate, Value::Null), 1).await;
    claim_one(store, 2).await.lease
}

async fn rules(store: &dyn Store, status: Status) -> Vec<AgentPlaybook> {
    let filter = AgentPlaybookFilter { status: vec![status], ..AgentPlaybookFilter::default() };
    store.agent_playbooks(&acme(), &filter, 100).await.unwrap()
}

pub async fn an_aggregation_stores_rules_and_what_it_remembers_together(store: &dyn Store) {
    assert_eq!(store.clustering(&acme(), &scope()).await.unwrap().revision, 0);
    let lease = lease(store).await;
    let new = vec![proposed(4, "ask first", None), proposed(7, "be brief", None)];
    let ids =
        store.aggregate(&lease, Aggregated { end: JobEnd::Done, ..aggregated(0, new) }, at(3)).await.unwrap();
    assert_eq!(job(store, lease.job).await.state, JobState::Done);
    let remembered = store.clustering(&acme(), &scope()).await.unwrap();
    assert_eq!(remembered.revision, 1);
    assert_eq!(remembered.state, json!({"seen": 0, "playbooks": {"4": ids[0].0, "7": ids[1].0}}));
    assert_eq!(store.clustering(&other(), &scope()).await.unwrap().revision, 0);
    assert_eq!(rules(store, Status::Current).await.len(), 2);
    assert_eq!(store.check_integrity().await.unwrap().problems, Vec::<String>::new());
}

pub async fn a_pending_rule_gives_way_and_a_decided_one_does_not(store: &dyn Store) {
    let lease = lease(store).await;
    let ids = store.aggregate(&lease, aggregated(0, vec![proposed(1, "old", None)]), at(3)).await.unwrap();
    let old = rules(store, Status::Current).await.remove(0);
    let next = aggregated(1, vec![proposed(1, "new", Some(old.clone()))]);
    let new = store.aggregate(&lease, next, at(4)).await.unwrap()[0];
    let superseded = rules(store, Status::Superseded).await.remove(0);
    assert_eq!((superseded.id, superseded.body.superseded_by), (ids[0], Some(new)));
    let told = store.history(&acme(), &LineageSubject::AgentPlaybook(old.id)).await.unwrap();
    assert_eq!(told.last().unwrap().action, LineageAction::Superseded);
    let row = rules(store, Status::Current).await.remove(0);
    let approve = AgentPlaybookChange {
        playbook_status: Some(PlaybookStatus::Approved),
        ..AgentPlaybookChange::default()
    };
    store.update_agent_playbook(&acme(), new, &approve, None, at(5)).await.unwrap();
    let refused =
        store.aggregate(&lease, aggregated(2, vec![proposed(1, "newest", Some(row.clone()))]), at(6)).await;
    assert!(matches!(refused, Err(Error::Changed { .. })), "{refused:?}");
    let outdated = Aggregated { outdated: vec![row], ..aggregated(2, Vec::new()) };
    let refused = store.aggregate(&lease, outdated, at(6)).await;
    assert!(matches!(refused, Err(Error::Changed { .. })), "{refused:?}");
    assert_eq!(rules(store, Status::Current).await[0].playbook_status, PlaybookStatus::Approved);
    assert_eq!(store.clustering(&acme(), &scope()).await.unwrap().revision, 2);
}

pub async fn a_pending_rule_grows_in_place(store: &dyn Store) {
    let lease = lease(store).await;
    store.aggregate(&lease, aggregated(0, vec![proposed(1, "ask first", None)]), at(3)).await.unwrap();
    let before = rules(store, Status::Current).await.remove(0);
    let mut after = before.clone();
    (after.body.cluster_size, after.body.distinct_users) = (Some(9), Some(4));
    let grown = vec![Grown { before: before.clone(), after: after.clone() }];
    let step = Aggregated { grown: grown.clone(), ..aggregated(1, Vec::new()) };
    store.aggregate(&lease, step, at(4)).await.unwrap();
    assert_eq!(rules(store, Status::Current).await, [after]);
    let again = store.aggregate(&lease, Aggregated { grown, ..aggregated(2, Vec::new()) }, at(5)).await;
    assert!(matches!(again, Err(Error::Changed { .. })), "it is another row by now: {again:?}");
    assert_eq!(store.check_integrity().await.unwrap().problems, Vec::<String>::new());
}

pub async fn an_aggregation_of_old_knowledge_changes_nothing(store: &dyn Store) {
    let lease = lease(store).await;
    store.aggregate(&lease, aggregated(0, Vec::new()), at(3)).await.unwrap();
    for revision in [0, 2] {
        let refused =
            store.aggregate(&lease, aggregated(revision, vec![proposed(1, "x", None)]), at(4)).await;
        assert!(matches!(refused, Err(Error::Changed { .. })), "{refused:?}");
    }
    assert_eq!(rules(store, Status::Current).await, []);
}

pub async fn approving_a_successor_archives_what_it_follows(store: &dyn Store) {
    let before = AgentPlaybook {
        playbook_status: PlaybookStatus::Approved,
        ..agent_playbook("general", 1, "as it was")
    };
    let before: AgentPlaybookId = add_agent_playbooks(store, &acme(), &[before]).await[0].id;
    let mut after = pending("as it will be");
    after.body.successor_of = Some(before);
    let after = add_agent_playbooks(store, &acme(), &[after]).await[0].id;
    let decide =
        |status| AgentPlaybookChange { playbook_status: Some(status), ..AgentPlaybookChange::default() };
    store
        .update_agent_playbook(&acme(), after, &decide(PlaybookStatus::Rejected), None, at(4))
        .await
        .unwrap();
    assert_eq!(rules(store, Status::Archived).await, []);
    store
        .update_agent_playbook(&acme(), after, &decide(PlaybookStatus::Approved), None, at(5))
        .await
        .unwrap();
    let archived = rules(store, Status::Archived).await.remove(0);
    assert_eq!((archived.id, archived.body.superseded_by), (before, Some(after)));
    assert_eq!(rules(store, Status::Current).await[0].id, after);
}

pub async fn scopes_are_those_of_playbooks_in_use(store: &dyn Store) {
    let mut archived = user_playbook("ann", 1, "x");
    (archived.status, archived.agent_version) = (Status::Archived, "v0".to_owned());
    let mut named = user_playbook("ann", 1, "y");
    named.playbook_name = "pain".to_owned();
    add_user_playbooks(store, &acme(), &[archived, named.clone(), named, user_playbook("bob", 1, "z")]).await;
    let scopes = store.aggregation_scopes(&acme()).await.unwrap();
    let names: Vec<&str> = scopes.iter().map(|scope| scope.playbook_name.as_str()).collect();
    let general = user_playbook("bob", 1, "z").playbook_name;
    let mut expected = vec!["pain", general.as_str()];
    expected.sort_unstable();
    assert_eq!(names, expected);
    assert_eq!(store.aggregation_scopes(&other()).await.unwrap(), []);
}
