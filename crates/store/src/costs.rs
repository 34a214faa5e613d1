use async_trait::async_trait;
use reflexio_types::{CostTotals, Day, ModelCall, OrgId, UserId};

use crate::Result;

/// Which calls of models. An empty filter means all of the org.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CostFilter {
    /// From this day on.
    pub from: Option<Day>,
    /// Up to and with this day.
    pub to: Option<Day>,
    pub role: Option<String>,
    /// `provider/model`.
    pub model: Option<String>,
    /// This and what follows is known as long as calls are kept one by one.
    pub user_id: Option<UserId>,
    pub config: Option<String>,
    pub run: Option<String>,
}

/// By what calls are put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CostGrouping {
    Day,
    Role,
    Model,
    User,
    Config,
    Run,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CostGroup {
    pub key: String,
    pub totals: CostTotals,
}

/// What calls cost. The groups and the rest are the totals, exactly.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CostReport {
    pub totals: CostTotals,
    /// The dearest first; days from the newest on.
    pub groups: Vec<CostGroup>,
    /// Groups beyond the limit, calls that belong to none, and calls that are not kept one by one any more.
    pub rest: CostTotals,
}

/// The books of what models cost. Calls are kept one by one for a while; what they cost by day, role and model is
/// kept for ever.
#[async_trait]
pub trait Costs: Send + Sync {
    /// A call names its user only while that user has published something, so that no late call brings back the
    /// name of somebody who was erased.
    async fn record_calls(&self, org: &OrgId, calls: Vec<ModelCall>) -> Result<()>;

    async fn costs(
        &self,
        org: &OrgId,
        filter: &CostFilter,
        by: Option<CostGrouping>,
        limit: usize,
    ) -> Result<CostReport>;

    /// Millionths of a US dollar that the org spent on a day.
    async fn spent_on(&self, org: &OrgId, day: Day) -> Result<u64>;

    /// What all orgs spent on a day.
    async fn spent_by_all_on(&self, day: Day) -> Result<u64>;

    /// What a run spent, as far as its calls are kept one by one.
    async fn spent_by_run(&self, org: &OrgId, run: &str) -> Result<u64>;

    /// Of all orgs: forgets single calls of days before this one, at most so many; says how many. What they cost
    /// by day, role and model stays.
    async fn forget_calls(&self, before: Day, limit: usize) -> Result<u64>;
}
