//! What stands before a provider: a bound on calls at once, and a breaker while it is down.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

use crate::error::{Error, Result};

/// How many calls a provider gets at once, and when it is left alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateSettings {
    pub concurrency: usize,
    /// Failures in a row after which a provider is not asked for a while.
    pub failures: u32,
    /// That while; then one call tries.
    pub pause: Duration,
}

impl Default for GateSettings {
    fn default() -> Self {
        Self { concurrency: 8, failures: 5, pause: Duration::from_secs(20) }
    }
}

/// One gate per provider.
pub(crate) struct Gates {
    settings: GateSettings,
    gates: Mutex<HashMap<String, Arc<Gate>>>,
}

struct Gate {
    permits: Arc<Semaphore>,
    breaker: Mutex<Breaker>,
}

#[derive(Default)]
struct Breaker {
    failures: u32,
    closed_until: Option<Instant>,
}

/// The right to call a provider once; given back when dropped.
pub(crate) struct Pass {
    gate: Arc<Gate>,
    _permit: OwnedSemaphorePermit,
}

impl Gates {
    pub(crate) fn new(settings: GateSettings) -> Self {
        Self { settings, gates: Mutex::new(HashMap::new()) }
    }

    /// Waits for a place until `deadline`; fails at once while the provider is left alone.
    pub(crate) async fn enter(&self, provider: &str, model: &str, deadline: Instant) -> Result<Pass> {
        let gate = self.gate(provider);
        self.check(&gate, model)?;
        let started = Instant::now();
        let permit = timeout_at(deadline, Arc::clone(&gate.permits).acquire_owned()).await;
        let late = || Error::Timeout { model: model.to_owned(), after: started.elapsed() };
        let Ok(Ok(permit)) = permit else { return Err(late()) };
        if Instant::now() >= deadline {
            return Err(late());
        }
        self.try_again(&gate, model)?;
        Ok(Pass { gate, _permit: permit })
    }

    /// Counts how a call ended. Only a provider that does not work is left alone; one that says no works.
    pub(crate) fn ended(&self, pass: &Pass, error: Option<&Error>) {
        let mut breaker = lock(&pass.gate.breaker);
        if !matches!(error, Some(Error::Unavailable { .. } | Error::Timeout { .. })) {
            *breaker = Breaker::default();
            return;
        }
        breaker.failures = breaker.failures.saturating_add(1);
        if breaker.failures >= self.settings.failures {
            let pause = error.and_then(Error::retry_after).unwrap_or(self.settings.pause);
            breaker.closed_until = Some(Instant::now() + pause.min(4 * self.settings.pause));
        }
    }

    fn gate(&self, provider: &str) -> Arc<Gate> {
        let mut gates = lock(&self.gates);
        let gate = gates.entry(provider.to_owned()).or_insert_with(|| {
            let permits = Arc::new(Semaphore::new(self.settings.concurrency.max(1)));
            Arc::new(Gate { permits, breaker: Mutex::default() })
        });
        Arc::clone(gate)
    }

    fn check(&self, gate: &Gate, model: &str) -> Result<()> {
        let closed_until = lock(&gate.breaker).closed_until;
        let left = closed_until.map(|until| until.saturating_duration_since(Instant::now()));
        match left.filter(|left| !left.is_zero()) {
            None => Ok(()),
            Some(left) => Err(Error::Unavailable {
                model: model.to_owned(),
                message: "it failed too often and is left alone for a while".to_owned(),
                retry_after: Some(left),
            }),
        }
    }

    /// After the pause one call goes ahead; the others wait another pause, in case it never comes back.
    fn try_again(&self, gate: &Gate, model: &str) -> Result<()> {
        self.check(gate, model)?;
        let mut breaker = lock(&gate.breaker);
        if breaker.closed_until.is_some() {
            breaker.closed_until = Some(Instant::now() + self.settings.pause);
        }
        Ok(())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gates(concurrency: usize) -> Gates {
        Gates::new(GateSettings { concurrency, failures: 2, pause: Duration::from_secs(10) })
    }

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(1)
    }

    #[tokio::test(start_paused = true)]
    async fn a_place_comes_back_when_the_call_that_held_it_is_dropped() {
        let gates = gates(1);
        let pass = gates.enter("p", "p/m", soon()).await.expect("a place");
        assert!(matches!(gates.enter("p", "p/m", soon()).await, Err(Error::Timeout { .. })));
        gates.enter("other", "other/m", soon()).await.expect("another provider");
        drop(pass);
        gates.enter("p", "p/m", soon()).await.expect("a place again");
    }

    #[tokio::test(start_paused = true)]
    async fn a_provider_that_fails_is_left_alone_then_tried_by_one() {
        let gates = gates(4);
        let down = Error::unavailable("p/m", "down");
        for _ in 0..2 {
            let pass = gates.enter("p", "p/m", soon()).await.expect("open");
            gates.ended(&pass, Some(&down));
        }
        let refused = gates.enter("p", "p/m", soon()).await.err().expect("left alone");
        assert!(refused.retry_after().is_some_and(|wait| wait <= Duration::from_secs(10)), "{refused:?}");
        tokio::time::advance(Duration::from_secs(11)).await;
        let pass = gates.enter("p", "p/m", soon()).await.expect("one tries");
        assert!(gates.enter("p", "p/m", soon()).await.is_err(), "the others wait for it");
        gates.ended(&pass, None);
        gates.enter("p", "p/m", soon()).await.expect("it works again");
    }

    #[tokio::test(start_paused = true)]
    async fn a_provider_that_says_no_is_not_down() {
        let gates = gates(4);
        let no = Error::Auth { model: "p/m".to_owned(), message: "wrong key".to_owned() };
        for _ in 0..5 {
            let pass = gates.enter("p", "p/m", soon()).await.expect("open");
            gates.ended(&pass, Some(&no));
        }
    }
}
