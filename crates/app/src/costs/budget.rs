use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use reflexio_llm::{Budget, BudgetLimits, Estimate, Limits, OverBudget, Period};
use reflexio_store::{Result, SharedStore};
use reflexio_types::config::{BudgetConfig, micros};
use reflexio_types::{Clock, Day, OrgId};

/// The operator's limits, in millionths of a US dollar; days are from midnight to midnight UTC.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Budgets {
    /// For the whole server.
    pub per_day: Option<u64>,
    /// For each org, whatever its configuration says.
    pub per_org_and_day: Option<u64>,
    /// For each run, whatever the configuration of its org says.
    pub per_run: Option<u64>,
}

impl Budgets {
    /// The stricter of the operator's limits and the org's.
    pub(super) fn of_org(&self, config: &BudgetConfig) -> BudgetLimits {
        let stricter = |operator: Option<u64>, own: Option<f64>| match (operator, own.map(micros)) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        BudgetLimits {
            per_run: stricter(self.per_run, config.per_run_usd),
            per_day: stricter(self.per_org_and_day, config.per_day_usd),
        }
    }
}

/// Counts what is spent, for each org and for the server. What was spent before the start is read from the books, so
/// that a restart gives nobody a second budget.
pub(super) struct Counters {
    store: SharedStore,
    clock: Arc<dyn Clock>,
    budgets: Budgets,
    server: tokio::sync::OnceCell<Arc<Limits>>,
    orgs: Mutex<HashMap<OrgId, Arc<tokio::sync::OnceCell<Arc<Limits>>>>>,
}

impl Counters {
    pub(super) fn new(store: SharedStore, clock: Arc<dyn Clock>, budgets: Budgets) -> Self {
        Self { store, clock, budgets, server: tokio::sync::OnceCell::new(), orgs: Mutex::default() }
    }

    pub(super) fn budgets(&self) -> &Budgets {
        &self.budgets
    }

    pub(super) async fn server(&self) -> Result<Arc<Limits>> {
        let load = || async {
            let spent = self.store.spent_by_all_on(Day::of(self.clock.now())).await?;
            let limits = BudgetLimits { per_run: None, per_day: self.budgets.per_day };
            Ok(Arc::new(Limits::new(limits, Arc::clone(&self.clock), spent)))
        };
        self.server.get_or_try_init(load).await.cloned()
    }

    /// The counter of an org; without limits until they are set.
    pub(super) async fn org(&self, org: &OrgId) -> Result<Arc<Limits>> {
        let cell = {
            let mut orgs = self.orgs.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(orgs.entry(org.clone()).or_default())
        };
        let load = || async {
            let spent = self.store.spent_on(org, Day::of(self.clock.now())).await?;
            Ok(Arc::new(Limits::new(BudgetLimits::default(), Arc::clone(&self.clock), spent)))
        };
        cell.get_or_try_init(load).await.cloned()
    }

    pub(super) async fn budget(&self, org: &OrgId, config: &BudgetConfig) -> Result<OrgBudget> {
        let own = self.org(org).await?;
        own.set(self.budgets.of_org(config));
        let (org, store) = (org.clone(), Arc::clone(&self.store));
        Ok(OrgBudget { org, store, own, server: self.server().await? })
    }
}

/// The limits of an org and of the server it lives on.
pub(super) struct OrgBudget {
    org: OrgId,
    store: SharedStore,
    own: Arc<Limits>,
    server: Arc<Limits>,
}

impl OrgBudget {
    /// What a run spent before this process, or before it was forgotten here.
    async fn remember(&self, run: &str) {
        if !self.own.needs_run(run) {
            return;
        }
        match self.store.spent_by_run(&self.org, run).await {
            Ok(spent) => self.own.continue_run(run, spent),
            // The limit of the day still holds.
            Err(error) => tracing::error!(org = %self.org, run, %error, "what a run spent cannot be read"),
        }
    }
}

#[async_trait]
impl Budget for OrgBudget {
    async fn reserve(&self, estimate: &Estimate) -> std::result::Result<(), OverBudget> {
        if let Some(run) = &estimate.run {
            self.remember(run).await;
        }
        let reserved = match self.own.reserve(estimate).await {
            Ok(()) => self.server.reserve(estimate).await.map_err(|over| {
                self.own.settle(estimate, 0);
                OverBudget { message: format!("{} by the whole server", over.message), ..over }
            }),
            Err(over) => Err(over),
        };
        reserved.inspect_err(|over| {
            let period = match over.period {
                Period::Day => "day",
                Period::Run => "run",
            };
            metrics::counter!("reflexio_budget_refusals_total", "period" => period).increment(1);
        })
    }

    fn settle(&self, estimate: &Estimate, cost_micros: u64) {
        self.own.settle(estimate, cost_micros);
        self.server.settle(estimate, cost_micros);
    }
}
