use reflexio_store::{Error, Store, StoredConfig};
use reflexio_types::{Stall, StallReason};

use crate::sample::{acme, at, other};

pub async fn a_configuration_grows_by_one_version_at_a_time(store: &dyn Store) {
    assert_eq!(store.config(&acme()).await.unwrap(), None);
    for version in 1..=3 {
        store.put_config(&acme(), config(version, "{}"), at(1)).await.unwrap();
        assert_eq!(store.config(&acme()).await.unwrap(), Some(config(version, "{}")));
    }
}

pub async fn a_configuration_written_by_somebody_else_is_not_overwritten(store: &dyn Store) {
    for version in [0, 2, 7] {
        assert!(matches!(put(store, version, "early").await, Err(Error::Changed { .. })), "{version}");
    }
    put(store, 1, "first").await.unwrap();
    for version in [0, 1, 3, u64::MAX] {
        assert!(matches!(put(store, version, "late").await, Err(Error::Changed { .. })), "{version}");
    }
    assert_eq!(store.config(&acme()).await.unwrap(), Some(config(1, "first")));
}

pub async fn configurations_belong_to_their_org(store: &dyn Store) {
    put(store, 1, "mine").await.unwrap();
    assert_eq!(store.config(&other()).await.unwrap(), None);
    assert_eq!(store.configured_orgs().await.unwrap(), [acme()]);
    store.put_config(&other(), config(1, "theirs"), at(1)).await.unwrap();
    put(store, 2, "mine again").await.unwrap();
    assert_eq!(store.config(&other()).await.unwrap(), Some(config(1, "theirs")));
    assert_eq!(store.configured_orgs().await.unwrap(), [acme(), other()]);
}

pub async fn a_stall_is_kept_replaced_and_lifted(store: &dyn Store) {
    let stall = Stall {
        reason: StallReason::BillingError,
        stalled_at: at(1),
        reset_estimate: Some(at(2)),
        error_message: Some("no credit".to_owned()),
        notified: false,
    };
    assert_eq!(store.stall(&acme()).await.unwrap(), None);
    store.put_stall(&acme(), Some(&stall)).await.unwrap();
    assert_eq!(store.stall(&acme()).await.unwrap(), Some(stall.clone()));
    assert_eq!(store.stall(&other()).await.unwrap(), None);
    let told = Stall { notified: true, ..stall };
    store.put_stall(&acme(), Some(&told)).await.unwrap();
    store.put_stall(&other(), None).await.unwrap();
    assert_eq!(store.stall(&acme()).await.unwrap(), Some(told));
    store.put_stall(&acme(), None).await.unwrap();
    assert_eq!(store.stall(&acme()).await.unwrap(), None);
}

fn config(version: u64, body: &str) -> StoredConfig {
    StoredConfig { version, body: body.to_owned(), secrets: vec![0, 159, 146, 150] }
}

async fn put(store: &dyn Store, version: u64, body: &str) -> reflexio_store::Result<()> {
    store.put_config(&acme(), config(version, body), at(1)).await
}
