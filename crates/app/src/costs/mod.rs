//! What models cost: the books, the limits, and answers that need not be paid twice. `reflexio_llm` says when; this
//! says where.

mod answers;
mod budget;
mod ledger;

use std::sync::Arc;
use std::time::Duration;

use reflexio_llm::Services;
use reflexio_store::{CostFilter, CostGrouping, CostReport, SharedStore};
use reflexio_types::{Caller, Clock, Config, Day, ModelCall, OrgId, Scope, Timestamp};

pub use budget::Budgets;

use crate::access::Access;
use crate::journal::Journal;
use crate::{App, Result, upkeep};
use answers::OrgAnswers;
use budget::Counters;
use ledger::OrgLedger;

/// How long a reader waits for calls that are on their way to the books.
const LONGEST_WAIT: Duration = Duration::from_secs(1);

/// What models may cost, and how long each call is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CostSettings {
    pub budgets: Budgets,
    /// Older calls are kept only as totals by day, role and model.
    pub detail_days: u32,
}

impl Default for CostSettings {
    fn default() -> Self {
        Self { budgets: Budgets::default(), detail_days: 90 }
    }
}

/// The books of this process.
pub(crate) struct Books {
    store: SharedStore,
    clock: Arc<dyn Clock>,
    journal: Arc<Journal<ModelCall>>,
    counters: Counters,
    detail_days: u32,
}

/// What was spent of a budget, in millionths of a US dollar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spending {
    pub spent: u64,
    /// What calls that are under way may still cost.
    pub reserved: u64,
    /// None if there is no limit.
    pub limit: Option<u64>,
}

impl Spending {
    /// What may still be spent, if that is limited.
    pub fn left(&self) -> Option<u64> {
        self.limit.map(|limit| limit.saturating_sub(self.spent).saturating_sub(self.reserved))
    }
}

/// The day's budget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Today {
    pub day: Day,
    pub org: Spending,
    /// Of the whole server; whether one is set, and whether it is spent, concerns all its orgs, the sum does not.
    pub server_is_spent: bool,
    pub per_run: Option<u64>,
    /// When the day turns.
    pub resets_at: Timestamp,
}

/// What models cost, and how the day's budget stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Costs {
    pub from: Option<Day>,
    pub to: Option<Day>,
    pub report: CostReport,
    pub today: Today,
}

impl Books {
    pub(crate) fn new(store: SharedStore, clock: Arc<dyn Clock>, settings: CostSettings) -> Self {
        Self {
            journal: Arc::new(Journal::new(Arc::clone(&store))),
            counters: Counters::new(Arc::clone(&store), Arc::clone(&clock), settings.budgets),
            detail_days: settings.detail_days,
            store,
            clock,
        }
    }

    /// What the models of an org work with.
    pub(crate) async fn services(&self, org: &OrgId, config: &Config) -> Result<Services> {
        let budget = self.counters.budget(org, &config.budget_config).await?;
        let ledger = OrgLedger { org: org.clone(), journal: Arc::clone(&self.journal) };
        let answers = OrgAnswers {
            org: org.clone(),
            store: Arc::clone(&self.store),
            clock: Arc::clone(&self.clock),
            journal: Arc::clone(&self.journal),
        };
        Ok(Services {
            clock: Arc::clone(&self.clock),
            ledger: Arc::new(ledger),
            budget: Arc::new(budget),
            answers: Arc::new(answers),
            transport: None,
        })
    }

    /// Returns when every call is in the books, or when the store does not take them.
    pub(crate) async fn settle(&self) {
        self.journal.settle().await;
    }

    /// Writes what waits, and forgets calls that are old.
    pub(crate) async fn keep_tidy(&self) {
        self.settle().await;
        let before = Day::of(self.clock.now()).plus(-i64::from(self.detail_days));
        upkeep::forget("calls of models", |most| self.store.forget_calls(before, most)).await;
    }
}

impl App {
    /// What models cost, and how the day's budget stands.
    pub async fn costs(
        &self,
        caller: &Caller,
        filter: &CostFilter,
        by: Option<CostGrouping>,
        limit: usize,
    ) -> Result<Costs> {
        caller.needs(Scope::Read)?;
        // So that what was just spent is seen; under a load that never ends, what came a moment ago may be missing.
        let _ = tokio::time::timeout(LONGEST_WAIT, self.books.settle()).await;
        let report = self.store.costs(&caller.org, filter, by, limit).await?;
        let today = self.budget_today(&caller.org).await?;
        Ok(Costs { from: filter.from, to: filter.to, report, today })
    }

    pub(crate) async fn budget_today(&self, org: &OrgId) -> Result<Today> {
        let (_, config) = self.config_in_force(org).await?;
        let counters = &self.books.counters;
        let limits = counters.budgets().of_org(&config.budget_config);
        let (spent, reserved) = counters.org(org).await?.today();
        let (of_all, under_way) = counters.server().await?.today();
        let day = Day::of(self.now());
        Ok(Today {
            day,
            org: Spending { spent, reserved, limit: limits.per_day },
            server_is_spent: counters.budgets().per_day.is_some_and(|limit| of_all + under_way >= limit),
            per_run: limits.per_run,
            resets_at: day.plus(1).start(),
        })
    }
}
