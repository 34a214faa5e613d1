use reflexio_store::{AgentPlaybookChange, AgentPlaybookSelector, AgentPlaybookWrite, Error, Record, Store};
use reflexio_types::{AgentPlaybook, AgentPlaybookId, FieldChange, LineageAction, PlaybookStatus, RuleField};

use crate::sample::{a_run, acme, add_agent_playbooks, agent_playbook, agent_playbooks, at, other};

fn edit(content: &str) -> AgentPlaybookChange {
    AgentPlaybookChange { content: Some(content.to_owned()), ..AgentPlaybookChange::default() }
}

fn decide(status: PlaybookStatus, reason: &str) -> AgentPlaybookChange {
    AgentPlaybookChange {
        playbook_status: Some(status),
        reason: Some(reason.to_owned()),
        ..AgentPlaybookChange::default()
    }
}

async fn one(store: &dyn Store, content: &str) -> AgentPlaybook {
    add_agent_playbooks(store, &acme(), &[agent_playbook("a", 1, content)]).await.remove(0)
}

async fn change(store: &dyn Store, id: AgentPlaybookId, change: &AgentPlaybookChange, second: i64) {
    store.update_agent_playbook(&acme(), id, change, Some("key"), at(second)).await.unwrap();
}

pub async fn an_edit_keeps_who_when_and_the_text_before(store: &dyn Store) {
    let row = one(store, "apple").await;
    let both = AgentPlaybookChange { pitfall: Some("worms".to_owned()), ..edit("pear") };
    change(store, row.id, &both, 2).await;
    let gone = AgentPlaybookChange { pitfall: Some(String::new()), ..AgentPlaybookChange::default() };
    change(store, row.id, &gone, 3).await;
    let told = store.agent_playbook_history(&acme(), row.id).await.unwrap();
    let actions: Vec<LineageAction> = told.iter().map(|event| event.action).collect();
    assert_eq!(actions, [LineageAction::Added, LineageAction::Edited, LineageAction::Edited]);
    assert_eq!((told[1].actor.as_deref(), told[1].created_at), (Some("key"), at(2)));
    let text = |text: &str| Some(text.to_owned());
    let of = |field, before, after| FieldChange { field, before, after };
    assert_eq!(
        told[1].changes,
        [of(RuleField::Pitfall, None, text("worms")), of(RuleField::Content, text("apple"), text("pear"))]
    );
    assert_eq!(told[2].changes, [of(RuleField::Pitfall, text("worms"), None)]);
    assert_eq!(agent_playbooks(store, &acme()).await[0].body.pitfall, None);
    assert!(store.agent_playbook_history(&other(), row.id).await.unwrap().is_empty());
}

pub async fn a_decision_keeps_its_reason(store: &dyn Store) {
    let row = one(store, "apple").await;
    change(store, row.id, &decide(PlaybookStatus::Rejected, "too vague"), 2).await;
    let rejected = agent_playbooks(store, &acme()).await.remove(0);
    let review = rejected.body.review.unwrap();
    assert_eq!((review.by.key.as_deref(), review.reason.as_deref()), (Some("key"), Some("too vague")));
    // The same decision again, for a better reason.
    change(store, row.id, &decide(PlaybookStatus::Rejected, "wrong"), 3).await;
    let reopen = AgentPlaybookChange {
        playbook_status: Some(PlaybookStatus::Pending),
        ..AgentPlaybookChange::default()
    };
    change(store, row.id, &reopen, 4).await;
    assert_eq!(agent_playbooks(store, &acme()).await[0].body.review, None);
    let told = store.agent_playbook_history(&acme(), row.id).await.unwrap();
    let told: Vec<_> = told.iter().map(|event| (event.action, event.reason.as_deref())).collect();
    assert_eq!(
        told,
        [
            (LineageAction::Added, None),
            (LineageAction::Rejected, Some("too vague")),
            (LineageAction::Rejected, Some("wrong")),
            (LineageAction::Reopened, None)
        ]
    );
}

pub async fn several_writes_happen_together_or_not_at_all(store: &dyn Store) {
    let row = one(store, "apple").await;
    let change_of = |id, change| AgentPlaybookWrite::Change { id, change };
    let expecting =
        |row: &AgentPlaybook, change| AgentPlaybookChange { expected: Some(Box::new(row.clone())), ..change };
    let writes = vec![
        AgentPlaybookWrite::Add(Box::new(agent_playbook("b", 2, "plum"))),
        change_of(row.id, expecting(&row, edit("pear"))),
    ];
    let ids = store.write_agent_playbooks(&acme(), writes.clone(), &a_run(), at(2)).await.unwrap();
    assert_eq!(ids[1], row.id);
    let stored = agent_playbooks(store, &acme()).await;
    assert_eq!(stored.iter().map(|row| row.body.content.as_str()).collect::<Vec<_>>(), ["plum", "pear"]);
    // The rule is another one by now, and one that is not there cannot be changed.
    let nobody = vec![
        AgentPlaybookWrite::Add(Box::new(agent_playbook("c", 3, "fig"))),
        change_of(AgentPlaybookId(999), edit("x")),
    ];
    for refused in [writes, nobody] {
        let answer = store.write_agent_playbooks(&acme(), refused, &a_run(), at(3)).await;
        assert!(matches!(answer, Err(Error::Changed { .. })), "{answer:?}");
        assert_eq!(agent_playbooks(store, &acme()).await, stored);
    }
    assert_eq!(store.check_integrity().await.unwrap().problems, Vec::<String>::new());
}

pub async fn the_text_of_a_deleted_rule_goes_with_it(store: &dyn Store) {
    let row = one(store, "apple").await;
    change(store, row.id, &edit("pear"), 2).await;
    store.delete_agent_playbooks(&acme(), &AgentPlaybookSelector::All, at(3)).await.unwrap();
    let told = store.agent_playbook_history(&acme(), row.id).await.unwrap();
    assert!(told.iter().all(|event| event.changes.is_empty()), "{told:?}");
    assert_eq!(told.last().unwrap().action, LineageAction::Deleted);
    assert!(revisions(store).await.is_empty());
}

pub async fn revisions_are_exported_and_imported(store: &dyn Store) {
    let row = one(store, "apple").await;
    change(store, row.id, &edit("pear"), 2).await;
    let records = revisions(store).await;
    assert_eq!(records.len(), 1);
    assert_eq!(
        store.import(&acme(), records.clone(), &a_run(), at(9)).await.unwrap(),
        0,
        "it is there already"
    );
    let rule = Record::AgentPlaybook(agent_playbooks(store, &acme()).await.remove(0));
    let told = store.agent_playbook_history(&acme(), row.id).await.unwrap();
    store.delete_agent_playbooks(&acme(), &AgentPlaybookSelector::All, at(3)).await.unwrap();
    let orphan = store.import(&acme(), records.clone(), &a_run(), at(9)).await;
    assert!(matches!(orphan, Err(Error::Corrupt(_))), "{orphan:?}");
    let both = std::iter::once(rule).chain(records).collect();
    assert_eq!(store.import(&acme(), both, &a_run(), at(9)).await.unwrap(), 2);
    let again = store.agent_playbook_history(&acme(), row.id).await.unwrap();
    assert_eq!(again.last(), told.last());
}

async fn revisions(store: &dyn Store) -> Vec<Record> {
    let mut records = Vec::new();
    let mut keep = |record| {
        if matches!(record, Record::AgentPlaybookRevision(_)) {
            records.push(record);
        }
        Ok(())
    };
    store.export(&acme(), &mut keep).await.unwrap();
    records
}
