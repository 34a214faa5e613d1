use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, Registry, fmt};

use super::{LogFormat, Serve};
use crate::context::Context;
use crate::failure::Failure;

pub(super) type BoxedLayer = Box<dyn Layer<Registry> + Send + Sync>;

/// What has to be told that no more will come.
pub(super) struct Logging {
    #[cfg(feature = "otlp")]
    traces: Option<super::otlp::Traces>,
}

/// Logs go to standard error, traces to a collector if one is named.
pub(super) fn start(serve: &Serve, context: &Context) -> anyhow::Result<Logging> {
    // What goes wrong with a server of a playbook is told by the run.
    let filter: EnvFilter = format!("rmcp=off,{}", serve.log).parse().map_err(|error| {
        Failure::usage(format!("`{}` is not a log filter: {error}", serve.log))
            .hint("set REFLEXIO_LOG to a level (error, warn, info, debug, trace) or to targets with levels")
    })?;
    // The filter belongs to the lines: in a list of layers the most curious one decides for all.
    let lines = lines(serve.log_format, context).with_filter(filter).boxed();
    #[cfg_attr(not(feature = "otlp"), expect(unused_mut, reason = "only traces add a layer"))]
    let mut layers: Vec<BoxedLayer> = vec![lines];
    #[cfg(feature = "otlp")]
    let traces = match serve.otlp_endpoint.as_deref().filter(|url| !url.trim().is_empty()) {
        None => None,
        Some(url) => {
            let (layer, traces) = super::otlp::start(url)?;
            layers.push(layer.with_filter(tracing_subscriber::filter::LevelFilter::INFO).boxed());
            Some(traces)
        }
    };
    tracing_subscriber::registry().with(layers).try_init()?;
    Ok(Logging {
        #[cfg(feature = "otlp")]
        traces,
    })
}

fn lines(format: LogFormat, context: &Context) -> BoxedLayer {
    match format {
        LogFormat::Json => fmt::layer().json().with_writer(std::io::stderr).boxed(),
        LogFormat::Human => fmt::layer()
            .with_writer(std::io::stderr)
            .with_ansi(context.out.colors_errors())
            .with_target(false)
            .boxed(),
    }
}

impl Logging {
    #[cfg_attr(
        not(feature = "otlp"),
        expect(clippy::unused_self, reason = "there is something to stop with traces")
    )]
    pub(super) fn stop(self) {
        #[cfg(feature = "otlp")]
        if let Some(traces) = self.traces {
            traces.stop();
        }
    }
}
