use async_trait::async_trait;
use reflexio_types::{ApiKey, KeyId, Timestamp};

use crate::Result;

/// API keys of all orgs. The only rows that are looked up without an org: a key tells the org.
#[async_trait]
pub trait Keys: Send + Sync {
    /// `hash` is the SHA-256 of the secret.
    async fn add_key(&self, key: &ApiKey, hash: &[u8; 32]) -> Result<()>;

    async fn keys(&self) -> Result<Vec<ApiKey>>;

    /// A key that was not revoked.
    async fn key_by_hash(&self, hash: &[u8; 32]) -> Result<Option<ApiKey>>;

    /// Whether any key is in force, so that callers without one are turned away.
    async fn any_key(&self) -> Result<bool>;

    /// Whether there was such a key in force.
    async fn revoke_key(&self, id: &KeyId, at: Timestamp) -> Result<bool>;
}
