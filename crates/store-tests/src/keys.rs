use reflexio_store::{Error, Store};
use reflexio_types::{ApiKey, KeyId, OrgId, Scope, Scopes};

use crate::sample::{acme, at, other};

pub async fn a_key_is_found_by_its_hash_until_it_is_revoked(store: &dyn Store) {
    assert!(!store.any_key().await.unwrap());
    let (first, second) = (key("k1", &acme()), key("k2", &other()));
    store.add_key(&first, &[1; 32]).await.unwrap();
    store.add_key(&second, &[2; 32]).await.unwrap();
    assert_eq!(store.key_by_hash(&[1; 32]).await.unwrap(), Some(first.clone()));
    assert_eq!(store.key_by_hash(&[2; 32]).await.unwrap(), Some(second.clone()));
    assert_eq!(store.key_by_hash(&[3; 32]).await.unwrap(), None);

    assert!(store.revoke_key(&first.id, at(9)).await.unwrap());
    assert!(!store.revoke_key(&first.id, at(10)).await.unwrap(), "it was revoked before");
    assert!(!store.revoke_key(&KeyId("nobody".to_owned()), at(10)).await.unwrap());
    assert_eq!(store.key_by_hash(&[1; 32]).await.unwrap(), None);
    let revoked = ApiKey { revoked_at: Some(at(9)), ..first };
    assert_eq!(store.keys().await.unwrap(), [revoked, second.clone()]);

    assert!(store.any_key().await.unwrap());
    assert!(store.revoke_key(&second.id, at(11)).await.unwrap());
    assert!(!store.any_key().await.unwrap(), "revoked keys do not count");
}

pub async fn a_taken_key_id_or_secret_is_refused(store: &dyn Store) {
    store.add_key(&key("k1", &acme()), &[1; 32]).await.unwrap();
    let same_id = store.add_key(&key("k1", &other()), &[2; 32]).await;
    assert!(matches!(same_id, Err(Error::Duplicate { .. })), "{same_id:?}");
    let same_secret = store.add_key(&key("k2", &other()), &[1; 32]).await;
    assert!(matches!(same_secret, Err(Error::Duplicate { .. })), "{same_secret:?}");
    assert_eq!(store.keys().await.unwrap(), [key("k1", &acme())]);
}

fn key(id: &str, org: &OrgId) -> ApiKey {
    ApiKey {
        id: KeyId(id.to_owned()),
        org: org.clone(),
        name: format!("key {id}"),
        scopes: Scopes::new(vec![Scope::Write, Scope::Read]),
        created_at: at(1),
        revoked_at: None,
    }
}
