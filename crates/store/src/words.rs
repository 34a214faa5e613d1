use async_trait::async_trait;
use reflexio_search::TextQuery;
use reflexio_search::fusion::Rarity;
use reflexio_types::{OrgId, RowKind, UserId};

use crate::Result;

/// What is known about the words of rows beside the rows that hold them.
#[async_trait]
pub trait Words: Send + Sync {
    /// Reads into memory what makes searches by words fast, and keeps it in step from then on. Without it they find
    /// the same and take longer.
    async fn warm_words(&self) -> Result<()>;

    /// Whether [`Words::warm_words`] is done.
    fn has_warm_words(&self) -> bool;

    /// How rare the words of a query are among the rows of an org or a user; nothing if that is not at hand.
    fn rarity(&self, org: &OrgId, kind: RowKind, user: Option<&UserId>, words: &TextQuery) -> Option<Rarity>;
}
