use axum::Json;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use reflexio_api_types::{HealthResponse, RootResponse, VersionResponse};
use reflexio_app::App;
use reflexio_store::VectorIndex;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::AppState;
use crate::auth::{bearer, peer};
use crate::extract::UseCases;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(root))
        .routes(routes!(health))
        .routes(routes!(live))
        .routes(routes!(ready))
        .routes(routes!(version))
        .routes(routes!(metrics))
}

/// What this is and where to go on
#[utoipa::path(get, path = "/", tag = "health", responses((status = 200, body = RootResponse)))]
async fn root() -> Json<RootResponse> {
    Json(RootResponse {
        service: "Reflexio API".to_owned(),
        docs: "/docs".to_owned(),
        health: "/health".to_owned(),
    })
}

/// Whether the server and its store work
#[utoipa::path(get, path = "/health", tag = "health",
    responses((status = 200, body = HealthResponse), (status = 503, body = HealthResponse)))]
async fn health(app: UseCases) -> Response {
    readiness(app, "healthy").await
}

/// Whether the process lives
#[utoipa::path(get, path = "/health/live", tag = "health", responses((status = 200, body = HealthResponse)))]
async fn live() -> Json<HealthResponse> {
    Json(HealthResponse { status: "alive".to_owned(), detail: None })
}

/// Whether the server can take work
#[utoipa::path(get, path = "/health/ready", tag = "health",
    responses((status = 200, body = HealthResponse), (status = 503, body = HealthResponse)))]
async fn ready(app: UseCases) -> Response {
    readiness(app, "ready").await
}

async fn readiness(UseCases(app): UseCases, word: &str) -> Response {
    match app.ready().await {
        Ok(()) => Json(HealthResponse { status: word.to_owned(), detail: loading(&app) }).into_response(),
        Err(error) => {
            let body = HealthResponse { status: "unhealthy".to_owned(), detail: Some(error.to_string()) };
            (StatusCode::SERVICE_UNAVAILABLE, Json(body)).into_response()
        }
    }
}

/// While vectors are read from the database, searches by meaning do not find all rows yet.
fn loading(app: &App) -> Option<String> {
    match app.vector_index() {
        VectorIndex::Loading { done, total } => Some(format!("loading vectors: {done} of {total}")),
        VectorIndex::Off | VectorIndex::Ready { .. } => None,
    }
}

/// The server's version
#[utoipa::path(get, path = "/meta/version", tag = "health", responses((status = 200, body = VersionResponse)))]
async fn version() -> Json<VersionResponse> {
    Json(VersionResponse {
        server_version: env!("CARGO_PKG_VERSION").to_owned(),
        api_version: "v1".to_owned(),
        min_client_version: "0.1.0".to_owned(),
    })
}

/// Numbers for Prometheus, to callers on the machine or with a key
#[utoipa::path(get, path = "/metrics", tag = "health",
    responses((status = 200, body = String, content_type = "text/plain"),
              (status = 401, body = String, content_type = "text/plain"),
              (status = 404, body = String, content_type = "text/plain")))]
async fn metrics(State(state): State<AppState>, request: Request) -> Response {
    let local = peer(&request).is_some_and(|ip| ip.is_loopback());
    let key = bearer(request.headers()).map(str::to_owned);
    if !local && !is_valid(&state, key).await {
        return (StatusCode::UNAUTHORIZED, "metrics are for callers on the machine or with a key\n")
            .into_response();
    }
    let Some(handle) = &state.options.metrics else {
        return (StatusCode::NOT_FOUND, "metrics are not collected\n").into_response();
    };
    if let Ok(jobs) = state.app.job_counts().await {
        metrics::gauge!("reflexio_jobs", "state" => "queued").set(jobs.queued as f64);
        metrics::gauge!("reflexio_jobs", "state" => "running").set(jobs.running as f64);
        metrics::gauge!("reflexio_jobs", "state" => "dead").set(jobs.dead as f64);
    }
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], handle.render()).into_response()
}

async fn is_valid(state: &AppState, key: Option<String>) -> bool {
    match key {
        Some(key) => matches!(state.app.authenticate(&key).await, Ok(Some(_))),
        None => false,
    }
}
