//! Who answers in replays: a stranger whom the operator lets the org call, or a program that this server runs itself.

use std::sync::Arc;

use reflexio_assistant::{Assistant, Backend as Named, Result as Checked, in_process};
use reflexio_llm::{Models, Options, Prompt, Role};
use reflexio_optimize::{Estimate, Fault, PlaybookCalls, Task};
use reflexio_types::config::PlaybookOptimizerConfig;
use reflexio_types::{Config, OrgId, Timestamp};

use super::world::{ASKED_BY, no_model, usual_rollout};
use crate::playbook_runs::{Past, ReplayedProgram};
use crate::{App, Result};

/// What an answer is taken to need, of a program that has not run yet: which playbook is meant, and its steps.
const CALLS_PER_ANSWER: f64 = 2.0;

/// Whoever a configuration names.
pub(super) enum Backend {
    Stranger(Arc<dyn Assistant>),
    Program(Box<ReplayedProgram>),
}

impl App {
    /// The assistant that a configuration names, checked as far as it can be without asking anybody.
    pub(super) fn backend(&self, config: &PlaybookOptimizerConfig) -> Checked<Backend> {
        Ok(match Named::of(config)? {
            Named::Playbook(name) => {
                let program = self.playbooks.replayed(name, &config.assistant_script_args)?;
                Backend::Program(Box::new(program))
            }
            Named::Webhook(_) | Named::Script(_) => Backend::Stranger(self.assistants.assistant(config)?),
        })
    }

    /// The assistant of a configuration. One that runs here books what its model costs as `options` say, and replays
    /// everything as it was `at` this moment.
    pub(super) async fn assistant(
        &self,
        org: &OrgId,
        config: &PlaybookOptimizerConfig,
        mut options: Options,
        at: Timestamp,
    ) -> Result<Arc<dyn Assistant>, Fault> {
        let backend = self.backend(config).map_err(|error| Fault::Misconfigured(error.to_string()))?;
        let program = match backend {
            Backend::Stranger(assistant) => return Ok(assistant),
            Backend::Program(program) => program,
        };
        let models = self.models_of_program(org, &program).await?;
        let asks = [ASKED_BY.to_owned(), format!("playbook:{}", program.name)];
        options.purpose = options.purpose.asked_by(asks);
        let replayer = self.replayer(org, *program, models, options, at).await;
        Ok(in_process(replayer.map_err(|error| Fault::Failed(error.to_string()))?, config))
    }

    /// Whether there is everything that replays and comparisons need.
    pub(super) async fn can_replay(&self, org: &OrgId, config: &Config) -> Result<(), Fault> {
        let backend = self.backend(&config.playbook_optimizer_config);
        if let Backend::Program(program) = backend.map_err(|error| Fault::Misconfigured(error.to_string()))? {
            self.models_of_program(org, &program).await?;
        }
        self.judge_and_reflector(org, config, &Options::default()).await.map(|_| ())
    }

    /// What a program that is replayed is carried out with. A run without it cannot begin.
    async fn models_of_program(&self, org: &OrgId, program: &ReplayedProgram) -> Result<Models, Fault> {
        let models = self.models(org, Role::Playbook).await;
        let models = models.map_err(|error| Fault::Failed(error.to_string()))?;
        let models =
            models.ok_or_else(|| no_model(&format!("the playbook `{}` needs a model", program.name)))?;
        models.for_role(Role::Playbook)?;
        for name in program.named_models() {
            models.named(Role::Playbook, name)?;
        }
        Ok(models)
    }

    /// Counts what a program that is replayed asks of models itself, which only earlier runs can tell.
    pub(super) async fn count_playbook_calls(
        &self,
        org: &OrgId,
        config: &Config,
        program: &ReplayedProgram,
        task: &Task,
        estimate: &mut Estimate,
    ) -> Result<(), Fault> {
        let models = self.models_of_program(org, program).await?;
        let past = Past::of(&self.store, org, &program.name, self.now()).await;
        let past = past.map_err(|error| Fault::Failed(error.to_string()))?;
        let (measured_in, per_answer) = match past.heard {
            0 => (0, CALLS_PER_ANSWER),
            heard => (past.runs, past.asked as f64 / heard as f64),
        };
        let calls = (estimate.assistant_calls as f64 * per_answer).ceil() as u64;
        let prompt = Prompt::user(program.usual_prompt(&usual_rollout(config, task), &task.incumbent));
        let asked = models.for_role(Role::Playbook)?.estimate(&prompt, None, &Options::default());
        estimate.count_playbook(PlaybookCalls {
            per_answer,
            measured_in,
            calls,
            most_per_conversation: program.most_calls(),
            prompt_tokens: asked.prompt_tokens * calls,
            cost_usd: (asked.cost_micros * calls) as f64 / 1e6,
        });
        let sessions = task.windows.iter().map(|window| window.session.as_ref());
        let unrecorded = self.unrecorded(org, program, sessions).await;
        let unrecorded = unrecorded.map_err(|error| Fault::Failed(error.to_string()))?;
        if unrecorded > 0 && self.playbooks.has_tools(program) {
            estimate.warnings.push(format!(
                "{unrecorded} of {} source windows come from no run of `{}`: there its tools give what they gave in its \
                 last runs for the same arguments, and fail where they gave nothing",
                task.windows.len(),
                program.name
            ));
        }
        Ok(())
    }
}
