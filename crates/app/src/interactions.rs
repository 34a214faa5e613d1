use reflexio_store::{InteractionFilter, InteractionOrder, InteractionSelector};
use reflexio_types::{Caller, Image, ImageId, Interaction, InteractionId, Scope, UserId};

use crate::access::Access;
use crate::search::{Found, SearchOptions};
use crate::{App, Error, Result};

impl App {
    pub async fn interactions(
        &self,
        caller: &Caller,
        filter: &InteractionFilter,
        order: InteractionOrder,
        limit: usize,
    ) -> Result<Vec<Interaction>> {
        caller.needs(Scope::Read)?;
        Ok(self.store.interactions(&caller.org, filter, order, limit).await?)
    }

    /// The newest interactions, oldest of them first, as a conversation is read.
    pub async fn recent_interactions(
        &self,
        caller: &Caller,
        filter: &InteractionFilter,
        count: usize,
    ) -> Result<Vec<Interaction>> {
        let mut rows = self.interactions(caller, filter, InteractionOrder::LatestArrivalFirst, count).await?;
        rows.reverse();
        Ok(rows)
    }

    pub async fn search_interactions(
        &self,
        caller: &Caller,
        filter: &InteractionFilter,
        options: &SearchOptions,
    ) -> Result<Found<Interaction>> {
        caller.needs(Scope::Read)?;
        let Some(query) = options.text_query() else {
            let order = InteractionOrder::NewestFirst;
            let rows = self.store.interactions(&caller.org, filter, order, options.top_k).await?;
            return Ok(Found::listed(rows));
        };
        let rows = self.store.search_interactions(&caller.org, filter, &query, options.top_k).await?;
        Ok(Found::ranked(rows, options))
    }

    pub async fn delete_interaction(
        &self,
        caller: &Caller,
        user_id: UserId,
        id: InteractionId,
    ) -> Result<()> {
        caller.needs(Scope::Write)?;
        let which = InteractionSelector::One { user_id, id };
        let deleted = self.store.delete_interactions(&caller.org, &which).await?;
        if deleted == 0 { Err(Error::not_found("interaction", &id)) } else { Ok(()) }
    }

    pub async fn delete_all_interactions(&self, caller: &Caller) -> Result<u64> {
        caller.needs(Scope::Admin)?;
        Ok(self.store.delete_interactions(&caller.org, &InteractionSelector::All).await?)
    }

    pub async fn image(&self, caller: &Caller, id: &ImageId) -> Result<Image> {
        caller.needs(Scope::Read)?;
        self.store.image(&caller.org, id).await?.ok_or_else(|| Error::not_found("image", &id))
    }
}
