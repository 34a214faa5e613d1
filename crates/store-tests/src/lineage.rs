use reflexio_store::{
    AgentPlaybookChange, AgentPlaybookSelector, ProfileSelector, Store, UserPlaybookChange,
    UserPlaybookSelector,
};
use reflexio_types::{LineageAction, LineageSubject, OrgId, PlaybookStatus, Profile, Status};

use crate::sample::{
    a_run, acme, add_agent_playbooks, add_profiles, add_user_playbooks, agent_playbook, at, other, profile,
    user_playbook,
};

pub async fn the_life_of_a_profile_is_told(store: &dyn Store) {
    let pending = Profile { status: Status::Pending, ..profile("p1", "u1", 1, "likes tea") };
    store.add_profiles(&acme(), vec![pending], Some("key")).await.unwrap();
    store.upgrade_profiles(&acme(), None, false, &a_run(), at(2)).await.unwrap();
    let next = Profile { status: Status::Pending, ..profile("p2", "u1", 3, "likes coffee") };
    add_profiles(store, &acme(), &[next]).await;
    store.upgrade_profiles(&acme(), None, false, &a_run(), at(4)).await.unwrap();
    store.downgrade_profiles(&acme(), None, false, &a_run(), at(5)).await.unwrap();
    store.delete_profiles(&acme(), &ProfileSelector::All, at(6)).await.unwrap();
    let subject = LineageSubject::Profile("p1".into());
    let life = ["added@1", "promoted@2", "archived@4", "restored@5", "deleted@6"];
    assert_eq!(history(store, &acme(), &subject).await, life);
    let events = store.history(&acme(), &subject).await.unwrap();
    assert_eq!(events[0].actor.as_deref(), Some("key"));
    assert_eq!(events[0].request_id, Some("r1".into()));
    assert!(events.iter().all(|event| event.user_id == Some("u1".into()) && event.subject == subject));
    assert!(events.is_sorted_by_key(|event| event.id));
}

pub async fn an_upgrade_is_told_of_each_row_it_deletes(store: &dyn Store) {
    let archived = Profile { status: Status::Archived, ..profile("p1", "u1", 1, "") };
    let pending = Profile { status: Status::Pending, ..profile("p2", "u1", 1, "") };
    add_profiles(store, &acme(), &[archived, pending]).await;
    store.upgrade_profiles(&acme(), None, true, &a_run(), at(2)).await.unwrap();
    assert_eq!(
        history(store, &acme(), &LineageSubject::Profile("p1".into())).await,
        ["added@1", "deleted@2"]
    );
}

pub async fn the_life_of_a_user_playbook_is_told(store: &dyn Store) {
    let rows = add_user_playbooks(store, &acme(), &[user_playbook("u1", 1, "apple")]).await;
    let change = UserPlaybookChange { content: Some("pear".to_owned()), ..UserPlaybookChange::default() };
    store.update_user_playbook(&acme(), rows[0].id, &change, Some("key"), at(2)).await.unwrap();
    // The same edit again changes nothing, so there is nothing to tell.
    store.update_user_playbook(&acme(), rows[0].id, &change, Some("key"), at(3)).await.unwrap();
    store.delete_user_playbooks(&acme(), &UserPlaybookSelector::All, at(4)).await.unwrap();
    let subject = LineageSubject::UserPlaybook(rows[0].id);
    assert_eq!(history(store, &acme(), &subject).await, ["added@1", "edited@2", "deleted@4"]);
    assert_eq!(store.history(&acme(), &subject).await.unwrap()[1].actor.as_deref(), Some("key"));
}

pub async fn the_decisions_about_an_agent_playbook_are_told(store: &dyn Store) {
    let rows = add_agent_playbooks(store, &acme(), &[agent_playbook("a", 1, "apple")]).await;
    let decide = |status, content: Option<&str>| AgentPlaybookChange {
        playbook_status: Some(status),
        content: content.map(str::to_owned),
        ..AgentPlaybookChange::default()
    };
    let changes = [
        decide(PlaybookStatus::Approved, None),
        decide(PlaybookStatus::Rejected, None),
        decide(PlaybookStatus::Pending, Some("pear")),
        decide(PlaybookStatus::Pending, Some("pear")),
    ];
    for (second, change) in (2..).zip(changes) {
        store.update_agent_playbook(&acme(), rows[0].id, &change, Some("key"), at(second)).await.unwrap();
    }
    store.delete_agent_playbooks(&acme(), &AgentPlaybookSelector::All, at(9)).await.unwrap();
    let subject = LineageSubject::AgentPlaybook(rows[0].id);
    let told = history(store, &acme(), &subject).await;
    assert_eq!(told, ["added@1", "approved@2", "rejected@3", "edited@4", "reopened@4", "deleted@9"]);
}

pub async fn the_history_of_another_org_is_not_told(store: &dyn Store) {
    add_profiles(store, &other(), &[profile("p1", "u1", 1, "")]).await;
    let subject = LineageSubject::Profile("p1".into());
    assert!(history(store, &acme(), &subject).await.is_empty());
    assert!(store.profile_changes(&acme(), 10).await.unwrap().is_empty());
    assert_eq!(history(store, &other(), &subject).await, ["added@1"]);
}

pub async fn profile_changes_are_grouped_by_request_newest_first(store: &dyn Store) {
    let row = |id: &str, user: &str, request: &str, second| Profile {
        request_id: request.into(),
        ..profile(id, user, second, "likes tea")
    };
    add_profiles(store, &acme(), &[row("p1", "u1", "r1", 1), row("p2", "u1", "r1", 1)]).await;
    add_profiles(store, &acme(), &[row("p3", "u2", "r2", 2)]).await;
    add_profiles(store, &acme(), &[row("p4", "u2", "r3", 3)]).await;
    store
        .delete_profiles(&acme(), &ProfileSelector::Ids(vec!["p1".into(), "p4".into()]), at(4))
        .await
        .unwrap();
    let changes = store.profile_changes(&acme(), 10).await.unwrap();
    let told: Vec<String> = changes
        .iter()
        .map(|change| {
            let added: Vec<&str> = change.added.iter().map(|row| row.id.as_str()).collect();
            format!(
                "{} {} {} {}",
                change.request_id,
                change.user_id,
                change.created_at.0 - at(0).0,
                added.join(",")
            )
        })
        .collect();
    // What is gone is not shown, and a request of which nothing is left is left out.
    assert_eq!(told, ["r2 u2 2 p3", "r1 u1 1 p2"]);
    assert!(changes.iter().all(|change| change.removed.is_empty()));
    assert_eq!(store.profile_changes(&acme(), 1).await.unwrap(), changes[..1]);
}

async fn history(store: &dyn Store, org: &OrgId, subject: &LineageSubject) -> Vec<String> {
    let events = store.history(org, subject).await.unwrap();
    let told = |action: LineageAction, second: i64| format!("{}@{second}", action.as_str());
    events.iter().map(|event| told(event.action, event.created_at.0 - at(0).0)).collect()
}
