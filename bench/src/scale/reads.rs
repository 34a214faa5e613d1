use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use reflexio_api_types::InteractionsViewResponse;

use crate::bodies::{Bodies, list_playbooks};
use crate::connection::{Call, Connection};
use crate::load::{Load, Outcome};
use crate::plan::ScalePlan;
use crate::progress::Progress;
use crate::server::Server;

/// What the target says.
const PLAYBOOKS_ASKED: i64 = 1_000;
/// At most so many queries are looked at closely, before anything is measured.
const SAMPLE: usize = 100;
/// The HTTP floor needs less time than what stands on it.
const FLOOR_SHARE: u32 = 5;

/// The reads that are measured at every size.
pub(crate) struct Reader {
    searches: Arc<[Call]>,
    list: Call,
    most: u64,
    time: Duration,
}

/// What the sampled queries found. A search that finds nothing is fast and proves nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Hits {
    /// Interactions per answer.
    pub(crate) mean: f64,
    /// The share of queries that found nothing.
    pub(crate) empty: f64,
}

impl Reader {
    pub(crate) fn new(bodies: Bodies, plan: &ScalePlan) -> anyhow::Result<Self> {
        let searches =
            (0..plan.queries).map(|number| bodies.search(number)).collect::<anyhow::Result<_>>()?;
        Ok(Self {
            searches,
            list: list_playbooks(PLAYBOOKS_ASKED)?,
            most: plan.most_reads,
            time: plan.read_time,
        })
    }

    /// Looks at some answers, for no longer than anything is measured, which also warms up what is measured next.
    pub(crate) async fn hits(&self, server: &Server) -> anyhow::Result<Hits> {
        let mut connection = Connection::open(server.address()).await?;
        let sample = self.searches.iter().take(SAMPLE);
        let mut found = Vec::with_capacity(SAMPLE);
        let started = Instant::now();
        for search in sample.take_while(|_| started.elapsed() < self.time) {
            let answer = connection.send(search).await?;
            anyhow::ensure!(answer.is_success(), "a search was refused: {} {}", answer.status, answer.text());
            let answer: InteractionsViewResponse =
                serde_json::from_slice(&answer.body).context("a strange answer")?;
            found.push(answer.interactions.len());
        }
        connection.send(&self.list).await?;
        Ok(Hits::of(&found))
    }

    pub(crate) async fn search(
        &self,
        server: &Server,
        progress: &Progress,
        connections: usize,
    ) -> anyhow::Result<Outcome> {
        let searches = Arc::clone(&self.searches);
        let pick = move |number: u64| searches[(number % searches.len() as u64) as usize].clone();
        self.load(connections).run(server, progress, pick).await?.without_failures()
    }

    pub(crate) async fn playbooks(
        &self,
        server: &Server,
        progress: &Progress,
        connections: usize,
    ) -> anyhow::Result<Outcome> {
        let list = self.list.clone();
        self.load(connections).run(server, progress, move |_| list.clone()).await?.without_failures()
    }

    pub(crate) async fn next_to_nothing(
        &self,
        server: &Server,
        progress: &Progress,
    ) -> anyhow::Result<Outcome> {
        let live = Call::get("/health/live");
        let load = Load { time: self.time / FLOOR_SHARE, ..self.load(1) };
        load.run(server, progress, move |_| live.clone()).await?.without_failures()
    }

    fn load(&self, connections: usize) -> Load {
        Load { connections, most: self.most, time: self.time }
    }
}

impl Hits {
    fn of(found: &[usize]) -> Self {
        let count = found.len().max(1) as f64;
        let empty = found.iter().filter(|hits| **hits == 0).count();
        Self { mean: found.iter().sum::<usize>() as f64 / count, empty: empty as f64 / count }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_answers_are_told_apart() {
        assert_eq!(Hits::of(&[10, 0, 2, 0]), Hits { mean: 3.0, empty: 0.5 });
        assert_eq!(Hits::of(&[]), Hits { mean: 0.0, empty: 0.0 });
    }
}
