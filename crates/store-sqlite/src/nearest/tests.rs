//! What is too rare to happen by itself: changes in the middle of loading, and of one transaction.

use reflexio_store::{
    AgentPlaybookFilter, AgentPlaybooks, Ask, Embedded, RowRef, VectorIndex, VectorModel, Vectors,
};
use reflexio_types::{
    AgentPlaybook, AgentPlaybookBody, AgentPlaybookId, OrgId, PlaybookStatus, Status, Timestamp,
};
use tempfile::TempDir;

use super::*;
use crate::fts::{Entry, Index};
use crate::{Options, SqliteStore, readers, schema};

fn org() -> OrgId {
    OrgId::new("acme")
}

fn model() -> VectorModel {
    VectorModel { id: "hand-made".to_owned(), dimension: 8 }
}

fn axis() -> Vec<f32> {
    (0..8).map(|at| if at == 0 { 1.0 } else { 0.0 }).collect()
}

/// A store with one agent playbook of each status that has a vector.
async fn filled() -> (TempDir, SqliteStore) {
    let folder = TempDir::new().unwrap();
    let store = SqliteStore::open(&folder.path().join("test.db"), &Options::default()).unwrap();
    store.use_model(Some(&model())).await.unwrap();
    let row = |playbook_status: PlaybookStatus| AgentPlaybook {
        id: AgentPlaybookId(0),
        playbook_name: "rule".to_owned(),
        agent_version: "v1".to_owned(),
        created_at: Timestamp(1),
        playbook_status,
        status: Status::Current,
        body: AgentPlaybookBody { content: playbook_status.as_str().to_owned(), ..Default::default() },
    };
    let rows = PlaybookStatus::ALL.map(row).to_vec();
    store.add_agent_playbooks(&org(), rows, None).await.unwrap();
    let rows = waiting_rows(&store).await.into_iter().map(|row| (row, Embedded::Vector(axis()))).collect();
    assert_eq!(store.put_vectors(&org(), &model(), rows).await.unwrap(), 3);
    (folder, store)
}

async fn waiting_rows(store: &SqliteStore) -> Vec<RowRef> {
    let waiting = store.unembedded(100).await.unwrap();
    waiting.into_iter().flat_map(|(_, rows)| rows).map(|row| row.row).collect()
}

async fn found(store: &SqliteStore, status: PlaybookStatus) -> Vec<i64> {
    let filter = AgentPlaybookFilter { playbook_status: vec![status], ..Default::default() };
    let ask = Ask { meaning: vec![axis()], limit: 10, ..Ask::default() };
    let rows = store.search_agent_playbooks(&org(), &filter, &ask).await.unwrap();
    let mut ids: Vec<i64> = rows.into_iter().map(|hit| hit.row.id.0).collect();
    ids.sort_unstable();
    ids
}

/// Reads the file as it is now into an index that is empty; what happens before the end is newer.
async fn while_loading(store: &SqliteStore, happens: impl AsyncFnOnce()) {
    let key = store.live.model().unwrap().key;
    let loading = std::sync::Arc::new(Model::new(key, model(), empty(&model()).unwrap()));
    let reader = schema::open_reader(&store.path).unwrap();
    reader.execute_batch("BEGIN; SELECT count(*) FROM agent_playbooks").unwrap();
    store.live.switch(Some(std::sync::Arc::clone(&loading)));
    happens().await;
    assert!(matches!(store.vector_index(), VectorIndex::Loading { .. }));
    load::load_from(&reader, &store.live, &loading).unwrap();
    assert!(matches!(store.vector_index(), VectorIndex::Ready { .. }));
}

async fn decide(store: &SqliteStore, id: i64, status: PlaybookStatus) {
    let change = reflexio_store::AgentPlaybookChange { playbook_status: Some(status), ..Default::default() };
    store.update_agent_playbook(&org(), AgentPlaybookId(id), &change, None, Timestamp(2)).await.unwrap();
}

#[tokio::test]
async fn a_status_that_changes_while_the_index_loads_is_the_one_that_counts() {
    let (_folder, store) = filled().await;
    let [first, second, third] = PlaybookStatus::ALL;
    while_loading(&store, async || decide(&store, 1, second).await).await;
    assert_eq!(found(&store, first).await, Vec::<i64>::new());
    assert_eq!(found(&store, second).await, [1, 2], "the row was not lost");
    assert_eq!(found(&store, third).await, [3]);
}

#[tokio::test]
async fn rows_that_go_or_change_while_the_index_loads_do_not_come_back() {
    let (_folder, store) = filled().await;
    let [first, second, third] = PlaybookStatus::ALL;
    while_loading(&store, async || {
        let gone = reflexio_store::AgentPlaybookSelector::Ids(vec![AgentPlaybookId(1)]);
        store.delete_agent_playbooks(&org(), &gone, Timestamp(2)).await.unwrap();
        decide(&store, 2, third).await;
        let change =
            reflexio_store::AgentPlaybookChange { content: Some("new".to_owned()), ..Default::default() };
        store.update_agent_playbook(&org(), AgentPlaybookId(2), &change, None, Timestamp(2)).await.unwrap();
        decide(&store, 3, first).await;
        decide(&store, 3, second).await;
    })
    .await;
    assert_eq!(found(&store, second).await, [3]);
    assert_eq!((found(&store, first).await, found(&store, third).await), (Vec::new(), Vec::new()));
    let rows = waiting_rows(&store).await;
    assert_eq!(rows.iter().map(|row| row.key).collect::<Vec<_>>(), [2]);
    let rows = rows.into_iter().map(|row| (row, Embedded::Vector(axis()))).collect();
    store.put_vectors(&org(), &model(), rows).await.unwrap();
    assert_eq!(found(&store, third).await, [2]);
}

#[tokio::test]
async fn a_table_that_is_emptied_while_the_index_loads_stays_empty() {
    let (_folder, store) = filled().await;
    while_loading(&store, async || {
        let all = reflexio_store::AgentPlaybookSelector::All;
        store.delete_agent_playbooks(&org(), &all, Timestamp(2)).await.unwrap();
    })
    .await;
    assert!(matches!(store.vector_index(), VectorIndex::Ready { rows: 0, .. }));
}

/// Both may wait for the writer and become one transaction; then the new wording is not written yet.
#[tokio::test]
async fn a_vector_of_the_old_wording_is_not_taken_in_the_transaction_of_the_edit() {
    let (_folder, store) = filled().await;
    store.rebuild_vectors(&org()).await.unwrap();
    let row = waiting_rows(&store).await.into_iter().find(|row| row.key == 1).unwrap();
    let model = store.live.model().unwrap();
    let both = move |tx: &mut crate::writer::Tx<'_>| {
        tx.index.put(Index::AgentPlaybooks, 1, Entry::new(&org(), None, "something else"));
        crate::vectors::put(tx, &org(), &model, vec![(row, Embedded::Vector(axis()))])
    };
    assert_eq!(store.writer.write(both).await.unwrap(), 0);
    assert!(matches!(store.vector_index(), VectorIndex::Ready { rows: 2, .. }));
    let again = waiting_rows(&store).await.into_iter().find(|row| row.key == 1).unwrap();
    assert_ne!(again.wording, row.wording);
}

#[tokio::test]
async fn a_vector_of_a_model_that_is_no_longer_in_use_is_not_taken() {
    let (_folder, store) = filled().await;
    store.rebuild_vectors(&org()).await.unwrap();
    let row = waiting_rows(&store).await[0];
    let old = store.live.model().unwrap();
    store.use_model(Some(&VectorModel { id: "next".to_owned(), ..model() })).await.unwrap();
    let late = move |tx: &mut crate::writer::Tx<'_>| {
        crate::vectors::put(tx, &org(), &old, vec![(row, Embedded::Vector(axis()))])
    };
    assert_eq!(store.writer.write(late).await.unwrap(), 0);
    assert_eq!(waiting_rows(&store).await.len(), 3);
    let none =
        readers::snapshot(&schema::open_reader(&store.path).unwrap(), crate::integrity::check).unwrap();
    assert_eq!(none.problems, Vec::<String>::new());
}
