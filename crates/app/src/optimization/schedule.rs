//! The nightly round, and what of a configuration only the operator can allow.

use reflexio_jobs::{Failure, Running};
use reflexio_store::{AgentPlaybookFilter, OptimizationFilter, Page};
use reflexio_types::config::{PathPart, PlaybookOptimizerConfig, Violation};
use reflexio_types::{
    AgentPlaybook, Config, NewJob, OptimizationState, OptimizationTarget, OrgId, PlaybookStatus, Status,
    Timestamp,
};

use super::task;
use crate::learning::unavailable;
use crate::{App, Error, Result};

const DAY: i64 = 86_400;
/// Fields that together name the assistant.
const ASSISTANT_FIELDS: [&str; 4] =
    ["webhook_url", "assistant_script_path", "assistant_script_args", "webhook_auth_header"];
/// More runs are left for the next night.
const MOST_PER_NIGHT: usize = 20;

impl App {
    /// Refuses an assistant that this server would not call. One that was there before is left alone: the operator may have
    /// changed their mind, and other settings must still be saved.
    pub(crate) fn check_assistant(&self, before: &Config, wanted: &Config) -> Result<()> {
        let (before, wanted) = (&before.playbook_optimizer_config, &wanted.playbook_optimizer_config);
        let of = |config: &PlaybookOptimizerConfig| {
            (
                config.webhook_url.clone(),
                config.assistant_script_path.clone(),
                config.assistant_script_args.clone(),
                config.webhook_auth_header.clone(),
            )
        };
        let none = wanted.webhook_url.is_none() && wanted.assistant_script_path.is_none();
        if none || of(before) == of(wanted) {
            return Ok(());
        }
        self.backend(wanted).map(|_| ()).map_err(|error| {
            let said = error.to_string();
            // What is wrong begins with the field that is; otherwise it is the choice between the first two.
            let is_meant = |field: &&str| said.starts_with(&format!("`{field}`"));
            let field = ASSISTANT_FIELDS.into_iter().find(is_meant).unwrap_or("webhook_url");
            let path = vec![PathPart::from("playbook_optimizer_config"), PathPart::from(field)];
            Error::InvalidConfig(vec![Violation::new(path, "value_error", format!("Value error, {said}"))])
        })
    }

    /// The timer rings at the hour that the configuration names, and after every round again.
    pub(crate) async fn set_optimizer_timer(&self, org: &OrgId, config: &Config) {
        if let Err(error) = self.enqueue_round(org, config, task::nightly).await {
            tracing::error!(%org, %error, "the timer of the optimiser could not be set; the next look sets it");
        }
    }

    /// Sets the timers that are missing: of a database that was restored or written by an older version, or of a round that
    /// died. One that is set stays as it is, so a round that is overdue is made up for and not put off.
    pub(crate) async fn set_missing_optimizer_timers(&self) {
        let orgs = match self.store.configured_orgs().await {
            Ok(orgs) => orgs,
            Err(error) => return tracing::warn!(%error, "the timers of the optimiser could not be looked at"),
        };
        for org in orgs {
            let set = async {
                let (_, config) = self.config_in_force(&org).await?;
                self.enqueue_round(&org, &config, task::nightly_if_missing).await
            };
            if let Err(error) = set.await {
                tracing::warn!(%org, %error, "the timer of the optimiser could not be looked at");
            }
        }
    }

    async fn enqueue_round(
        &self,
        org: &OrgId,
        config: &Config,
        job: fn(Timestamp) -> Result<NewJob>,
    ) -> Result<()> {
        if let Some(at) = next_round(org, &config.playbook_optimizer_config, self.now()) {
            self.store.enqueue(org, vec![job(at)?], self.now()).await?;
        }
        Ok(())
    }

    /// Starts a run for every pending rule that has none for its present wording.
    pub(super) async fn start_due_optimizations(&self, running: &Running) -> Result<(), Failure> {
        let org = running.org();
        let (_, config) = self.config_in_force(org).await.map_err(|error| unavailable(&error))?;
        // Switched off since the timer was set.
        if next_round(org, &config.playbook_optimizer_config, self.now()).is_none() {
            return Ok(());
        }
        let filter = AgentPlaybookFilter {
            status: vec![Status::Current],
            playbook_status: vec![PlaybookStatus::Pending],
            ..AgentPlaybookFilter::default()
        };
        let mut started = 0;
        for rule in self.store.agent_playbooks(org, &filter, usize::MAX).await? {
            if started == MOST_PER_NIGHT {
                break;
            }
            if self.was_optimized(org, &rule).await? {
                continue;
            }
            match self.start_optimization(org, OptimizationTarget::AgentPlaybook(rule.id)).await {
                Ok(_) => started += 1,
                Err(Error::NotOptimizable(reason)) => {
                    tracing::debug!(%org, rule = %rule.id, reason, "not optimised")
                }
                Err(Error::Duplicate { .. } | Error::NotFound { .. }) => {}
                Err(error) => return Err(unavailable(&error)),
            }
        }
        tracing::info!(%org, started, "the nightly round of the optimiser");
        self.set_optimizer_timer(org, &config).await;
        Ok(())
    }

    /// Whether a run has looked at this wording, or looks at it now. One that failed is tried again.
    async fn was_optimized(&self, org: &OrgId, rule: &AgentPlaybook) -> Result<bool, Failure> {
        if rule.body.learned_by.as_deref() == Some(super::commit::LEARNED_BY) {
            return Ok(true);
        }
        let target = Some(OptimizationTarget::AgentPlaybook(rule.id));
        let filter = OptimizationFilter { target, ..super::wordings() };
        let (runs, _) = self.store.optimizations(org, &filter, Page::first(10)).await?;
        for run in runs.into_iter().filter(|run| run.body.incumbent == rule.body.content) {
            // One whose job died counts as failed, whether or not somebody has looked at it.
            let run = self.optimization_as_it_stands(org, run).await.map_err(|error| unavailable(&error))?;
            if run.state != OptimizationState::Failed {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// The next time at which the round is due: at the hour, a little later for each org.
fn next_round(org: &OrgId, config: &PlaybookOptimizerConfig, now: Timestamp) -> Option<Timestamp> {
    let hour = config.nightly_hour_utc.filter(|_| config.enabled)?;
    let digest = blake3::hash(org.as_str().as_bytes());
    let share = f64::from(digest.as_bytes().first().copied().unwrap_or(0)) / 256.0;
    let jitter = (config.scheduler_jitter_seconds.clamp(0.0, 3_600.0) * share) as i64;
    let at = now.0 - now.0.rem_euclid(DAY) + i64::from(hour) * 3_600 + jitter;
    Some(Timestamp(if at > now.0 { at } else { at + DAY }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_round_is_at_the_hour_today_or_tomorrow() {
        let config = PlaybookOptimizerConfig { enabled: true, ..PlaybookOptimizerConfig::default() };
        let (org, midnight) = (OrgId::new("acme"), 20_000 * DAY);
        let at = |now: i64| next_round(&org, &config, Timestamp(now)).map(|at| at.0 - midnight);
        assert_eq!(at(midnight), Some(3 * 3_600));
        assert_eq!(at(midnight + 3 * 3_600), Some(DAY + 3 * 3_600));
        assert_eq!(at(midnight + 20 * 3_600), Some(DAY + 3 * 3_600));
        let off = PlaybookOptimizerConfig { enabled: false, ..config.clone() };
        assert_eq!(next_round(&org, &off, Timestamp(0)), None);
        assert_eq!(
            next_round(&org, &PlaybookOptimizerConfig { nightly_hour_utc: None, ..config }, Timestamp(0)),
            None
        );
    }
}
