//! What learning costs and how fast it is: model calls and characters, the built-in learner, the queue, a slow model with
//! many slots, and memory over many windows.

mod asked;
mod builtin;
mod cost;
mod memory;
mod publishing;

pub(crate) use asked::Asked;
pub(crate) use builtin::Builtin;
pub(crate) use cost::Cost;
pub(crate) use memory::Memory;

use crate::bench::Bench;
use crate::jobs;

pub(crate) struct Results {
    pub(crate) cost: Cost,
    pub(crate) builtin: Builtin,
    pub(crate) queue: Vec<jobs::Result>,
    pub(crate) asked: Asked,
    pub(crate) memory: Memory,
}

pub(crate) async fn run(bench: &Bench) -> anyhow::Result<Results> {
    let plan = &bench.plan.learning;
    eprintln!("what a publish costs …");
    let cost = cost::measure(bench).await?;
    eprintln!("the built-in learner …");
    let builtin = builtin::measure(plan.readings)?;
    eprintln!("the queue …");
    let queue = jobs::headline(&bench.work_dir, plan.jobs).await?;
    eprintln!("a slow model …");
    let asked = asked::measure(bench).await?;
    eprintln!("memory …");
    let memory = memory::measure(bench).await?;
    Ok(Results { cost, builtin, queue, asked, memory })
}
