use std::collections::HashSet;

use reflexio_store::Lease;
use reflexio_types::{JobId, JobKind, JobState, OrgId, Timestamp, UserId};

use super::steps::{ORGS, WORKERS};
use crate::sample::at;

/// What the queue should hold, in the order of arrival.
#[derive(Debug, Default)]
pub(super) struct Model {
    pub(super) now: i64,
    pub(super) jobs: Vec<Expected>,
    /// Every lease that was ever given and not forgotten, with its worker.
    pub(super) leases: Vec<(usize, Lease)>,
}

#[derive(Debug, Clone)]
pub(super) struct Expected {
    pub(super) id: JobId,
    pub(super) org: OrgId,
    pub(super) user: UserId,
    pub(super) kind: JobKind,
    pub(super) lane: Option<String>,
    pub(super) key: Option<String>,
    pub(super) state: JobState,
    pub(super) attempts: u32,
    pub(super) most: u32,
    pub(super) run_after: Timestamp,
    pub(super) lease_until: Option<Timestamp>,
    pub(super) cancel_asked: bool,
    pub(super) fence: u64,
}

/// What of a job is compared after each step.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Summary {
    pub(super) id: JobId,
    pub(super) org: OrgId,
    pub(super) state: JobState,
    pub(super) attempts: u32,
    pub(super) run_after: Timestamp,
    pub(super) lease_until: Option<Timestamp>,
    pub(super) cancel_asked: bool,
}

impl Model {
    pub(super) fn orgs() -> impl Iterator<Item = OrgId> {
        (0..ORGS).map(org)
    }

    pub(super) fn now(&self) -> Timestamp {
        at(self.now)
    }

    pub(super) fn of_org(&self, org: &OrgId) -> impl DoubleEndedIterator<Item = &Expected> {
        self.jobs.iter().filter(move |job| job.org == *org)
    }

    /// The job that a lease is still good for.
    pub(super) fn held(&mut self, lease: &Lease) -> Option<&mut Expected> {
        let good = |job: &&mut Expected| {
            job.id == lease.job && job.fence == lease.fence && job.state == JobState::Running
        };
        self.jobs.iter_mut().find(good)
    }

    /// Silent workers lose their jobs.
    pub(super) fn expire(&mut self) {
        let now = self.now();
        for job in &mut self.jobs {
            if job.lease_until.is_some_and(|until| until <= now) {
                let state = if job.attempts < job.most { JobState::Queued } else { JobState::Dead };
                job.end(state, now);
            }
        }
    }

    /// Which jobs may be claimed: they are due, and nobody in their lane runs or arrived before them.
    pub(super) fn eligible(&self, kinds: &[JobKind], paused: &HashSet<(OrgId, JobKind)>) -> Vec<JobId> {
        let wanted = self.jobs.iter().enumerate().filter(|(index, job)| {
            let before = |other: &&Expected| {
                job.lane.is_some() && other.org == job.org && other.lane == job.lane && other.id != job.id
            };
            let lane_is_free = self.jobs.iter().filter(before).all(|other| other.state != JobState::Running)
                && self.jobs[..*index].iter().filter(before).all(|other| other.state != JobState::Queued);
            job.state == JobState::Queued
                && job.run_after <= self.now()
                && kinds.contains(&job.kind)
                && !paused.contains(&(job.org.clone(), job.kind))
                && lane_is_free
        });
        wanted.map(|(_, job)| job.id).collect()
    }
}

impl Expected {
    /// The attempt is over; a job that was to be cancelled is.
    pub(super) fn end(&mut self, state: JobState, run_after: Timestamp) {
        self.state = if self.cancel_asked { JobState::Cancelled } else { state };
        self.lease_until = None;
        if self.state == JobState::Queued {
            self.run_after = run_after;
        }
    }

    pub(super) fn summary(&self) -> Summary {
        Summary {
            id: self.id,
            org: self.org.clone(),
            state: self.state,
            attempts: self.attempts,
            run_after: self.run_after,
            lease_until: self.lease_until,
            cancel_asked: self.cancel_asked,
        }
    }
}

pub(super) fn org(number: usize) -> OrgId {
    OrgId::new(format!("org{number}"))
}

pub(super) fn worker(number: usize) -> String {
    format!("worker {} of {WORKERS}", number + 1)
}
