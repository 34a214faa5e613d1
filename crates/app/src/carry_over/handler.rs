use std::sync::Arc;

use async_trait::async_trait;
use reflexio_jobs::{Failure, Handler, Running};
use reflexio_types::{JobProgress, RunKind};

use super::Task;
use crate::App;
use crate::learning::{payload, unavailable};
use crate::runs::{Asked, of_job};

/// Carries rules over to a version that was seen for the first time.
pub(crate) struct Carrier(pub(crate) Arc<App>);

#[async_trait]
impl Handler for Carrier {
    async fn run(&self, running: &Running) -> Result<(), Failure> {
        let task: Task = payload(running)?;
        self.0.carry_to_new(running, &task).await
    }
}

impl App {
    /// A second attempt finds what the first one carried, so nothing is proposed twice.
    async fn carry_to_new(&self, running: &Running, task: &Task) -> Result<(), Failure> {
        let org = running.org();
        let Some(from) = self.store.latest_version_with_rules(org, &task.to).await? else {
            return tell(running, 0, "no other version has approved rules".to_owned()).await;
        };
        let scope = format!("agent playbooks of version {from} for {}", task.to);
        let run = of_job(running.lease.job, RunKind::CarryOver, scope, Asked::ByNobody);
        let plan = self.carry_plan(org, &from, &task.to).await.map_err(|error| unavailable(&error))?;
        let done = self.carry(org, plan, &run).await.map_err(|error| unavailable(&error))?;
        let (carried, left_out) = (done.carried.len(), done.left_out.len());
        tell(running, carried as u64, format!("{carried} from {from}, {left_out} left out")).await
    }
}

async fn tell(running: &Running, done: u64, message: String) -> Result<(), Failure> {
    running.set_progress(JobProgress { done, total: None, message: Some(message) }).await?;
    Ok(())
}
