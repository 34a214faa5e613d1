use std::time::Instant;

use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;
use tracing::Instrument;
use uuid::Uuid;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const CORRELATION_ID: HeaderName = HeaderName::from_static("x-correlation-id");
const LONGEST_ID: usize = 128;

/// Gives every request an id, measures it, and adds the headers every answer has.
pub(crate) async fn observe(request: Request, next: Next) -> Response {
    let started = Instant::now();
    let id = request_id(&request);
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().map_or("unmatched", MatchedPath::as_str).to_owned();
    let span = tracing::info_span!("request", id = id.to_str().unwrap_or_default(), %method, route);
    let mut response = next.run(request).instrument(span.clone()).await;
    let (status, elapsed) = (response.status(), started.elapsed());
    let labels = [("method", method.to_string()), ("route", route), ("status", status.as_u16().to_string())];
    metrics::counter!("reflexio_http_requests_total", &labels).increment(1);
    metrics::histogram!("reflexio_http_request_seconds", &labels[..2]).record(elapsed);
    span.in_scope(|| {
        let ms = elapsed.as_secs_f64() * 1e3;
        if status.is_server_error() {
            tracing::warn!(status = status.as_u16(), ms, "answered");
        } else {
            tracing::debug!(status = status.as_u16(), ms, "answered");
        }
    });
    add_headers(&mut response, id);
    response
}

/// The caller's id, so that its log and ours can be joined, or a new one.
fn request_id(request: &Request) -> HeaderValue {
    let given = request.headers().get(REQUEST_ID).filter(|id| !id.is_empty() && id.len() <= LONGEST_ID);
    given.cloned().unwrap_or_else(|| {
        let id = Uuid::now_v7().to_string();
        HeaderValue::from_str(&id).unwrap_or_else(|_| HeaderValue::from_static("unknown"))
    })
}

fn add_headers(response: &mut Response, id: HeaderValue) {
    let headers = response.headers_mut();
    headers.insert(CORRELATION_ID, id);
    headers.insert("x-content-type-options", HeaderValue::from_static("nosniff"));
    headers.insert("x-frame-options", HeaderValue::from_static("DENY"));
    headers.insert("referrer-policy", HeaderValue::from_static("no-referrer"));
}
