use reflexio_store::{Error, Record, Store, StoredConfig};
use reflexio_types::OrgId;

use crate::sample::{
    acme, add_profiles, add_user_playbooks, at, everything, found, image, interactions, other, profile,
    request, say, settle, user_playbook,
};

pub async fn an_export_holds_every_row_once_in_an_order_that_can_be_imported(store: &dyn Store) {
    settle(store, &acme()).await;
    settle(store, &other()).await;
    say(store, &acme(), request("r2", "u2", "s2", 2), &["one", "two"]).await;
    let config = StoredConfig { version: 1, body: "{\"a\":1}".to_owned(), secrets: vec![1, 2, 3] };
    store.put_config(&acme(), config, at(1)).await.unwrap();
    let kinds: Vec<&str> = export(store, &acme()).await.iter().map(kind).collect();
    let expected = [
        "image",
        "request",
        "request",
        "interaction",
        "interaction",
        "interaction",
        "profile",
        "user_playbook",
        "agent_playbook",
        "session_outcome",
        "evaluation",
        "learning_evaluation",
        "config",
    ];
    assert_eq!(kinds, expected);
    let lines = serde_json::to_string(&export(store, &acme()).await).unwrap();
    assert!(!lines.contains("secrets"), "{lines}");
}

pub async fn a_failing_receiver_ends_the_export(store: &dyn Store) {
    settle(store, &acme()).await;
    let mut taken = 0;
    let mut sink = |_| {
        taken += 1;
        Err(std::io::Error::other("no more"))
    };
    assert!(store.export(&acme(), &mut sink).await.is_err());
    assert_eq!(taken, 1);
    assert_eq!(export(store, &acme()).await.len(), 9);
}

pub async fn importing_what_is_there_changes_nothing(store: &dyn Store) {
    settle(store, &acme()).await;
    let records = export(store, &acme()).await;
    let before = everything(store, &acme()).await;
    assert_eq!(store.import(&acme(), records).await.unwrap(), 0);
    assert_eq!(everything(store, &acme()).await, before);
}

pub async fn an_import_brings_back_deleted_rows_with_their_ids(store: &dyn Store) {
    settle(store, &acme()).await;
    let records = export(store, &acme()).await;
    let rows = interactions(store, &acme()).await;
    store.clear_user(&acme(), &"u1".into()).await.unwrap();
    // The agent playbook stayed, all else is new.
    assert_eq!(store.import(&acme(), records.clone()).await.unwrap(), records.len() as u64 - 1);
    assert_eq!(export(store, &acme()).await, records);
    assert_eq!(interactions(store, &acme()).await, rows);
    assert_eq!(found(store, &acme(), "refund").await.len(), 1);
    assert!(store.image(&acme(), &image("shared").id).await.unwrap().is_some());
    let later = say(store, &acme(), request("r9", "u1", "s1", 9), &["later"]).await;
    assert!(later[0] > rows[0].id);
    assert_eq!(store.check_integrity().await.unwrap().problems, Vec::<String>::new());
}

pub async fn an_id_taken_by_other_content_undoes_the_whole_import(store: &dyn Store) {
    settle(store, &acme()).await;
    add_profiles(store, &acme(), &[profile("p2", "u1", 1, "mine")]).await;
    let records = export(store, &acme()).await;
    let before = everything(store, &acme()).await;
    for record in records {
        let fresh = Record::Request(request("fresh", "u1", "s1", 1));
        let changed = altered(record);
        let refused = store.import(&acme(), vec![fresh, changed.clone()]).await;
        assert!(matches!(refused, Err(Error::Duplicate { .. })), "{changed:?}: {refused:?}");
        assert_eq!(everything(store, &acme()).await, before);
    }
}

pub async fn a_number_taken_by_another_org_is_a_duplicate(store: &dyn Store) {
    let rows = add_user_playbooks(store, &other(), &[user_playbook("u1", 1, "theirs")]).await;
    let refused = store.import(&acme(), vec![Record::UserPlaybook(rows[0].clone())]).await;
    assert!(matches!(refused, Err(Error::Duplicate { .. })), "{refused:?}");
    assert!(export(store, &acme()).await.is_empty());
}

pub async fn an_import_that_does_not_fit_together_is_refused(store: &dyn Store) {
    settle(store, &acme()).await;
    let lonely = export(store, &acme()).await.into_iter().filter(|record| kind(record) == "interaction");
    let lonely: Vec<Record> = lonely.collect();
    store.clear_user(&acme(), &"u1".into()).await.unwrap();
    assert!(store.import(&acme(), lonely).await.is_err());
    assert!(interactions(store, &acme()).await.is_empty());
}

pub(crate) async fn export(store: &dyn Store, org: &OrgId) -> Vec<Record> {
    let mut records = Vec::new();
    let mut sink = |record| {
        records.push(record);
        Ok(())
    };
    let count = store.export(org, &mut sink).await.unwrap();
    assert_eq!(count, records.len() as u64);
    records
}

fn kind(record: &Record) -> &'static str {
    match record {
        Record::Image { .. } => "image",
        Record::Request(_) => "request",
        Record::Interaction(_) => "interaction",
        Record::Profile(_) => "profile",
        Record::UserPlaybook(_) => "user_playbook",
        Record::AgentPlaybook(_) => "agent_playbook",
        Record::AgentPlaybookRevision(_) => "agent_playbook_revision",
        Record::SessionOutcome(_) => "session_outcome",
        Record::Evaluation(_) => "evaluation",
        Record::LearningEvaluation(_) => "learning_evaluation",
        Record::ShadowComparison(_) => "shadow_comparison",
        Record::Config { .. } => "config",
    }
}

/// The same id, other content.
fn altered(record: Record) -> Record {
    match record {
        Record::Image { id, media_type, .. } => Record::Image { id, media_type, bytes: String::new() },
        Record::Request(mut row) => {
            row.source.push('x');
            Record::Request(row)
        }
        Record::Interaction(mut row) => {
            row.turn.content.push('x');
            Record::Interaction(row)
        }
        Record::Profile(mut row) => {
            row.body.content.push('x');
            Record::Profile(row)
        }
        Record::UserPlaybook(mut row) => {
            row.body.content.push('x');
            Record::UserPlaybook(row)
        }
        Record::AgentPlaybook(mut row) => {
            row.body.content.push('x');
            Record::AgentPlaybook(row)
        }
        Record::AgentPlaybookRevision(mut row) => {
            row.event.reason = Some("x".to_owned());
            Record::AgentPlaybookRevision(row)
        }
        Record::SessionOutcome(mut row) => {
            row.source.push('x');
            Record::SessionOutcome(row)
        }
        Record::Evaluation(mut row) => {
            row.evaluated_by.push('x');
            Record::Evaluation(row)
        }
        Record::LearningEvaluation(mut row) => {
            row.evaluated_by.push('x');
            Record::LearningEvaluation(row)
        }
        Record::ShadowComparison(mut row) => {
            row.body.reason.push('x');
            Record::ShadowComparison(row)
        }
        Record::Config { body } => Record::Config { body: format!("{body} ") },
    }
}
