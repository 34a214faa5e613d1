use std::sync::Arc;

use async_trait::async_trait;
use reflexio_types::Clock;

use crate::command::{self, CommandSettings};
use crate::error::Result;
use crate::http::Http;
use crate::listener::Listener;
use crate::request::{Answer, Request};
use crate::settings::Settings;
use crate::target::{Route, Target};

/// Asks a model once: no repetition, no record. Everything above it is the same for real and for replayed models.
#[async_trait]
pub trait Transport: Send + Sync {
    /// `listener` hears the answer while it is made, where that is possible.
    async fn ask(&self, target: &Target, request: &Request, listener: Option<&Listener>) -> Result<Answer>;
}

/// The real servers and programs, for whoever wraps them.
pub fn live(settings: &Settings, clock: Arc<dyn Clock>) -> Result<Arc<dyn Transport>> {
    Ok(Arc::new(Live::new(settings, clock)?))
}

struct Live {
    http: Http,
    commands: CommandSettings,
    limit: command::Limit,
}

impl Live {
    fn new(settings: &Settings, clock: Arc<dyn Clock>) -> Result<Self> {
        let limits = settings.http.clone();
        let limit = command::Limit { total: limits.total, largest_answer: limits.largest_answer };
        let http = Http::new(limits, settings.proxy.as_ref(), clock)?;
        Ok(Self { http, commands: settings.commands.clone(), limit })
    }
}

#[async_trait]
impl Transport for Live {
    async fn ask(&self, target: &Target, request: &Request, listener: Option<&Listener>) -> Result<Answer> {
        match &target.route {
            Route::Http(route) => self.http.ask(target, route, request, listener).await,
            Route::Command(words) => {
                command::ask(&self.commands, &self.limit, &target.label, words, request).await
            }
        }
    }
}
