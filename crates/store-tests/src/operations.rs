use reflexio_store::Store;
use reflexio_types::{Operation, OperationState};

use crate::sample::{acme, at, other};

pub async fn the_newest_operation_of_a_service_is_told(store: &dyn Store) {
    assert_eq!(store.operation(&acme(), "profile_generation").await.unwrap(), None);
    let (old, new) = (operation("o1", "profile_generation", 1), operation("o2", "profile_generation", 2));
    let elsewhere = operation("o3", "playbook_generation", 3);
    for row in [&new, &old, &elsewhere] {
        store.put_operation(&acme(), row).await.unwrap();
    }
    assert_eq!(store.operation(&acme(), "profile_generation").await.unwrap(), Some(new));
    assert_eq!(store.operation_by_id(&acme(), "o1").await.unwrap(), Some(old));
    assert_eq!(store.operation_by_id(&acme(), "o9").await.unwrap(), None);
    assert_eq!(store.operation_by_id(&other(), "o1").await.unwrap(), None);
    assert_eq!(store.operation(&acme(), "playbook_generation").await.unwrap(), Some(elsewhere));
}

pub async fn an_operation_is_updated_in_place(store: &dyn Store) {
    let mut row = operation("o1", "profile_generation", 1);
    store.put_operation(&acme(), &row).await.unwrap();
    row.state = OperationState::Failed;
    row.completed_at = Some(at(5));
    row.processed_user_ids.push("u1".to_owned());
    row.failed_user_ids.push(serde_json::json!({ "user_id": "u2" }).as_object().cloned().unwrap());
    row.error_message = Some("broke".to_owned());
    store.put_operation(&acme(), &row).await.unwrap();
    assert_eq!(store.operation(&acme(), "profile_generation").await.unwrap(), Some(row));
}

pub async fn operations_belong_to_their_org(store: &dyn Store) {
    let (mine, theirs) = (operation("o1", "profile_generation", 1), operation("o1", "profile_generation", 2));
    store.put_operation(&acme(), &mine).await.unwrap();
    assert_eq!(store.operation(&other(), "profile_generation").await.unwrap(), None);
    store.put_operation(&other(), &theirs).await.unwrap();
    assert_eq!(store.operation(&acme(), "profile_generation").await.unwrap(), Some(mine));
}

pub async fn an_erased_user_is_taken_out_of_operations(store: &dyn Store) {
    let mut row = operation("o1", "profile_generation", 1);
    row.processed_user_ids = vec!["u1".to_owned(), "u11".to_owned()];
    row.request_params.insert("user_id".to_owned(), "u1".into());
    store.put_operation(&acme(), &row).await.unwrap();
    store.put_operation(&other(), &row).await.unwrap();
    store.clear_user(&acme(), &"u1".into()).await.unwrap();
    let told = store.operation(&acme(), "profile_generation").await.unwrap().unwrap();
    assert_eq!((told.processed_user_ids, told.current_user_id), (vec!["u11".to_owned()], None));
    assert!(told.request_params.is_empty());
    assert_eq!(store.operation(&other(), "profile_generation").await.unwrap(), Some(row));
}

fn operation(id: &str, service: &str, second: i64) -> Operation {
    Operation {
        id: id.to_owned(),
        service_name: service.to_owned(),
        state: OperationState::InProgress,
        started_at: at(second),
        completed_at: None,
        total_users: 3,
        processed_user_ids: Vec::new(),
        failed_user_ids: Vec::new(),
        current_user_id: Some("u1".to_owned()),
        request_params: serde_json::Map::new(),
        stats: serde_json::Map::new(),
        error_message: None,
    }
}
