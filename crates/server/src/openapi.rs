//! The OpenAPI document, made from the handlers, and the page that lets people try it.

use axum::Router;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::{Modify, OpenApi};
use utoipa_axum::router::OpenApiRouter;
use utoipa_swagger_ui::{Config, SwaggerUi};

use crate::{AppState, routes};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Reflexio",
        description = "Publish what happened, read what was learned. Without an API key the server answers only \
                       callers on its own machine; with one, send `Authorization: Bearer <key>`.",
        license(name = "Apache-2.0", identifier = "Apache-2.0"),
    ),
    modifiers(&BearerKey),
    security((), ("key" = [])),
)]
struct Document;

struct BearerKey;

impl Modify for BearerKey {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let scheme = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build();
        let components = document.components.get_or_insert_default();
        components.add_security_scheme("key", SecurityScheme::Http(scheme));
    }
}

/// Splits documented routes into routes and the document.
pub(crate) fn assemble(
    api: OpenApiRouter<AppState>,
) -> (Router<AppState>, utoipa::openapi::OpenApi) {
    let (router, paths) = api.split_for_parts();
    let mut document = Document::openapi();
    document.info.version = env!("CARGO_PKG_VERSION").to_owned();
    document.merge(paths);
    (router, document)
}

/// `/openapi.json` and the interactive page at `/docs`, whose scripts are in the binary.
pub(crate) fn docs_page(document: utoipa::openapi::OpenApi) -> Router<AppState> {
    let page = SwaggerUi::new("/docs").url("/openapi.json", document);
    page.config(Config::default().try_it_out_enabled(true).display_request_duration(true)).into()
}

/// The document as text, for `reflexio openapi`.
pub fn openapi_json() -> String {
    let (_, document) = assemble(routes::open().merge(routes::guarded()));
    document.to_pretty_json().unwrap_or_default()
}
