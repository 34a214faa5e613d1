use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use reflexio_api_types::config::{parse_full, parse_partial, render};
use reflexio_api_types::{
    Detail, ErrorDetail, PartialConfigDetail, PartialConfigErrors, RateLimited, UpdateConfigErrors, Updated,
};
use reflexio_app::Error;
use reflexio_types::Config;
use serde_json::Value;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::AppState;
use crate::error::{Failure, Result};
use crate::extract::{Body, UseCases, Who};

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(get_config))
        .routes(routes!(set_config))
        .routes(routes!(update_config))
}

/// The configuration, secrets redacted
#[utoipa::path(get, path = "/api/get_config", tag = "config", responses((status = 200, body = Config), Failure))]
async fn get_config(UseCases(app): UseCases, Who(caller): Who) -> Result<Json<Value>> {
    Ok(Json(render(&app.config(&caller).await?)))
}

/// Replace the configuration
#[utoipa::path(post, path = "/api/set_config", tag = "config",
    request_body(content = Object, description = "the whole document, as `get_config` gives it"),
    responses((status = 200, body = Updated), Failure))]
async fn set_config(UseCases(app): UseCases, Who(caller): Who, body: Body<Value>) -> Result<Json<Updated>> {
    let sent = body.value();
    app.edit_config(&caller, &|current| parse_full(&sent, current)).await?;
    Ok(Json(saved()))
}

/// Replace some fields of the configuration
#[utoipa::path(post, path = "/api/update_config", tag = "config",
    request_body(content = Object, description = "the top-level fields to replace"),
    responses(
        (status = 200, body = Updated),
        (status = 400, body = ErrorDetail),
        (status = 401, body = ErrorDetail),
        (status = 403, body = ErrorDetail),
        (status = 413, body = ErrorDetail),
        (status = 422, body = UpdateConfigErrors),
        (status = 429, body = RateLimited),
        (status = 503, body = ErrorDetail),
    ))]
async fn update_config(UseCases(app): UseCases, Who(caller): Who, body: Body<Value>) -> Result<Response> {
    let sent = body.value();
    match app.edit_config(&caller, &|current| parse_partial(&sent, current)).await {
        Ok(_) => Ok(Json(saved()).into_response()),
        Err(Error::InvalidConfig(violations)) => {
            let validation_errors = violations.iter().map(Detail::from).collect();
            Ok((StatusCode::UNPROCESSABLE_ENTITY, Json(partial_errors(validation_errors))).into_response())
        }
        Err(error) => Err(error.into()),
    }
}

fn saved() -> Updated {
    Updated { success: true, msg: Some("Configuration set successfully".to_owned()) }
}

fn partial_errors(validation_errors: Vec<Detail>) -> PartialConfigErrors {
    PartialConfigErrors {
        detail: PartialConfigDetail {
            error: "the configuration cannot be accepted; nothing was changed".to_owned(),
            hint: "each top-level field you send replaces the stored one as a whole; to change one nested value, \
                   read the configuration, edit it, and send the whole field back"
                .to_owned(),
            validation_errors,
        },
    }
}
