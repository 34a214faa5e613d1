//! Learning pauses while a provider refuses to work for us, or while the day's budget is spent; what is published
//! waits.

use reflexio_types::{Caller, JobKind, OrgId, Scope, Stall};

use crate::access::Access;
use crate::{App, Result};

/// What asks a model, and waits for its provider.
const PAUSED: [JobKind; 7] = [
    JobKind::Learn,
    JobKind::Rerun,
    JobKind::Evaluate,
    JobKind::Regenerate,
    JobKind::CompareShadow,
    JobKind::Aggregate,
    JobKind::Optimize,
];

impl App {
    pub async fn stall(&self, caller: &Caller) -> Result<Option<Stall>> {
        caller.needs(Scope::Read)?;
        Ok(self.store.stall(&caller.org).await?)
    }

    /// Remembers that a client told its user about the stall; false when nothing is stalled.
    pub async fn mark_stall_notified(&self, caller: &Caller) -> Result<bool> {
        caller.needs(Scope::Write)?;
        let Some(mut stall) = self.store.stall(&caller.org).await? else { return Ok(false) };
        if !stall.notified {
            stall.notified = true;
            self.store.put_stall(&caller.org, Some(&stall)).await?;
        }
        Ok(true)
    }

    /// Pauses learning of an org. A stall that goes on keeps its beginning, and that somebody was told.
    pub(super) async fn stall_learning(&self, org: &OrgId, mut stall: Stall) {
        if let Some(handle) = self.learning.handle.get() {
            PAUSED.into_iter().for_each(|kind| handle.pause(org.clone(), kind));
        }
        let before = self.store.stall(org).await.ok().flatten();
        if let Some(before) = before.filter(|before| before.reason == stall.reason) {
            (stall.stalled_at, stall.notified) = (before.stalled_at, before.notified);
        }
        tracing::warn!(%org, reason = ?stall.reason, error = stall.error_message, "learning is paused");
        if let Err(error) = self.store.put_stall(org, Some(&stall)).await {
            tracing::error!(%org, %error, "the stall could not be stored");
        }
    }

    /// The provider works again, or might: the configuration was changed.
    pub(crate) async fn lift_stall(&self, org: &OrgId) {
        match self.store.stall(org).await {
            Ok(None) => {}
            Ok(Some(_)) => {
                tracing::info!(%org, "learning goes on");
                if let Err(error) = self.store.put_stall(org, None).await {
                    tracing::error!(%org, %error, "the stall could not be lifted");
                }
            }
            Err(error) => tracing::error!(%org, %error, "the stall could not be read"),
        }
        self.try_learning(org);
    }

    /// Lets jobs of an org run; the first of them shows whether the provider works.
    pub(crate) fn try_learning(&self, org: &OrgId) {
        if let Some(handle) = self.learning.handle.get() {
            PAUSED.into_iter().for_each(|kind| handle.resume(org.clone(), kind));
            handle.wake();
        }
    }

    /// Tries orgs whose learning is paused: once the time has come that was named, and now and then if there is none.
    pub(super) async fn probe_stalled(&self, now_and_then: bool) {
        let Some(handle) = self.learning.handle.get() else { return };
        let orgs: Vec<OrgId> = handle.paused().into_iter().map(|(org, _)| org).collect();
        for org in orgs {
            let stall = self.store.stall(&org).await.ok().flatten();
            let reset = stall.and_then(|stall| stall.reset_estimate);
            if reset.map_or(now_and_then, |reset| reset <= self.now()) {
                self.try_learning(&org);
            }
        }
    }
}
