use async_trait::async_trait;
use reflexio_types::{OrgId, Stall, Timestamp};

use crate::Result;

/// A configuration as it lies in the store. The store does not look inside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredConfig {
    /// Grows by one with each write.
    pub version: u64,
    /// JSON without secrets.
    pub body: String,
    /// The secrets, sealed when a master key is configured.
    pub secrets: Vec<u8>,
}

/// The configuration and the learning stall of an org.
#[async_trait]
pub trait Configs: Send + Sync {
    async fn config(&self, org: &OrgId) -> Result<Option<StoredConfig>>;

    /// The orgs that have saved a configuration, by name.
    async fn configured_orgs(&self) -> Result<Vec<OrgId>>;

    /// Writes version `config.version`; fails with `Changed` unless the stored one is its predecessor.
    async fn put_config(&self, org: &OrgId, config: StoredConfig, at: Timestamp) -> Result<()>;

    async fn stall(&self, org: &OrgId) -> Result<Option<Stall>>;

    async fn put_stall(&self, org: &OrgId, stall: Option<&Stall>) -> Result<()>;
}
