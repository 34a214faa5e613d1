use std::time::Duration;

use reflexio_api_types::MOST_INTERACTIONS;

use crate::bodies::Bodies;
use crate::connection::Connection;
use crate::load::{Load, Outcome};
use crate::progress::Progress;
use crate::server::Server;

const PLAYBOOKS_PER_REQUEST: u64 = 500;

/// How a store is filled.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fill {
    pub(crate) bodies: Bodies,
    pub(crate) connections: usize,
    pub(crate) time: Duration,
}

/// What was added, and how fast.
#[derive(Debug)]
pub(crate) struct Filled {
    pub(crate) rows: u64,
    pub(crate) turns_per_request: u64,
    pub(crate) outcome: Outcome,
}

impl Filled {
    pub(crate) fn rows_per_second(&self) -> f64 {
        self.rows as f64 / self.outcome.elapsed.as_secs_f64().max(1e-9)
    }
}

impl Fill {
    /// Publishes until there are `to` interactions: equally many for every user, in large requests.
    pub(crate) async fn run(self, server: &Server, from: u64, to: u64) -> anyhow::Result<Filled> {
        let missing = to.saturating_sub(from);
        let turns = turns_per_request(missing, self.bodies.users);
        let requests = missing.div_ceil(turns);
        let progress = Progress::new(format!("scale, filling to {to} interactions"));
        let load = Load { connections: self.connections, most: requests, time: self.time };
        // Made while the others wait for the disk; half a gigabyte of prepared text would be in the way.
        let bodies = self.bodies;
        let prepare = move |number: u64| {
            let count = turns.min(missing - number * turns);
            bodies.fill(number, from + number * turns, count).unwrap_or_else(|error| unmade(&error))
        };
        let outcome = load.run(server, &progress, prepare).await?.without_failures()?;
        let rows =
            if outcome.latency.count() == requests { missing } else { outcome.latency.count() * turns };
        let filled = Filled { rows, turns_per_request: turns, outcome };
        progress.done(format_args!("{:.0} interactions/s", filled.rows_per_second()));
        Ok(filled)
    }
}

/// As large as one request may be, and small enough that every user gets one.
fn turns_per_request(missing: u64, users: u64) -> u64 {
    (missing / users.max(1)).clamp(1, MOST_INTERACTIONS as u64)
}

/// A request that could not be made is one that the server refuses.
fn unmade(error: &anyhow::Error) -> crate::connection::Call {
    crate::connection::Call::post("/api/publish_interaction", error.to_string().into())
}

pub(crate) async fn playbooks(server: &Server, bodies: Bodies, count: u64) -> anyhow::Result<()> {
    let mut connection = Connection::open(server.address()).await?;
    let mut first = 0;
    while first < count {
        let size = PLAYBOOKS_PER_REQUEST.min(count - first);
        let answer = connection.send(&bodies.playbooks(first, size)?).await?;
        anyhow::ensure!(answer.is_success(), "playbooks were refused: {} {}", answer.status, answer.text());
        first += size;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_user_gets_a_request_unless_one_would_be_too_large() {
        assert_eq!(turns_per_request(10_000, 1_000), 10);
        assert_eq!(turns_per_request(700_000, 1_000), 700);
        assert_eq!(turns_per_request(100_000, 1), 1_000);
        assert_eq!(turns_per_request(5, 1_000), 1);
    }
}
