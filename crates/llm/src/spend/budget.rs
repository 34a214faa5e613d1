use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use reflexio_types::{Clock, Day};

use crate::role::Role;

/// What a call may cost at most, as far as one can tell before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Estimate {
    pub run: Option<String>,
    pub role: Role,
    pub model: String,
    pub prompt_tokens: u64,
    pub output_tokens: u64,
    pub cost_micros: u64,
}

/// What a limit is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Period {
    /// From midnight to midnight UTC.
    Day,
    /// The whole life of a run.
    Run,
}

/// The call would pass a limit; the text says which.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct OverBudget {
    pub period: Period,
    pub message: String,
}

/// Hard limits. What is reserved before a call is settled after it, once, whatever came of it.
#[async_trait]
pub trait Budget: Send + Sync {
    async fn reserve(&self, estimate: &Estimate) -> Result<(), OverBudget>;

    /// Gives the reservation back and counts what was spent. Must not block.
    fn settle(&self, estimate: &Estimate, cost_micros: u64);
}

/// No limits.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoBudget;

#[async_trait]
impl Budget for NoBudget {
    async fn reserve(&self, _: &Estimate) -> Result<(), OverBudget> {
        Ok(())
    }

    fn settle(&self, _: &Estimate, _: u64) {}
}

/// Millionths of a US dollar that may be spent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BudgetLimits {
    pub per_run: Option<u64>,
    /// From midnight to midnight UTC.
    pub per_day: Option<u64>,
}

/// More runs than this are not remembered unless they have calls under way.
const MOST_RUNS: usize = 10_000;

/// Limits counted in this process.
pub struct Limits {
    clock: Arc<dyn Clock>,
    counts: Mutex<Counts>,
}

struct Counts {
    limits: BudgetLimits,
    day: Day,
    today: Count,
    runs: HashMap<String, Count>,
}

/// What was spent, and what calls that are under way may still spend.
#[derive(Debug, Clone, Copy, Default)]
struct Count {
    spent: u64,
    reserved: u64,
}

impl Count {
    fn check(self, wanted: u64, limit: Option<u64>, period: Period) -> Result<(), OverBudget> {
        let Some(limit) = limit else { return Ok(()) };
        if self.spent.saturating_add(self.reserved).saturating_add(wanted) <= limit {
            return Ok(());
        }
        let dollars = |micros: u64| micros as f64 / 1e6;
        let message = format!(
            "the next call may cost ${:.4}, ${:.4} of ${:.4} per {} are spent or reserved",
            dollars(wanted),
            dollars(self.spent.saturating_add(self.reserved)),
            dollars(limit),
            match period {
                Period::Day => "day",
                Period::Run => "run",
            }
        );
        Err(OverBudget { period, message })
    }

    fn settle(&mut self, reserved: u64, spent: u64) {
        self.reserved = self.reserved.saturating_sub(reserved);
        self.spent = self.spent.saturating_add(spent);
    }
}

impl Limits {
    /// `spent_today` is what the ledger already holds for the current day (UTC).
    pub fn new(limits: BudgetLimits, clock: Arc<dyn Clock>, spent_today: u64) -> Self {
        let day = Day::of(clock.now());
        let today = Count { spent: spent_today, reserved: 0 };
        Self { clock, counts: Mutex::new(Counts { limits, day, today, runs: HashMap::new() }) }
    }

    /// Other limits from now on; what was spent stays spent.
    pub fn set(&self, limits: BudgetLimits) {
        self.counts().limits = limits;
    }

    /// Whether what this run has spent before matters and is not known here.
    pub fn needs_run(&self, run: &str) -> bool {
        let counts = self.counts();
        counts.limits.per_run.is_some() && !counts.runs.contains_key(run)
    }

    /// A run goes on that spent something in another process, or long ago.
    pub fn continue_run(&self, run: &str, spent: u64) {
        let mut counts = self.counts();
        if counts.runs.len() >= MOST_RUNS {
            counts.runs.retain(|_, count| count.reserved > 0);
        }
        counts.runs.entry(run.to_owned()).or_insert(Count { spent, reserved: 0 });
    }

    /// What a run has spent so far.
    pub fn spent_by_run(&self, run: &str) -> u64 {
        self.counts().runs.get(run).map_or(0, |count| count.spent)
    }

    /// What was spent today, and what calls that are under way may still spend.
    pub fn today(&self) -> (u64, u64) {
        let today = self.counts().today;
        (today.spent, today.reserved)
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let day = Day::of(self.clock.now());
        if counts.day != day {
            counts.day = day;
            counts.today.spent = 0;
        }
        counts
    }
}

#[async_trait]
impl Budget for Limits {
    async fn reserve(&self, estimate: &Estimate) -> Result<(), OverBudget> {
        let mut counts = self.counts();
        let (limits, wanted) = (counts.limits, estimate.cost_micros);
        counts.today.check(wanted, limits.per_day, Period::Day)?;
        // Without a limit nobody asks, and runs are many.
        if let (Some(run), Some(_)) = (&estimate.run, limits.per_run) {
            let count = counts.runs.entry(run.clone()).or_default();
            count.check(wanted, limits.per_run, Period::Run)?;
            count.reserved = count.reserved.saturating_add(wanted);
        }
        counts.today.reserved = counts.today.reserved.saturating_add(wanted);
        Ok(())
    }

    fn settle(&self, estimate: &Estimate, cost_micros: u64) {
        let mut counts = self.counts();
        counts.today.settle(estimate.cost_micros, cost_micros);
        if let Some(count) = estimate.run.as_ref().and_then(|run| counts.runs.get_mut(run)) {
            count.settle(estimate.cost_micros, cost_micros);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicI64, Ordering};

    use reflexio_types::Timestamp;

    use super::*;

    #[derive(Default)]
    struct SetClock(AtomicI64);

    impl Clock for SetClock {
        fn now(&self) -> Timestamp {
            Timestamp(self.0.load(Ordering::Relaxed))
        }
    }

    fn estimate(run: &str, cost_micros: u64) -> Estimate {
        let (role, model) = (Role::Judge, "openai/m".to_owned());
        Estimate { run: Some(run.to_owned()), role, model, prompt_tokens: 1, output_tokens: 1, cost_micros }
    }

    #[tokio::test]
    async fn calls_under_way_count_until_they_are_settled() {
        let limits = BudgetLimits { per_run: Some(100), per_day: Some(150) };
        let limits = Limits::new(limits, Arc::new(SetClock::default()), 0);
        let call = estimate("a", 60);
        limits.reserve(&call).await.expect("room");
        let over = limits.reserve(&call).await.expect_err("two do not fit");
        assert!(over.to_string().contains("per run"), "{over}");
        limits.settle(&call, 10);
        limits.reserve(&call).await.expect("the first was cheaper than feared");
        limits.reserve(&estimate("b", 60)).await.expect("another run");
        let over = limits.reserve(&estimate("c", 60)).await.expect_err("the day is full");
        assert!(over.to_string().contains("per day"), "{over}");
        assert_eq!((limits.spent_by_run("a"), limits.today()), (10, (10, 120)));
    }

    #[tokio::test]
    async fn a_new_day_is_a_new_budget() {
        let clock = Arc::new(SetClock::default());
        let limits = BudgetLimits { per_run: None, per_day: Some(100) };
        let limits = Limits::new(limits, Arc::clone(&clock) as Arc<dyn Clock>, 90);
        limits.reserve(&estimate("a", 20)).await.expect_err("spent before the start");
        clock.0.store(86_400, Ordering::Relaxed);
        limits.reserve(&estimate("a", 20)).await.expect("a new day");
    }

    #[tokio::test]
    async fn a_run_that_goes_on_has_spent_what_it_spent_before() {
        let limits = BudgetLimits { per_run: Some(100), per_day: None };
        let limits = Limits::new(limits, Arc::new(SetClock::default()), 0);
        assert!(limits.needs_run("a"));
        limits.continue_run("a", 90);
        assert!(!limits.needs_run("a"));
        let over = limits.reserve(&estimate("a", 20)).await.expect_err("spent in another process");
        assert_eq!(over.period, Period::Run);
        limits.set(BudgetLimits { per_run: Some(200), per_day: None });
        limits.reserve(&estimate("a", 20)).await.expect("the limit was raised");
    }
}
