use async_trait::async_trait;
use reflexio_types::{Operation, OrgId};

use crate::Result;

/// Long operations and their progress.
#[async_trait]
pub trait Operations: Send + Sync {
    /// The newest operation of a service.
    async fn operation(&self, org: &OrgId, service_name: &str) -> Result<Option<Operation>>;

    async fn operation_by_id(&self, org: &OrgId, id: &str) -> Result<Option<Operation>>;

    async fn put_operation(&self, org: &OrgId, operation: &Operation) -> Result<()>;
}
