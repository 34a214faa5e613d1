use std::any::Any;

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use reflexio_api_types::{Detail, ErrorDetail, RateLimited, Rejected, ValidationErrors};
use reflexio_app::Error;
use utoipa::IntoResponses;

/// Everything that can go wrong with a request, and the only place where it gets a status code.
#[derive(Debug)]
pub(crate) enum ApiError {
    App(Error),
    Invalid(Vec<Detail>),
    /// The caller could not be identified; the text says how to be.
    Unauthenticated(&'static str),
    TooLarge {
        limit: usize,
    },
    /// The client went away or sent a broken body.
    BrokenBody,
    TooManyRequests {
        limit: String,
        retry_after_seconds: u64,
    },
}

pub(crate) type Result<T, E = ApiError> = std::result::Result<T, E>;

impl From<Error> for ApiError {
    fn from(error: Error) -> Self {
        ApiError::App(error)
    }
}

impl From<Rejected> for ApiError {
    fn from(rejected: Rejected) -> Self {
        ApiError::Invalid(rejected.0)
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        match self {
            ApiError::App(error) => app_error(&error),
            ApiError::Invalid(detail) => invalid(detail),
            ApiError::Unauthenticated(reason) => {
                let mut response = problem(StatusCode::UNAUTHORIZED, reason);
                response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
                response
            }
            ApiError::TooLarge { limit } => {
                let text = format!(
                    "Request body too large: at most {limit} bytes are accepted (the operator can raise it with \
                     --max-body-bytes)"
                );
                problem(StatusCode::PAYLOAD_TOO_LARGE, text)
            }
            ApiError::BrokenBody => problem(StatusCode::BAD_REQUEST, "the request body ended early"),
            ApiError::TooManyRequests { limit, retry_after_seconds } => too_many(&limit, retry_after_seconds),
        }
    }
}

fn app_error(error: &Error) -> Response {
    let status = match error {
        Error::Forbidden(_) | Error::OwnWriting(_) => StatusCode::FORBIDDEN,
        Error::NotFound { .. } => StatusCode::NOT_FOUND,
        Error::DuplicateRequest(_)
        | Error::Duplicate { .. }
        | Error::JobState { .. }
        | Error::NotConfigured(_)
        | Error::NotOptimizable(_)
        | Error::NoLift(_)
        | Error::NotUndone { .. }
        | Error::PlaybookOver { .. } => StatusCode::CONFLICT,
        Error::UnknownVersion { field, .. } => {
            let message = format!("Value error, {error}");
            return invalid(vec![Detail::body("value_error", &[*field], message)]);
        }
        Error::InvalidPlaybook(reason) => return invalid(vec![Detail::body("value_error", &[], reason)]),
        Error::InvalidConfig(violations) => return invalid(violations.iter().map(Detail::from).collect()),
        Error::Unavailable(_) | Error::Sealed | Error::NotJudged(_) | Error::NoAnswer(_) => {
            StatusCode::SERVICE_UNAVAILABLE
        }
        Error::Internal(cause) => {
            tracing::error!(error = %chain(cause.as_ref()), "request failed");
            StatusCode::INTERNAL_SERVER_ERROR
        }
    };
    let mut response = problem(status, error.to_string());
    if status == StatusCode::SERVICE_UNAVAILABLE {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    }
    response
}

fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}

fn problem(status: StatusCode, detail: impl Into<String>) -> Response {
    (status, Json(ErrorDetail { detail: detail.into() })).into_response()
}

fn invalid(detail: Vec<Detail>) -> Response {
    (StatusCode::UNPROCESSABLE_ENTITY, Json(ValidationErrors { detail })).into_response()
}

fn too_many(limit: &str, retry_after_seconds: u64) -> Response {
    let error = format!("Rate limit exceeded: {limit}");
    let detail = format!("{error}; try again in {retry_after_seconds} s");
    let retry = (header::RETRY_AFTER, retry_after_seconds.to_string());
    (StatusCode::TOO_MANY_REQUESTS, [retry], Json(RateLimited { error, detail })).into_response()
}

pub(crate) async fn not_found() -> Response {
    problem(StatusCode::NOT_FOUND, "Not Found")
}

pub(crate) async fn method_not_allowed() -> Response {
    problem(StatusCode::METHOD_NOT_ALLOWED, "Method Not Allowed")
}

/// A panic is our fault: the caller learns that, the log gets the rest (from the panic hook).
pub(crate) fn panicked(_: Box<dyn Any + Send + 'static>) -> Response {
    problem(StatusCode::INTERNAL_SERVER_ERROR, "internal error")
}

/// What any guarded endpoint may answer instead of a result.
#[derive(IntoResponses)]
#[expect(dead_code, reason = "describes answers in the OpenAPI document, is never built")]
pub(crate) enum Failure {
    /// The body ended early
    #[response(status = 400)]
    BrokenBody(ErrorDetail),
    /// No key, or one that is not valid
    #[response(status = 401)]
    Unauthenticated(ErrorDetail),
    /// The key lacks a scope, or somebody else has to do it
    #[response(status = 403)]
    Forbidden(ErrorDetail),
    /// There is no such row
    #[response(status = 404)]
    NotFound(ErrorDetail),
    /// The id is taken, or the row is in another state
    #[response(status = 409)]
    Conflict(ErrorDetail),
    /// The body is too large
    #[response(status = 413)]
    TooLarge(ErrorDetail),
    /// A field is missing or wrong
    #[response(status = 422)]
    Invalid(ValidationErrors),
    /// Too many requests
    #[response(status = 429)]
    TooMany(RateLimited),
    /// The store cannot take the request now; nothing was stored
    #[response(status = 503)]
    Unavailable(ErrorDetail),
}
