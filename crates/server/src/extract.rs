use std::convert::Infallible;

use axum::body::{Body as HttpBody, Bytes};
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;
use http_body_util::BodyExt;
use reflexio_api_types::{Parsed, WireRequest, parse_body, parse_query};
use reflexio_types::Caller;

use crate::AppState;
use crate::error::ApiError;

/// Bigger bodies are parsed off the threads that serve other requests.
const PARSE_ELSEWHERE_BYTES: usize = 256 * 1024;
/// A client that sends too much is read on for a while, so that it gets to see the answer.
const DRAIN_FACTOR: usize = 4;

/// A JSON body that is what the contract says, whatever its content type claims.
pub(crate) struct Body<T>(pub(crate) Parsed<T>);

impl<T> Body<T> {
    pub(crate) fn value(self) -> T {
        self.0.value
    }
}

impl<T: WireRequest> FromRequest<AppState> for Body<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &AppState) -> Result<Self, ApiError> {
        let bytes = read(request.into_body(), state.options.max_body_bytes).await?;
        let parsed = if bytes.len() < PARSE_ELSEWHERE_BYTES {
            parse_body(&bytes)
        } else {
            tokio::task::block_in_place(|| parse_body(&bytes))
        };
        Ok(Self(parsed?))
    }
}

async fn read(mut body: HttpBody, limit: usize) -> Result<Bytes, ApiError> {
    let mut first: Option<Bytes> = None;
    let mut rest: Vec<u8> = Vec::new();
    let mut total = 0usize;
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|_| ApiError::BrokenBody)?.into_data() else { continue };
        total = total.saturating_add(data.len());
        if total > limit {
            drain(body, limit.saturating_mul(DRAIN_FACTOR)).await;
            return Err(ApiError::TooLarge { limit });
        }
        match &first {
            None => first = Some(data),
            Some(start) => {
                if rest.is_empty() {
                    rest.extend_from_slice(start);
                }
                rest.extend_from_slice(&data);
            }
        }
    }
    Ok(if rest.is_empty() { first.unwrap_or_default() } else { rest.into() })
}

async fn drain(mut body: HttpBody, most: usize) {
    let mut total = 0usize;
    while let Some(Ok(frame)) = body.frame().await {
        total = total.saturating_add(frame.data_ref().map_or(0, Bytes::len));
        if total > most {
            return;
        }
    }
}

/// A query string that is what the contract says.
pub(crate) struct Query<T>(pub(crate) T);

impl<T: WireRequest> FromRequestParts<AppState> for Query<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &AppState) -> Result<Self, ApiError> {
        Ok(Self(parse_query(parts.uri.query().unwrap_or_default())?))
    }
}

/// Who calls; put there by `auth::authenticate`, which stands before every guarded route.
pub(crate) struct Who(pub(crate) Caller);

impl FromRequestParts<AppState> for Who {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &AppState) -> Result<Self, ApiError> {
        let caller = parts.extensions.get::<Caller>().cloned();
        caller.map(Self).ok_or(ApiError::Unauthenticated("Authentication required"))
    }
}

/// The use cases.
pub(crate) struct UseCases(pub(crate) std::sync::Arc<reflexio_app::App>);

impl FromRequestParts<AppState> for UseCases {
    type Rejection = Infallible;

    async fn from_request_parts(_: &mut Parts, state: &AppState) -> Result<Self, Infallible> {
        Ok(Self(state.app.clone()))
    }
}
