use async_trait::async_trait;
use reflexio_types::{Image, ImageId, Interaction, InteractionId, OrgId, UserId};

use crate::{Ask, InteractionFilter, InteractionOrder, Result, Scored};

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

    /// Rows that fit by their words, best first, equal ones newest first; then rows that are near in meaning.
    async fn search_interactions(
        &self,
        org: &OrgId,
        filter: &InteractionFilter,
        ask: &Ask,
    ) -> Result<Vec<Scored<Interaction>>>;

    /// The conversations around some turns: those said up to `reach` turns before and after them by the same user
    /// in the same session (or without one, if the publisher named no session), in the order they were said.
    /// Stretches that share a turn are one.
    async fn conversations(
        &self,
        org: &OrgId,
        around: &[InteractionId],
        reach: usize,
    ) -> Result<Vec<Vec<Interaction>>>;

    /// Deletes with the index entries, and with images and requests that nothing refers to any more.
    async fn delete_interactions(&self, org: &OrgId, which: &InteractionSelector) -> Result<u64>;

    async fn image(&self, org: &OrgId, id: &ImageId) -> Result<Option<Image>>;
}
