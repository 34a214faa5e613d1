//! The end of a run: a successor that waits for a person, or nothing.

use reflexio_jobs::{Failure, Running};
use reflexio_optimize::{Book, Decision, Run};
use reflexio_store::{Error as StoreError, OptimizationEnd, RunStart, Successor};
use reflexio_types::{
    AgentPlaybook, AgentPlaybookBody, AgentPlaybookId, Optimization, OptimizationState, RunKind, Timestamp,
    UserPlaybook, UserPlaybookBody, UserPlaybookId,
};

use super::plan::{Subject, may_optimize};
use crate::App;
use crate::learning::unavailable;
use crate::runs::{Asked, of_job};

/// Who learned a wording that came out of a run.
pub(super) const LEARNED_BY: &str = "optimizer";

impl App {
    /// Ends a run with everything it changes in one transaction: the one place where a wording is committed. What a person
    /// decided or changed meanwhile stays as it is, and the run says so.
    pub(super) async fn end_run(
        &self,
        running: &Running,
        optimization: Optimization,
        run: &Run,
        book: &Book,
    ) -> Result<(), Failure> {
        let report = run.report(book);
        let mut body = optimization.body.clone();
        body.report =
            Some(serde_json::to_value(&report).map_err(|error| Failure::permanent(error.to_string()))?);
        let (successor, decision) = match &report.decision {
            Decision::Keep { reason } => (None, reason.clone()),
            Decision::Commit { content, mean, won, .. } => {
                match self.successor(running, &optimization, content).await? {
                    Ok(successor) => (
                        Some(successor),
                        format!("a better wording wins in {won} held-out windows with a score of {mean:.2}"),
                    ),
                    Err(reason) => (None, reason),
                }
            }
        };
        let state =
            if successor.is_some() { OptimizationState::Committed } else { OptimizationState::Unchanged };
        body.decision = Some(decision);
        let end = OptimizationEnd {
            state,
            body,
            candidates: run.candidates(book),
            successor,
            run: run_of(running, &optimization),
        };
        let (id, lease) = (optimization.id, &running.lease);
        let ended = match self.store.end_optimization(lease, id, end.clone(), self.now()).await {
            // Between our look and the transaction.
            Err(StoreError::Changed { what }) => {
                let mut end = OptimizationEnd { state: OptimizationState::Unchanged, successor: None, ..end };
                end.body.decision =
                    Some(format!("a better wording was found, but {what} was changed meanwhile"));
                self.store.end_optimization(lease, id, end, self.now()).await?
            }
            ended => ended?,
        };
        metrics::counter!("reflexio_optimizations_total", "state" => ended.state.as_str()).increment(1);
        self.embeddings.wake();
        Ok(())
    }

    /// The row with the better wording, or why it may not take its place.
    async fn successor(
        &self,
        running: &Running,
        optimization: &Optimization,
        content: &str,
    ) -> Result<Result<Successor, String>, Failure> {
        let (_, config) = self.config_in_force(running.org()).await.map_err(|error| unavailable(&error))?;
        let subject = match self.subject(running.org(), optimization.target).await {
            Ok(subject) => subject,
            Err(error) => return Ok(Err(format!("a better wording was found, but {error}"))),
        };
        if let Err(reason) = may_optimize(&config.playbook_optimizer_config, &subject) {
            return Ok(Err(format!("a better wording was found, but {reason}")));
        }
        let now = self.now();
        Ok(match subject {
            Subject::Agent(rule) if rule.body.content == optimization.body.incumbent => {
                Ok(Successor::Agent { row: Box::new(reworded_rule(&rule, content, now)), replaces: rule })
            }
            Subject::User(row) if row.body.content == optimization.body.incumbent => {
                Ok(Successor::User { row: Box::new(reworded_row(&row, content, now)), replaces: row })
            }
            Subject::Agent(_) | Subject::User(_) => {
                Err("a better wording was found, but somebody edited the playbook meanwhile".to_owned())
            }
        })
    }
}

/// The run under which what comes of an optimisation can be taken back.
pub(super) fn run_of(running: &Running, optimization: &Optimization) -> RunStart {
    let scope = format!("{} {}", optimization.target.kind().replace('_', " "), optimization.target.id());
    of_job(running.lease.job, RunKind::Optimization, scope, Asked::By(None))
}

/// The parts that the old content was made of do not describe the new one.
fn reworded_rule(rule: &AgentPlaybook, content: &str, now: Timestamp) -> AgentPlaybook {
    AgentPlaybook {
        id: AgentPlaybookId(0),
        created_at: now,
        body: AgentPlaybookBody {
            content: content.to_owned(),
            instruction: None,
            pitfall: None,
            expanded_terms: None,
            learned_by: Some(LEARNED_BY.to_owned()),
            written_by: None,
            review: None,
            ..rule.body.clone()
        },
        ..rule.clone()
    }
}

fn reworded_row(row: &UserPlaybook, content: &str, now: Timestamp) -> UserPlaybook {
    UserPlaybook {
        id: UserPlaybookId(0),
        created_at: now,
        body: UserPlaybookBody {
            content: content.to_owned(),
            instruction: None,
            pitfall: None,
            expanded_terms: None,
            learned_by: Some(LEARNED_BY.to_owned()),
            ..row.body.clone()
        },
        ..row.clone()
    }
}
