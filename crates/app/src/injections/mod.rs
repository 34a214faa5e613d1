//! Which rules agents got for their prompts. A retrieval never waits for its record; what was retrieved in the last moment
//! before a kill may be missing.

mod report;
mod wording;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use reflexio_store::{InjectionFilter, SharedStore};
use reflexio_types::{
    Caller, InjectedRule, Injection, InjectionId, InjectionRoute, OrgId, RequestId, Scope, SessionId,
    Timestamp, UserId,
};

pub use report::{NewInjection, ReportedInjection};
pub(crate) use wording::Worded;

use crate::access::Access;
use crate::journal::{Journal, Line};
use crate::{App, Result, upkeep};

/// How long a reader waits for records that are on their way to the store.
const LONGEST_WAIT: Duration = Duration::from_secs(1);
const SECONDS_PER_DAY: i64 = 86_400;

/// How long it is kept which rules agents got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InjectionSettings {
    pub days: u32,
}

impl Default for InjectionSettings {
    fn default() -> Self {
        Self { days: 180 }
    }
}

/// For which prompt something is retrieved, as far as the caller says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prompt {
    pub session_id: Option<SessionId>,
    pub user_id: Option<UserId>,
    pub agent_version: Option<String>,
    pub request_id: Option<RequestId>,
}

impl Prompt {
    fn injection(
        &self,
        at: Timestamp,
        route: InjectionRoute,
        block: Option<String>,
        mut rules: Vec<InjectedRule>,
    ) -> Injection {
        rules.sort();
        rules.dedup_by(|one, other| one.kind == other.kind && one.id == other.id);
        Injection {
            id: InjectionId(0),
            at,
            route,
            session_id: self.session_id.clone(),
            user_id: self.user_id.clone(),
            agent_version: self.agent_version.clone(),
            request_id: self.request_id.clone(),
            block,
            rules,
        }
    }
}

#[async_trait]
impl Line for Injection {
    const NAME: &'static str = "records of retrieved rules";
    const LOST: &'static str = "reflexio_injections_lost_total";

    async fn record(store: &SharedStore, org: &OrgId, lines: Vec<Self>) -> reflexio_store::Result<()> {
        store.record_injections(org, lines).await.map(|_| ())
    }
}

/// What is kept of retrievals.
pub(crate) struct InjectionLog {
    journal: Arc<Journal<Injection>>,
    days: u32,
}

impl InjectionLog {
    pub(crate) fn new(store: SharedStore, settings: InjectionSettings) -> Self {
        Self { journal: Arc::new(Journal::new(store)), days: settings.days }
    }

    /// Returns when every record is durable, or when the store does not take them.
    pub(crate) async fn settle(&self) {
        self.journal.settle().await;
    }

    /// So that what was just retrieved is seen; under a load that never ends, the last moment may be missing.
    pub(crate) async fn settle_soon(&self) {
        let _ = tokio::time::timeout(LONGEST_WAIT, self.settle()).await;
    }
}

impl App {
    /// Notes which rules a context block holds.
    pub(crate) fn note_block(&self, caller: &Caller, prompt: &Prompt, block: &str, rules: Vec<InjectedRule>) {
        self.note(caller, prompt, InjectionRoute::Context, Some(block.to_owned()), rules);
    }

    /// Notes which rules a search gave, if it was for a session: others may be anybody's look at what is there.
    pub(crate) fn note_found(
        &self,
        caller: &Caller,
        prompt: &Prompt,
        route: InjectionRoute,
        rules: Vec<InjectedRule>,
    ) {
        if prompt.session_id.is_some() {
            self.note(caller, prompt, route, None, rules);
        }
    }

    fn note(
        &self,
        caller: &Caller,
        prompt: &Prompt,
        route: InjectionRoute,
        block: Option<String>,
        rules: Vec<InjectedRule>,
    ) {
        if !rules.is_empty() {
            let line = prompt.injection(self.now(), route, block, rules);
            self.injections.journal.add(&caller.org, line);
        }
    }

    /// Which rules agents got, newest first.
    pub async fn injections(
        &self,
        caller: &Caller,
        filter: &InjectionFilter,
        limit: usize,
    ) -> Result<Vec<Injection>> {
        caller.needs(Scope::Read)?;
        self.injections.settle_soon().await;
        Ok(self.store.injections(&caller.org, filter, limit).await?)
    }

    pub(crate) async fn forget_old_injections(&self) {
        let before = Timestamp(self.now().0 - i64::from(self.injections.days) * SECONDS_PER_DAY);
        let forget = |most| self.store.forget_injections(before, most);
        upkeep::forget("records of retrieved rules", forget).await;
    }
}
