use std::time::Duration;

use anyhow::Context as _;
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

/// From a quarter of a millisecond, which is a quick answer, to a minute, which is a model thinking.
const SECONDS: [f64; 15] =
    [0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 15.0, 60.0];
/// How many writes share one commit.
const BATCH_SIZES: [f64; 9] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0];
const UPKEEP: Duration = Duration::from_secs(5);

/// Collects the numbers of this process for `/metrics`.
pub(super) fn install() -> anyhow::Result<PrometheusHandle> {
    PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), &SECONDS)
        .and_then(|builder| {
            let name = Matcher::Full("reflexio_store_commit_batch_size".to_owned());
            builder.set_buckets_for_metric(name, &BATCH_SIZES)
        })
        .and_then(PrometheusBuilder::install_recorder)
        .context("cannot collect metrics")
}

/// Empties the buffers of histograms that nobody asks for; never returns.
pub(super) async fn keep_up(handle: PrometheusHandle) {
    let mut beat = tokio::time::interval(UPKEEP);
    loop {
        beat.tick().await;
        handle.run_upkeep();
    }
}
