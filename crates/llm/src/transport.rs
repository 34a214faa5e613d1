use std::sync::Arc;

use async_trait::async_trait;
use reflexio_types::Clock;

use crate::command::{self, CommandSettings};
use crate::error::Result;
use crate::http::{Http, HttpLimits};
use crate::request::{Answer, Request};
use crate::settings::Settings;
use crate::target::{Route, Target};

/// Asks a model once: no repetition, no record. Everything above it is the same for real and for replayed models.
#[async_trait]
pub trait Transport: Send + Sync {
    async fn ask(&self, target: &Target, request: &Request) -> Result<Answer>;
}

/// The real servers and programs, for whoever wraps them.
pub fn live(settings: &Settings, clock: Arc<dyn Clock>) -> Result<Arc<dyn Transport>> {
    Ok(Arc::new(Live::new(settings.http.clone(), settings.commands.clone(), clock)?))
}

struct Live {
    http: Http,
    commands: CommandSettings,
    limit: command::Limit,
}

impl Live {
    fn new(limits: HttpLimits, commands: CommandSettings, clock: Arc<dyn Clock>) -> Result<Self> {
        let limit = command::Limit { total: limits.total, largest_answer: limits.largest_answer };
        Ok(Self { http: Http::new(limits, clock)?, commands, limit })
    }
}

#[async_trait]
impl Transport for Live {
    async fn ask(&self, target: &Target, request: &Request) -> Result<Answer> {
        match &target.route {
            Route::Http(route) => self.http.ask(target, route, request).await,
            Route::Command(words) => {
                command::ask(&self.commands, &self.limit, &target.label, words, request).await
            }
        }
    }
}
