use reflexio_types::config::Secret;

use crate::http::Reach;
use crate::name::ModelName;
use crate::provider::Wire;

/// What a model is reached with.
#[derive(Debug, Clone)]
pub struct Target {
    pub(crate) name: ModelName,
    /// `name` as text, which every error carries.
    pub(crate) label: String,
    pub(crate) route: Route,
}

#[derive(Debug, Clone)]
pub(crate) enum Route {
    Http(HttpRoute),
    Command(Vec<String>),
}

#[derive(Debug, Clone)]
pub(crate) struct HttpRoute {
    pub(crate) wire: Wire,
    pub(crate) base_url: String,
    pub(crate) key: Option<Secret>,
    /// Where the server may stand.
    pub(crate) reach: Reach,
    /// The deployment and version, for OpenAI's models at Azure.
    pub(crate) azure_version: Option<String>,
    /// The name of the token limit that newer models of OpenAI insist on.
    pub(crate) limit_name: LimitName,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LimitName {
    MaxTokens,
    MaxCompletionTokens,
}

impl LimitName {
    pub(crate) fn other(self) -> Self {
        match self {
            Self::MaxTokens => Self::MaxCompletionTokens,
            Self::MaxCompletionTokens => Self::MaxTokens,
        }
    }
}

impl Target {
    pub fn name(&self) -> &ModelName {
        &self.name
    }

    pub(crate) fn wire(&self) -> Wire {
        match &self.route {
            Route::Http(route) => route.wire,
            Route::Command(_) => Wire::OpenAi,
        }
    }

    pub(crate) fn azure_version(&self) -> Option<&str> {
        match &self.route {
            Route::Http(route) => route.azure_version.as_deref(),
            Route::Command(_) => None,
        }
    }
}
