use reflexio_store::{Page, RequestFilter, RequestSelector, SessionGroup};
use reflexio_types::{Caller, RequestId, Scope, SessionId};

use crate::access::Access;
use crate::{App, Error, Result};

impl App {
    /// Sessions with their requests and interactions, and whether more follow.
    pub async fn sessions(
        &self,
        caller: &Caller,
        filter: &RequestFilter,
        page: Page,
    ) -> Result<(Vec<SessionGroup>, bool)> {
        caller.needs(Scope::Read)?;
        Ok(self.store.sessions(&caller.org, filter, page).await?)
    }

    pub async fn delete_request(&self, caller: &Caller, id: RequestId) -> Result<()> {
        caller.needs(Scope::Write)?;
        let deleted =
            self.store.delete_requests(&caller.org, &RequestSelector::Ids(vec![id.clone()])).await?;
        if deleted == 0 { Err(Error::not_found("request", &id)) } else { Ok(()) }
    }

    /// How many of these were there to delete.
    pub async fn delete_requests(&self, caller: &Caller, ids: Vec<RequestId>) -> Result<u64> {
        caller.needs(Scope::Write)?;
        Ok(self.store.delete_requests(&caller.org, &RequestSelector::Ids(ids)).await?)
    }

    /// Deletes the requests of a session and says how many there were.
    pub async fn delete_session(&self, caller: &Caller, id: SessionId) -> Result<u64> {
        caller.needs(Scope::Write)?;
        let deleted = self.store.delete_requests(&caller.org, &RequestSelector::Session(id.clone())).await?;
        if deleted == 0 { Err(Error::not_found("session", &id)) } else { Ok(deleted) }
    }
}
