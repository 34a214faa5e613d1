use std::collections::HashMap;

use async_trait::async_trait;
use reflexio_types::{Image, Interaction, InteractionId, NewJob, OrgId, Request, RequestId, SessionId, Turn};

use crate::{Enqueued, Page, RequestFilter, Result};

/// Everything one publish call stores, in one transaction.
#[derive(Debug, Clone)]
pub struct NewRequest {
    pub request: Request,
    pub turns: Vec<Turn>,
    /// The images the turns refer to; one that is already stored is not stored again.
    pub images: Vec<Image>,
    /// Work that this publish makes necessary.
    pub job: Option<NewJob>,
    /// Further work, which nobody waits for.
    pub also: Vec<NewJob>,
}

/// What a publish stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    pub interaction_ids: Vec<InteractionId>,
    /// The job that will do the work of this publish, if it needed one.
    pub job: Option<Enqueued>,
}

/// A request with its interactions in the order they were said.
#[derive(Debug, Clone, PartialEq)]
pub struct RequestDetail {
    pub request: Request,
    pub interactions: Vec<Interaction>,
}

/// The requests of one session that were asked for, newest first; of one second the latest arrival first.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionGroup {
    pub session_id: SessionId,
    pub requests: Vec<RequestDetail>,
}

/// Which requests to delete.
#[derive(Debug, Clone, PartialEq)]
pub enum RequestSelector {
    Ids(Vec<RequestId>),
    Session(SessionId),
}

/// Publish calls and the sessions they form.
#[async_trait]
pub trait Requests: Send + Sync {
    /// Stores the request, its interactions, their index entries, images and jobs, or nothing.
    /// Fails with `Duplicate` when the org already has a request of this id.
    async fn publish(&self, org: &OrgId, new: NewRequest) -> Result<Published>;

    async fn request(&self, org: &OrgId, id: &RequestId) -> Result<Option<Request>>;

    /// The sessions of those requests that are there and belong to one.
    async fn request_sessions(&self, org: &OrgId, ids: &[RequestId])
    -> Result<HashMap<RequestId, SessionId>>;

    /// Sessions with a matching request, those with the newest request first, and whether more follow.
    async fn sessions(
        &self,
        org: &OrgId,
        filter: &RequestFilter,
        page: Page,
    ) -> Result<(Vec<SessionGroup>, bool)>;

    /// Deletes requests with their interactions and says how many requests that were.
    async fn delete_requests(&self, org: &OrgId, which: &RequestSelector) -> Result<u64>;
}
