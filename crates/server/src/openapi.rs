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
    tags(
        (name = "interactions", description = "What happened: publish it, read it back, search it"),
        (name = "search", description = "One question to everything that was learned"),
        (name = "profiles", description = "Facts about users"),
        (name = "user playbooks", description = "What single conversations taught"),
        (name = "agent playbooks", description = "Rules for the agent, and their review"),
        (name = "learning", description = "How far learning is, and running it again"),
        (name = "evaluation", description = "Which answers served the user better"),
        (name = "runs", description = "Operations that changed what was learned, and undoing them"),
        (name = "jobs", description = "Background work: what waits, what failed and why"),
        (name = "evaluation", description = "How sessions ended, and how they are judged"),
        (name = "requests", description = "Publish calls and the sessions they form"),
        (name = "config", description = "What an org can set"),
        (name = "server", description = "Who you are, what is stored, erasing a user"),
        (name = "health", description = "Whether the server lives, and what it is"),
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
pub(crate) fn assemble(api: OpenApiRouter<AppState>) -> (Router<AppState>, utoipa::openapi::OpenApi) {
    let (router, paths) = api.split_for_parts();
    let mut document = Document::openapi();
    document.info.version = env!("CARGO_PKG_VERSION").to_owned();
    document.merge(paths);
    describe_answers(&mut document);
    (router, document)
}

/// The standard wants a description of every answer; the plain ones need no words of their own.
fn describe_answers(document: &mut utoipa::openapi::OpenApi) {
    for path in document.paths.paths.values_mut() {
        let operations = [&mut path.get, &mut path.post, &mut path.put, &mut path.delete];
        for operation in operations.into_iter().flatten() {
            for (status, answer) in &mut operation.responses.responses {
                if let utoipa::openapi::RefOr::T(answer) = answer
                    && answer.description.is_empty()
                {
                    answer.description = if status == "200" { "Success" } else { "Failure" }.to_owned();
                }
            }
        }
    }
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
