use reflexio_types::{JobId, Timestamp};

/// How long a failed job waits: twice as long each time, with some jitter so that jobs that failed together do
/// not come back together.
#[derive(Debug, Clone, Copy)]
pub struct Backoff {
    pub first_seconds: u32,
    pub longest_seconds: u32,
}

impl Default for Backoff {
    fn default() -> Self {
        Self { first_seconds: 5, longest_seconds: 15 * 60 }
    }
}

impl Backoff {
    /// When to try again after this attempt (the first is 1). The same job and attempt always wait the same time.
    pub fn retry_at(&self, job: JobId, attempt: u32, now: Timestamp) -> Timestamp {
        let doubled = 1_u64.checked_shl(attempt.saturating_sub(1).min(32)).unwrap_or(u64::MAX);
        let full = u64::from(self.first_seconds).saturating_mul(doubled).min(u64::from(self.longest_seconds));
        // Between three quarters and all of it.
        let jitter = mix(job.0.unsigned_abs() ^ (u64::from(attempt) << 48)) % (full / 4 + 1);
        Timestamp(now.0.saturating_add(i64::try_from(full - jitter).unwrap_or(i64::MAX)))
    }
}

/// The finisher of SplitMix64: close numbers give far ones.
fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(job: i64, attempt: u32) -> i64 {
        Backoff::default().retry_at(JobId(job), attempt, Timestamp(0)).0
    }

    #[test]
    fn each_wait_is_about_twice_as_long_up_to_the_longest() {
        for (attempt, full) in [(1, 5), (2, 10), (3, 20), (8, 640), (9, 900), (40, 900), (u32::MAX, 900)] {
            for job in 1..50 {
                let seconds = wait(job, attempt);
                assert!(seconds >= full * 3 / 4 && seconds <= full, "{attempt}: {seconds}");
            }
        }
    }

    #[test]
    fn jobs_that_failed_together_come_back_apart_and_each_at_a_fixed_time() {
        let waits: std::collections::BTreeSet<i64> = (1..100).map(|job| wait(job, 8)).collect();
        assert!(waits.len() > 50, "{waits:?}");
        assert_eq!(wait(7, 3), wait(7, 3));
    }
}
