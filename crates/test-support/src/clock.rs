use std::sync::atomic::{AtomicI64, Ordering};

use reflexio_types::{Clock, Timestamp};

/// A clock that shows what it is told.
#[derive(Debug)]
pub struct FixedClock(AtomicI64);

impl FixedClock {
    pub fn at(second: i64) -> Self {
        Self(AtomicI64::new(second))
    }

    pub fn set(&self, second: i64) {
        self.0.store(second, Ordering::SeqCst);
    }
}

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::SeqCst))
    }
}
