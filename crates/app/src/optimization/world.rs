//! The assistant and the models of an org, ready to be asked.

use std::sync::Arc;

use reflexio_assistant::Message;
use reflexio_llm::{Error as ModelError, Options, Purpose, Role};
use reflexio_optimize::{Estimate, Fault, Improvement, Judge, Models, Pair, Reflector, Task};
use reflexio_types::{Config, JobId, OrgId, Timestamp};

use super::assistant::Remembered;
use crate::{App, Error, Result};

/// What asks, in the records of what models cost.
pub(super) const ASKED_BY: &str = "optimizer";
/// An answer of an assistant is taken to be this long when costs are estimated, in characters.
const USUAL_ANSWER: usize = 1_000;

impl App {
    /// The world of a job, for a run that was started at this time: what it was answered before it is not asked again.
    pub(super) async fn world(
        &self,
        org: &OrgId,
        config: &Config,
        job: JobId,
        started: Timestamp,
    ) -> Result<Models, Fault> {
        let options = Options::with_purpose(Purpose::of_job(job).asked_by([ASKED_BY.to_owned()]));
        let asked = &config.playbook_optimizer_config;
        let assistant = self.assistant(org, asked, options.clone(), started).await?;
        let (judge, reflector) = self.judge_and_reflector(org, config, &options).await?;
        let (store, clock) = (Arc::clone(&self.store), Arc::clone(&self.clock));
        let assistant = Arc::new(Remembered { assistant, org: org.clone(), job, store, clock });
        Ok(Models { assistant, judge, reflector })
    }

    pub(super) async fn judge_and_reflector(
        &self,
        org: &OrgId,
        config: &Config,
        options: &Options,
    ) -> Result<(Judge, Reflector), Fault> {
        let models = self.models(org, Role::Judge).await.map_err(|error| Fault::Failed(error.to_string()))?;
        let Some(models) = models else {
            return Err(no_model("the optimiser needs a model that judges and writes"));
        };
        let broken = |error: &dyn std::fmt::Display| ModelError::Misconfigured(error.to_string());
        let judge =
            Judge::new(models.for_role(Role::Judge)?, options.clone()).map_err(|error| broken(&error))?;
        let named = config.playbook_optimizer_config.reflection_model.as_deref().map(str::trim);
        let model = match named.filter(|name| !name.is_empty()) {
            Some(name) => models.named(Role::Reflection, name)?,
            None => models.for_role(Role::Reflection)?,
        };
        let reflector = Reflector::new(model, options.clone()).map_err(|error| broken(&error))?;
        Ok((judge, reflector))
    }

    /// What the models of a run may cost at most, in dollars. A run that has no model cannot begin.
    pub(super) async fn cost_of(
        &self,
        org: &OrgId,
        config: &Config,
        task: &Task,
        estimate: &Estimate,
    ) -> Result<Option<f64>> {
        let options = Options::default();
        let (judge, reflector) =
            self.judge_and_reflector(org, config, &options).await.map_err(|fault| not_optimizable(&fault))?;
        let rollout = usual_rollout(config, task);
        let pair = Pair {
            incumbent: &rollout,
            candidate: &rollout,
            trigger: &task.trigger,
            agent_context: None,
            ideal: &[],
        };
        let broken = |error| Error::Internal(Box::new(error));
        let judged = judge.model().estimate(&judge.usual_prompt(&pair).map_err(broken)?, None, &options);
        let improvement = Improvement {
            current: &task.incumbent,
            trigger: &task.trigger,
            agent_context: None,
            records: &[],
            refused: None,
            attempt: 0,
        };
        let written =
            reflector.model().estimate(&reflector.prompt(&improvement).map_err(broken)?, None, &options);
        let micros =
            judged.cost_micros * estimate.judge_calls + written.cost_micros * estimate.reflection_calls;
        Ok(Some(micros as f64 / 1e6))
    }
}

/// The longest conversation of a run, with answers of the usual length.
pub(super) fn usual_rollout(config: &Config, task: &Task) -> Vec<Message> {
    let turns = config.playbook_optimizer_config.max_turns as usize;
    let longest = task.windows.iter().max_by_key(|window| window.user_turns.len());
    let said = longest.map(|window| window.user_turns.as_slice()).unwrap_or_default();
    let answer = || Message::assistant("x".repeat(USUAL_ANSWER));
    said.iter().take(turns).flat_map(|said| [Message::user(said), answer()]).collect()
}

pub(super) fn no_model(who: &str) -> Fault {
    Fault::Misconfigured(format!(
        "{who}: set a provider's key, REFLEXIO_MODEL, or `llm_config.generation_model_name`"
    ))
}

pub(super) fn not_optimizable(fault: &Fault) -> Error {
    Error::NotOptimizable(fault.to_string())
}
