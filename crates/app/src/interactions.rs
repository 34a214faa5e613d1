use reflexio_store::{InteractionFilter, InteractionOrder, InteractionSelector};
use reflexio_types::{Caller, Image, ImageId, Interaction, InteractionId, RowKind, Scope, UserId};

use crate::access::Access;
use crate::search::{Found, SearchOptions};
use crate::{App, Error, Result};

/// So many turns before and after a turn tell what it is about.
const REACH: usize = 2;

/// Whose turns may be like a given one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Among {
    SameUser,
    Everybody,
}

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
        let Some(asked) = self.ask(caller, options).await else {
            let order = InteractionOrder::NewestFirst;
            let rows = self.store.interactions(&caller.org, filter, order, options.top_k).await?;
            return Ok(Found::listed(rows));
        };
        let rarity = self.rarity(caller, RowKind::Interaction, filter.user_id.as_ref(), &asked);
        let ask = asked.of(RowKind::Interaction, rarity.as_ref(), options);
        let rows = self.store.search_interactions(&caller.org, filter, &ask).await?;
        let ids: Vec<InteractionId> = rows.iter().map(|scored| scored.row.id).collect();
        let around = self.store.conversations(&caller.org, &ids, REACH).await?;
        Ok(asked.rank_turns(rows, &around, rarity.as_ref(), options))
    }

    /// Turns that are like a given one, of the same user or of everybody.
    pub async fn similar_interactions(
        &self,
        caller: &Caller,
        id: InteractionId,
        among: Among,
        options: &SearchOptions,
    ) -> Result<Found<Interaction>> {
        caller.needs(Scope::Read)?;
        let found = self.store.conversations(&caller.org, &[id], 0).await?;
        let turn = found.into_iter().flatten().next().ok_or_else(|| Error::not_found("interaction", &id))?;
        let user_id = match among {
            Among::SameUser => Some(turn.user_id.clone()),
            Among::Everybody => None,
        };
        let filter = InteractionFilter { user_id, ..InteractionFilter::default() };
        let options = SearchOptions {
            query: Some(as_query(&turn.turn.text())),
            top_k: options.top_k.saturating_add(1),
            ..options.clone()
        };
        let mut found = self.search_interactions(caller, &filter, &options).await?;
        found.rows.retain(|hit| hit.row.id != id);
        found.rows.truncate(options.top_k - 1);
        Ok(found)
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

/// A text that means what it says as a query: nobody who said "NOT" or quoted something meant to exclude rows.
fn as_query(text: &str) -> String {
    text.to_lowercase().replace('"', " ")
}
