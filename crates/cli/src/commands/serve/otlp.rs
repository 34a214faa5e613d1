//! Traces for an OpenTelemetry collector.

use anyhow::Context as _;
use opentelemetry::trace::TracerProvider;
use opentelemetry_otlp::{SpanExporter, WithExportConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing_subscriber::Layer;

use super::logging::BoxedLayer;

const TRACES_PATH: &str = "/v1/traces";

/// The way to the collector.
pub(super) struct Traces(SdkTracerProvider);

pub(super) fn start(endpoint: &str) -> anyhow::Result<(BoxedLayer, Traces)> {
    // Says no when it is set already, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let exporter = SpanExporter::builder()
        .with_http()
        .with_endpoint(traces_url(endpoint))
        .build()
        .with_context(|| format!("cannot send traces to {endpoint}"))?;
    let provider = SdkTracerProvider::builder()
        .with_batch_exporter(exporter)
        .with_resource(Resource::builder().with_service_name("reflexio").build())
        .build();
    let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("reflexio")).boxed();
    Ok((layer, Traces(provider)))
}

/// Collectors are named by their base address, as in `OTEL_EXPORTER_OTLP_ENDPOINT`.
fn traces_url(endpoint: &str) -> String {
    let base = endpoint.trim().trim_end_matches('/');
    if base.ends_with(TRACES_PATH) { base.to_owned() } else { format!("{base}{TRACES_PATH}") }
}

impl Traces {
    /// Sends what is left.
    pub(super) fn stop(self) {
        if let Err(error) = self.0.shutdown() {
            tracing::warn!(%error, "the last traces could not be sent");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_address_gets_the_path_of_traces() {
        assert_eq!(traces_url("http://c:4318/"), "http://c:4318/v1/traces");
        assert_eq!(traces_url("http://c:4318/v1/traces"), "http://c:4318/v1/traces");
    }
}
