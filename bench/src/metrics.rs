use crate::connection::{Call, Connection};
use crate::server::Server;

const BATCH_SIZE: &str = "reflexio_store_commit_batch_size";
const COMMIT_SECONDS: &str = "reflexio_store_commit_seconds";
const PUBLISHED: &str = "reflexio_interactions_published_total";

/// What the server counts about its commits, since it began or between two looks.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Commits {
    pub(crate) commits: f64,
    /// Writes that were in those commits.
    pub(crate) writes: f64,
    pub(crate) seconds: f64,
    pub(crate) interactions: f64,
}

impl Commits {
    /// Nothing, if the server does not count.
    pub(crate) async fn of(server: &Server) -> anyhow::Result<Option<Self>> {
        let answer = Connection::open(server.address()).await?.send(&Call::get("/metrics")).await?;
        Ok(if answer.status == 200 { Some(Self::read(&answer.text())) } else { None })
    }

    /// A counter that is not there was never counted up.
    fn read(text: &str) -> Self {
        let sum = |name: &str| samples(text, name).sum();
        Self {
            commits: sum(&format!("{BATCH_SIZE}_count")),
            writes: sum(&format!("{BATCH_SIZE}_sum")),
            seconds: sum(&format!("{COMMIT_SECONDS}_sum")),
            interactions: sum(PUBLISHED),
        }
    }

    pub(crate) fn since(self, before: Self) -> Self {
        Self {
            commits: self.commits - before.commits,
            writes: self.writes - before.writes,
            seconds: self.seconds - before.seconds,
            interactions: self.interactions - before.interactions,
        }
    }

    pub(crate) fn mean_batch(&self) -> f64 {
        self.writes / self.commits.max(1.0)
    }

    pub(crate) fn mean_commit_ms(&self) -> f64 {
        self.seconds * 1e3 / self.commits.max(1.0)
    }
}

/// The values of one name, whatever its labels are.
fn samples(text: &str, name: &str) -> impl Iterator<Item = f64> {
    text.lines().filter_map(move |line| {
        let rest = line.strip_prefix(name)?;
        let value = match rest.strip_prefix('{') {
            Some(labelled) => labelled.rsplit_once('}')?.1,
            None => rest.strip_prefix(' ')?,
        };
        value.trim().parse().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
# TYPE reflexio_store_commit_batch_size histogram
reflexio_store_commit_batch_size_bucket{le=\"1\"} 2
reflexio_store_commit_batch_size_sum 30
reflexio_store_commit_batch_size_count 10
reflexio_store_commit_seconds_sum{pool=\"a b\"} 0.25
reflexio_store_commit_seconds_sum{pool=\"c\"} 0.25
reflexio_interactions_published_total_of_another_kind 7
";

    #[test]
    fn samples_are_summed_over_labels_and_names_must_match_wholly() {
        let read = Commits::read(TEXT);
        assert_eq!(read, Commits { commits: 10.0, writes: 30.0, seconds: 0.5, interactions: 0.0 });
        assert_eq!((read.mean_batch(), read.mean_commit_ms()), (3.0, 50.0));
    }

    #[test]
    fn between_two_looks_only_the_difference_counts() {
        let before = Commits { commits: 4.0, writes: 10.0, seconds: 0.25, interactions: 0.0 };
        let between = Commits::read(TEXT).since(before);
        assert_eq!(between, Commits { commits: 6.0, writes: 20.0, seconds: 0.25, interactions: 0.0 });
    }
}
