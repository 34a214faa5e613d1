use std::time::Duration;

const fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

const fn millis(count: u64) -> Duration {
    Duration::from_millis(count)
}

/// How much is done, in count and in time.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    /// How many users there are.
    pub(crate) users: u64,
    pub(crate) publish: PublishPlan,
    pub(crate) startup: StartupPlan,
    pub(crate) scale: ScalePlan,
    pub(crate) learning: LearningPlan,
}

#[derive(Debug, Clone)]
pub(crate) struct PublishPlan {
    pub(crate) connections: usize,
    pub(crate) turns: usize,
    /// How many different requests are prepared; they are sent in turn, again and again.
    pub(crate) bodies: u64,
    pub(crate) warm_up: Duration,
    pub(crate) rounds: usize,
    pub(crate) round: Duration,
    pub(crate) most_requests: u64,
    /// How long each ceiling is measured in each round.
    pub(crate) ceiling: Duration,
}

#[derive(Debug, Clone)]
pub(crate) struct StartupPlan {
    pub(crate) starts: usize,
    /// How long a server rests before its memory is read.
    pub(crate) rest: Duration,
}

#[derive(Debug, Clone)]
pub(crate) struct ScalePlan {
    /// The numbers of stored interactions at which everything is measured, growing.
    pub(crate) sizes: Vec<u64>,
    pub(crate) fill_connections: usize,
    pub(crate) playbooks: u64,
    /// The interactions of the store in which one user owns them all.
    pub(crate) one_user_rows: u64,
    pub(crate) queries: u64,
    /// One measurement ends after so many requests or so much time.
    pub(crate) most_reads: u64,
    pub(crate) read_time: Duration,
    /// Connections that search at the same time, at the largest size.
    pub(crate) crowd: usize,
    pub(crate) restarts: usize,
    /// Time that filling leaves for the measurements after it.
    pub(crate) reserve: Duration,
}

#[derive(Debug, Clone)]
pub(crate) struct LearningPlan {
    /// How often the built-in learner reads its window.
    pub(crate) readings: usize,
    /// Jobs that go through the queue.
    pub(crate) jobs: usize,
    /// Windows that a slow model is asked about, and how many at a time.
    pub(crate) asked: u64,
    pub(crate) slots: usize,
    pub(crate) thinking: Duration,
    /// Users and turns of each that are learned from again and again, until so many windows are done.
    pub(crate) users: u64,
    pub(crate) turns: u64,
    pub(crate) windows: u64,
}

impl Plan {
    /// About ten minutes on two cores.
    pub(crate) fn full() -> Self {
        Self {
            users: 1_000,
            publish: PublishPlan {
                connections: 32,
                turns: 3,
                bodies: 4_096,
                warm_up: seconds(2),
                rounds: 3,
                round: seconds(8),
                most_requests: 200_000,
                ceiling: seconds(2),
            },
            startup: StartupPlan { starts: 20, rest: seconds(2) },
            scale: ScalePlan {
                sizes: vec![10_000, 30_000, 100_000, 300_000, 1_000_000],
                fill_connections: 4,
                playbooks: 5_000,
                one_user_rows: 100_000,
                queries: 1_000,
                most_reads: 2_000,
                read_time: seconds(5),
                crowd: 8,
                restarts: 5,
                reserve: seconds(90),
            },
            learning: LearningPlan {
                readings: 20_000,
                jobs: 20_000,
                asked: 1_920,
                slots: 32,
                thinking: millis(500),
                users: 1_000,
                turns: 104,
                windows: 200_000,
            },
        }
    }

    /// Seconds, even with a debug build.
    pub(crate) fn quick() -> Self {
        Self {
            users: 20,
            publish: PublishPlan {
                connections: 8,
                turns: 3,
                bodies: 64,
                warm_up: millis(100),
                rounds: 2,
                round: millis(500),
                most_requests: 1_000,
                ceiling: millis(200),
            },
            startup: StartupPlan { starts: 3, rest: millis(300) },
            scale: ScalePlan {
                sizes: vec![100, 300, 1_000],
                fill_connections: 2,
                playbooks: 50,
                one_user_rows: 500,
                queries: 50,
                most_reads: 100,
                read_time: millis(500),
                crowd: 4,
                restarts: 2,
                reserve: seconds(10),
            },
            learning: LearningPlan {
                readings: 100,
                jobs: 1_000,
                asked: 64,
                slots: 32,
                thinking: millis(50),
                users: 10,
                turns: 30,
                windows: 120,
            },
        }
    }
}
