//! The HTTP surface: routes, who may call them, and how answers and errors look.
//!
//! A handler parses, calls [`reflexio_app::App`] and answers; it decides nothing. Status codes and error
//! bodies are chosen in one place (`error.rs`). This crate must never touch a database or know a provider.
//! Start reading at [`router`].

mod auth;
mod error;
mod extract;
mod openapi;
mod rate_limit;
mod routes;
mod telemetry;

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware;
use axum::serve::ListenerExt;
use metrics_exporter_prometheus::PrometheusHandle;
use reflexio_app::App;
use tokio::net::TcpListener;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::cors::CorsLayer;

pub use openapi::openapi_json;
pub use rate_limit::RateLimit;

/// Larger bodies are refused unless the operator says otherwise.
const DEFAULT_MAX_BODY_BYTES: usize = 10 * 1024 * 1024;

/// What an operator may set.
#[derive(Clone)]
pub struct Options {
    pub max_body_bytes: usize,
    /// Per caller; never for callers on the same machine.
    pub rate_limit: Option<RateLimit>,
    /// Where `/metrics` reads from.
    pub metrics: Option<PrometheusHandle>,
}

impl Default for Options {
    fn default() -> Self {
        Self { max_body_bytes: DEFAULT_MAX_BODY_BYTES, rate_limit: None, metrics: None }
    }
}

/// What every handler can reach.
#[derive(Clone)]
pub(crate) struct AppState {
    pub(crate) app: Arc<App>,
    pub(crate) options: Arc<Options>,
    pub(crate) limiter: Option<Arc<rate_limit::Limiter>>,
}

/// All routes with everything around them.
pub fn router(app: Arc<App>, options: Options) -> Router {
    let limiter = options.rate_limit.map(|limit| Arc::new(rate_limit::Limiter::new(limit)));
    let state = AppState { app, options: Arc::new(options), limiter };
    let guarded = routes::guarded()
        .layer(middleware::from_fn_with_state(state.clone(), rate_limit::limit))
        .layer(middleware::from_fn_with_state(state.clone(), auth::authenticate));
    let (api, document) = openapi::assemble(routes::open().merge(guarded));
    api.merge(openapi::docs_page(document))
        .fallback(error::not_found)
        .method_not_allowed_fallback(error::method_not_allowed)
        .layer(DefaultBodyLimit::disable())
        .layer(CatchPanicLayer::custom(error::panicked))
        .layer(CorsLayer::permissive())
        .layer(middleware::from_fn(telemetry::observe))
        .with_state(state)
}

/// Serves until `shutdown` resolves, then finishes the requests that are under way.
pub async fn run(
    listener: TcpListener,
    app: Arc<App>,
    options: Options,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<()> {
    let service = router(app, options).into_make_service_with_connect_info::<SocketAddr>();
    // Answers are small; waiting to fill a packet would only delay them.
    let listener = listener.tap_io(|stream| {
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "could not turn off Nagle's algorithm");
        }
    });
    axum::serve(listener, service).with_graceful_shutdown(shutdown).await
}
