//! Whether a playbook may be optimised, and with which situations.

use reflexio_optimize::{Estimate, Policy, Split, Task, Window};
use reflexio_store::{AgentPlaybookFilter, UserPlaybookFilter};
use reflexio_types::config::PlaybookOptimizerConfig;
use reflexio_types::{
    AgentPlaybook, Config, Interaction, InteractionId, Optimization, OptimizationBody, OptimizationId,
    OptimizationPurpose, OptimizationState, OptimizationTarget, OptimizationWindow, OrgId, PlaybookStatus,
    RequestId, SourceWindow, Status, Timestamp, UserPlaybook, WindowRole, without_context_blocks,
};

use super::backend::Backend;
use super::world::not_optimizable;
use crate::{App, Error, Result};

/// What is optimised, as it was read.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Subject {
    Agent(Box<AgentPlaybook>),
    User(Box<UserPlaybook>),
}

/// Everything that a run needs to begin.
pub(super) struct Plan {
    pub(super) target: OptimizationTarget,
    pub(super) task: Task,
    pub(super) windows: Vec<OptimizationWindow>,
    pub(super) policy: Policy,
    pub(super) estimate: Estimate,
}

impl Plan {
    pub(super) fn into_optimization(self, now: Timestamp) -> Result<Optimization> {
        let value = |error: serde_json::Error| Error::Internal(Box::new(error));
        let warnings = self.estimate.warnings.clone();
        Ok(Optimization {
            id: OptimizationId(0),
            purpose: OptimizationPurpose::Wording,
            target: self.target,
            state: OptimizationState::Queued,
            job_id: None,
            successor: None,
            created_at: now,
            finished_at: None,
            body: OptimizationBody {
                incumbent: self.task.incumbent,
                trigger: self.task.trigger,
                windows: self.windows,
                policy: serde_json::to_value(&self.policy).map_err(value)?,
                estimate: serde_json::to_value(&self.estimate).map_err(value)?,
                warnings,
                decision: None,
                report: None,
            },
        })
    }
}

impl App {
    pub(super) async fn plan(&self, org: &OrgId, target: OptimizationTarget) -> Result<Plan> {
        let (_, config) = self.config_in_force(org).await?;
        let subject = self.subject(org, target).await?;
        may_optimize(&config.playbook_optimizer_config, &subject).map_err(Error::NotOptimizable)?;
        let refused = |error: &dyn std::fmt::Display| Error::NotOptimizable(error.to_string());
        let backend = self.backend(&config.playbook_optimizer_config).map_err(|error| refused(&error))?;
        let policy = Policy::of(&config.playbook_optimizer_config, target.id().unsigned_abs());
        let (mut windows, situations) =
            self.situations(org, self.source_windows(org, &subject).await?).await?;
        let task = task_of(&subject, &config, situations);
        let split = Split::of(task.windows.len(), &policy).map_err(|error| refused(&error))?;
        for (number, window) in windows.iter_mut().enumerate() {
            window.role = role_of(&split, number);
        }
        let mut estimate = Estimate::of(&task, &split, &policy);
        estimate.cost_usd = self.cost_of(org, &config, &task, &estimate).await?;
        if let Backend::Program(program) = &backend {
            let counted = self.count_playbook_calls(org, &config, program, &task, &mut estimate).await;
            counted.map_err(|fault| not_optimizable(&fault))?;
        }
        Ok(Plan { target, task, windows, policy, estimate })
    }

    pub(super) async fn subject(&self, org: &OrgId, target: OptimizationTarget) -> Result<Subject> {
        match target {
            OptimizationTarget::AgentPlaybook(id) => {
                let filter = AgentPlaybookFilter { id: Some(id), ..AgentPlaybookFilter::default() };
                let found = self.store.agent_playbooks(org, &filter, 1).await?.pop();
                found
                    .map(|row| Subject::Agent(Box::new(row)))
                    .ok_or_else(|| Error::not_found("agent playbook", &id))
            }
            OptimizationTarget::UserPlaybook(id) => {
                let filter = UserPlaybookFilter { id: Some(id), ..UserPlaybookFilter::default() };
                let found = self.store.user_playbooks(org, &filter, 1).await?.pop();
                found
                    .map(|row| Subject::User(Box::new(row)))
                    .ok_or_else(|| Error::not_found("user playbook", &id))
            }
        }
    }

    /// The situations that taught a playbook; those of the rows it was made of where it has none of its own.
    pub(super) async fn source_windows(&self, org: &OrgId, subject: &Subject) -> Result<Vec<SourceWindow>> {
        let of_row = |row: &UserPlaybook| SourceWindow {
            user_playbook_id: row.id,
            request_id: row.request_id.clone(),
            interaction_ids: row.body.source_interaction_ids.clone(),
        };
        let rule = match subject {
            Subject::User(row) => return Ok(vec![of_row(row)]),
            Subject::Agent(rule) => rule,
        };
        if !rule.body.source_windows.is_empty() {
            return Ok(rule.body.source_windows.clone());
        }
        let mut windows = Vec::new();
        for id in &rule.body.source_user_playbook_ids {
            let filter = UserPlaybookFilter { id: Some(*id), ..UserPlaybookFilter::default() };
            windows.extend(self.store.user_playbooks(org, &filter, 1).await?.first().map(of_row));
        }
        Ok(windows)
    }

    /// What was said in each window, in a fixed order; windows without a word of a user are left out.
    pub(super) async fn situations(
        &self,
        org: &OrgId,
        mut sources: Vec<SourceWindow>,
    ) -> Result<(Vec<OptimizationWindow>, Vec<Window>)> {
        sources.sort_by(|one, two| {
            (one.user_playbook_id, &one.interaction_ids).cmp(&(two.user_playbook_id, &two.interaction_ids))
        });
        let (mut windows, mut situations) = (Vec::new(), Vec::new());
        for source in sources {
            let turns = self.turns(org, &source.interaction_ids).await?;
            let (Some(first), Some(situation)) = (turns.first(), situation(&turns)) else { continue };
            windows.push(OptimizationWindow {
                user_playbook_id: source.user_playbook_id,
                user_id: first.user_id.clone(),
                request_id: RequestId::new(source.request_id.as_str()),
                interaction_ids: source.interaction_ids,
                role: WindowRole::Train,
            });
            situations.push(situation);
        }
        Ok((windows, situations))
    }

    async fn turns(&self, org: &OrgId, ids: &[InteractionId]) -> Result<Vec<Interaction>> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let found = self.store.conversations(org, ids, 0).await?;
        let mut turns: Vec<Interaction> =
            found.into_iter().flatten().filter(|turn| ids.contains(&turn.id)).collect();
        turns.sort_by_key(|turn| turn.id);
        turns.dedup_by_key(|turn| turn.id);
        Ok(turns)
    }
}

pub(super) fn task_of(subject: &Subject, config: &Config, windows: Vec<Window>) -> Task {
    let (id, content, trigger) = match subject {
        Subject::Agent(rule) => (rule.id.0, &rule.body.content, &rule.body.trigger),
        Subject::User(row) => (row.id.0, &row.body.content, &row.body.trigger),
    };
    Task {
        playbook_id: id,
        incumbent: content.clone(),
        trigger: trigger.clone().unwrap_or_default(),
        agent_context: config.agent_context_prompt.clone(),
        windows,
    }
}

/// What the user said, and what experts would have answered.
fn situation(turns: &[Interaction]) -> Option<Window> {
    let words =
        |text: &str| Some(without_context_blocks(text).trim().to_owned()).filter(|text| !text.is_empty());
    let user_turns: Vec<String> = turns
        .iter()
        .filter(|turn| turn.turn.is_of_user())
        .filter_map(|turn| words(&turn.turn.content))
        .collect();
    let ideal = turns.iter().filter_map(|turn| words(&turn.turn.expert_content)).collect();
    let session = turns.first().map(|turn| turn.session_id.clone());
    (!user_turns.is_empty()).then_some(Window { user_turns, ideal, session })
}

fn role_of(split: &Split, number: usize) -> WindowRole {
    match (split.train.contains(&number), split.validation.contains(&number)) {
        (true, true) => WindowRole::Both,
        (false, true) => WindowRole::Validation,
        (_, false) => WindowRole::Train,
    }
}

/// The safety model: what is approved is never touched, and nothing is searched for that could not be adopted.
pub(super) fn may_optimize(config: &PlaybookOptimizerConfig, subject: &Subject) -> Result<(), String> {
    let wants = |on: bool, field: &str| match on {
        true => Ok(()),
        false => Err(format!("the optimiser is off: set `playbook_optimizer_config.{field}` to true")),
    };
    wants(config.enabled, "enabled")?;
    let in_use = |status: Status, id: i64| {
        if status == Status::Current {
            return Ok(());
        }
        Err(format!("playbook {id} is {}: only one that is in use can be optimised", status.as_str()))
    };
    match subject {
        Subject::Agent(rule) => {
            wants(config.optimize_agent_playbooks, "optimize_agent_playbooks")?;
            wants(config.auto_update_pending_agent_playbooks, "auto_update_pending_agent_playbooks")?;
            in_use(rule.status, rule.id.0)?;
            match rule.playbook_status {
                PlaybookStatus::Pending => Ok(()),
                decided @ (PlaybookStatus::Approved | PlaybookStatus::Rejected) => Err(format!(
                    "agent playbook {} is {}: only pending ones are optimised",
                    rule.id,
                    decided.as_str()
                )),
            }
        }
        Subject::User(row) => {
            wants(config.optimize_user_playbooks, "optimize_user_playbooks")?;
            wants(config.auto_update_user_playbooks, "auto_update_user_playbooks")?;
            in_use(row.status, row.id.0)
        }
    }
}
