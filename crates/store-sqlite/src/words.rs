use std::sync::Arc;

use async_trait::async_trait;
use reflexio_search::TextQuery;
use reflexio_search::fusion::Rarity;
use reflexio_store::{Error, Result, Words};
use reflexio_types::{OrgId, RowKind, UserId};
use reflexio_vectors::Filter;

use crate::fts::Index;
use crate::{SqliteStore, nearest};

#[async_trait]
impl Words for SqliteStore {
    async fn warm_words(&self) -> Result<()> {
        let Some(texts) = self.live.keep_texts() else { return Ok(()) };
        // Every transaction from here on tells its words; those before are in the database that is read below.
        self.writer.write(|_| Ok(())).await?;
        let (path, live) = (self.path.clone(), Arc::clone(&self.live));
        let loading = tokio::task::spawn_blocking(move || nearest::load_texts(&path, &live, &texts));
        Ok(loading.await.map_err(|error| Error::Internal(Box::new(error)))??)
    }

    fn has_warm_words(&self) -> bool {
        self.live.texts().is_some_and(|texts| texts.ready(Index::Interactions).is_some())
    }

    fn rarity(&self, org: &OrgId, kind: RowKind, user: Option<&UserId>, words: &TextQuery) -> Option<Rarity> {
        let texts = self.live.texts()?.ready(Index::from(kind))?;
        let mut filter = Filter::org(self.live.names.find(org.as_str())?);
        if let Some(user) = user {
            filter.user = Some(self.live.names.find(user.as_str())?);
        }
        let query = reflexio_postings::Query { query: words, filter: &filter, k: 0 };
        let statistics = texts.search_counted(&query).statistics;
        Some(Rarity { rows: statistics.rows as f64, holding: statistics.holding })
    }
}
