use proptest::prelude::*;
use proptest::sample::Index;
use reflexio_types::{JobKind, Lane};

#[derive(Debug, Clone)]
pub(super) enum Step {
    Enqueue {
        org: usize,
        user: u8,
        kind: JobKind,
        lane: Lane,
        key: Option<u8>,
        delay: i64,
        most: u32,
    },
    Claim {
        worker: usize,
        limit: usize,
        kinds: Vec<JobKind>,
        pause: Option<(usize, JobKind)>,
    },
    ClaimAll,
    Heartbeat {
        worker: usize,
    },
    Complete(Index),
    CompleteAll,
    Fail {
        lease: Index,
        retry: Option<i64>,
    },
    Release {
        lease: Index,
        delay: i64,
    },
    Cancel(Index),
    Retry(Index),
    /// The worker forgets what it had.
    Crash {
        worker: usize,
    },
    ClearUser {
        org: usize,
        user: u8,
    },
    Pass(i64),
}

pub(super) const ORGS: usize = 2;
pub(super) const WORKERS: usize = 3;

pub(super) fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        10 => enqueue(),
        8 => claim(),
        1 => Just(Step::ClaimAll),
        3 => (0..WORKERS).prop_map(|worker| Step::Heartbeat { worker }),
        5 => any::<Index>().prop_map(Step::Complete),
        4 => (any::<Index>(), prop::option::of(0..50_i64)).prop_map(|(lease, retry)| Step::Fail { lease, retry }),
        2 => (any::<Index>(), 0..50_i64).prop_map(|(lease, delay)| Step::Release { lease, delay }),
        2 => any::<Index>().prop_map(Step::Cancel),
        2 => any::<Index>().prop_map(Step::Retry),
        1 => (0..WORKERS).prop_map(|worker| Step::Crash { worker }),
        1 => (0..ORGS, 0..2_u8).prop_map(|(org, user)| Step::ClearUser { org, user }),
        5 => (1..45_i64).prop_map(Step::Pass),
    ]
}

fn enqueue() -> impl Strategy<Value = Step> {
    let lane = prop_oneof![
        4 => Just(Lane::OfUser),
        2 => Just(Lane::Named("shared".to_owned())),
        1 => Just(Lane::Free),
    ];
    let delay = prop_oneof![3 => Just(0), 1 => 1..60_i64];
    (0..ORGS, 0..3_u8, kind(), lane, prop::option::weighted(0.4, 0..3_u8), delay, 1..4_u32).prop_map(
        |(org, user, kind, lane, key, delay, most)| Step::Enqueue { org, user, kind, lane, key, delay, most },
    )
}

fn claim() -> impl Strategy<Value = Step> {
    let kinds = prop_oneof![3 => Just(JobKind::ALL.to_vec()), 1 => kind().prop_map(|kind| vec![kind])];
    let pause = prop::option::weighted(0.2, (0..ORGS, kind()));
    (0..WORKERS, 1..5_usize, kinds, pause).prop_map(|(worker, limit, kinds, pause)| Step::Claim {
        worker,
        limit,
        kinds,
        pause,
    })
}

fn kind() -> impl Strategy<Value = JobKind> {
    prop::sample::select(JobKind::ALL.to_vec())
}
