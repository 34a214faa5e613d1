use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use reflexio_types::{ApiKey, Caller, KeyId, OrgId, Scopes};
use sha2::{Digest, Sha256};

use crate::{App, Error, Result};

/// How long a look-up is believed. Keys are made and revoked by another process (`reflexio keys`), so this
/// is also how long a revoked key goes on working.
const BELIEVE_FOR: Duration = Duration::from_secs(1);
/// Wrong keys must not fill the memory.
const MOST_REMEMBERED: usize = 10_000;

/// A key as it is shown once, when it is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewKey {
    pub key: ApiKey,
    pub secret: String,
}

/// The key of the environment, by its hash.
pub(crate) struct StaticKey([u8; 32]);

impl StaticKey {
    pub(crate) fn new(secret: &str) -> Self {
        Self(hash(secret))
    }
}

/// When a key was looked up, and whose it was.
type Looked = (Instant, Option<Caller>);

#[derive(Default)]
pub(crate) struct KeyCache {
    callers: Mutex<HashMap<[u8; 32], Looked>>,
    any: Mutex<Option<(Instant, bool)>>,
}

impl App {
    /// The caller a secret belongs to.
    pub async fn authenticate(&self, secret: &str) -> Result<Option<Caller>> {
        let hash = hash(secret);
        if self.static_key.as_ref().is_some_and(|key| key.0 == hash) {
            return Ok(Some(Caller { key: Some(KeyId("env".to_owned())), ..Caller::local() }));
        }
        if let Some(known) = self.key_cache.get(&hash) {
            return Ok(known);
        }
        let key = self.store.key_by_hash(&hash).await?;
        let caller = key.map(|key| Caller { org: key.org, scopes: key.scopes, key: Some(key.id) });
        self.key_cache.put(hash, caller.clone());
        Ok(caller)
    }

    /// Whether callers need a key at all.
    pub async fn keys_required(&self) -> Result<bool> {
        if self.static_key.is_some() {
            return Ok(true);
        }
        if let Some(any) = self.key_cache.any() {
            return Ok(any);
        }
        let any = self.store.any_key().await?;
        self.key_cache.put_any(any);
        Ok(any)
    }

    /// Makes a key. Only the operator's command line calls this: it has the database file anyway.
    pub async fn create_key(&self, org: OrgId, name: String, scopes: Scopes) -> Result<NewKey> {
        let mut bytes = [0u8; 36];
        getrandom::fill(&mut bytes).map_err(|error| Error::Internal(Box::new(error)))?;
        let (id, secret) = bytes.split_at(4);
        let id = hex::encode(id);
        let secret = format!("rfx_{id}_{}", URL_SAFE_NO_PAD.encode(secret));
        let key = ApiKey { id: KeyId(id), org, name, scopes, created_at: self.now(), revoked_at: None };
        self.store.add_key(&key, &hash(&secret)).await?;
        // Nobody gets in without a key from here on, not even for as long as the last look-up is believed.
        self.key_cache.put_any(true);
        Ok(NewKey { key, secret })
    }

    pub async fn keys(&self) -> Result<Vec<ApiKey>> {
        Ok(self.store.keys().await?)
    }

    pub async fn revoke_key(&self, id: &KeyId) -> Result<()> {
        let revoked = self.store.revoke_key(id, self.now()).await?;
        if revoked { Ok(()) } else { Err(Error::not_found("key", &id)) }
    }
}

/// A secret has 256 random bits, so a fast hash is enough: there is nothing to guess.
fn hash(secret: &str) -> [u8; 32] {
    Sha256::digest(secret.as_bytes()).into()
}

impl KeyCache {
    fn get(&self, hash: &[u8; 32]) -> Option<Option<Caller>> {
        let callers = self.callers.lock().unwrap_or_else(PoisonError::into_inner);
        let (seen, caller) = callers.get(hash)?;
        (seen.elapsed() < BELIEVE_FOR).then(|| caller.clone())
    }

    fn put(&self, hash: [u8; 32], caller: Option<Caller>) {
        let mut callers = self.callers.lock().unwrap_or_else(PoisonError::into_inner);
        if callers.len() >= MOST_REMEMBERED {
            callers.clear();
        }
        callers.insert(hash, (Instant::now(), caller));
    }

    fn any(&self) -> Option<bool> {
        let any = self.any.lock().unwrap_or_else(PoisonError::into_inner);
        any.filter(|(seen, _)| seen.elapsed() < BELIEVE_FOR).map(|(_, any)| any)
    }

    fn put_any(&self, value: bool) {
        *self.any.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), value));
    }
}
