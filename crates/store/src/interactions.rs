use async_trait::async_trait;
use reflexio_search::TextQuery;
use reflexio_types::{Image, ImageId, Interaction, InteractionId, OrgId, UserId};

use crate::{InteractionFilter, InteractionOrder, Result, Scored};

/// Which interactions to delete.
#[derive(Debug, Clone, PartialEq)]
pub enum InteractionSelector {
    One { user_id: UserId, id: InteractionId },
    All,
}

/// Turns and actions.
#[async_trait]
pub trait Interactions: Send + Sync {
    async fn interactions(
        &self,
        org: &OrgId,
        filter: &InteractionFilter,
        order: InteractionOrder,
        limit: usize,
    ) -> Result<Vec<Interaction>>;

    /// Best match first; equal scores newest first.
    async fn search_interactions(
        &self,
        org: &OrgId,
        filter: &InteractionFilter,
        query: &TextQuery,
        limit: usize,
    ) -> Result<Vec<Scored<Interaction>>>;

    /// Deletes with the index entries, and with images and requests that nothing refers to any more.
    async fn delete_interactions(&self, org: &OrgId, which: &InteractionSelector) -> Result<u64>;

    async fn image(&self, org: &OrgId, id: &ImageId) -> Result<Option<Image>>;
}
