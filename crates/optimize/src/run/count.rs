use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use reflexio_assistant::Payload;
use reflexio_types::RolloutJudgement;
use serde::{Deserialize, Serialize};

use crate::{Fault, Improvement, Pair, World};

/// What a run asked of the world.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    pub assistant_calls: u64,
    pub judge_calls: u64,
    pub reflection_calls: u64,
}

impl Counts {
    pub(super) fn add(&mut self, counting: &Counting<'_>) {
        self.assistant_calls += counting.assistant.load(Ordering::Relaxed);
        self.judge_calls += counting.judge.load(Ordering::Relaxed);
        self.reflection_calls += counting.reflection.load(Ordering::Relaxed);
    }
}

/// A world whose calls are counted.
pub(super) struct Counting<'a> {
    world: &'a dyn World,
    assistant: AtomicU64,
    judge: AtomicU64,
    reflection: AtomicU64,
}

impl<'a> Counting<'a> {
    pub(super) fn new(world: &'a dyn World) -> Self {
        let zero = || AtomicU64::new(0);
        Self { world, assistant: zero(), judge: zero(), reflection: zero() }
    }
}

#[async_trait]
impl World for Counting<'_> {
    async fn respond(&self, payload: &Payload) -> Result<String, Fault> {
        self.assistant.fetch_add(1, Ordering::Relaxed);
        self.world.respond(payload).await
    }

    async fn judge(&self, pair: &Pair<'_>) -> Result<RolloutJudgement, Fault> {
        self.judge.fetch_add(self.world.calls_per_judgement(), Ordering::Relaxed);
        self.world.judge(pair).await
    }

    async fn improve(&self, improvement: &Improvement<'_>) -> Result<String, Fault> {
        self.reflection.fetch_add(1, Ordering::Relaxed);
        self.world.improve(improvement).await
    }
}
