//! From published turns to learned rows. Each step reads, learns and stores: what it stores moves the cursors and
//! ends the job in the same transaction, so that a step that was interrupted anywhere has simply not happened.

mod learner;
mod plan;
mod rerun;
mod rows;

use std::sync::Arc;

use reflexio_store::{Cursor, CursorMove, JobEnd, Lease, Lesson, PublishedTurn, Reach, SharedStore};
use reflexio_types::{Clock, InteractionId, ProfileId, Status, Timestamp, UserId};

pub use learner::{Learner, text_of};
pub use plan::Flush;
pub use rerun::Selection;

use crate::findings::Scene;
use crate::policy::{Extractor, Policy, Wanted};
use crate::windows;
use plan::{Plan, Step};
use rows::{Known, Maker, Rows};

/// So many turns are looked at together; more of them are done in rounds.
const TURNS_AT_ONCE: usize = 2_000;

/// Why nothing was learned. Nothing was stored, and nothing was marked as learned from.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Store(#[from] reflexio_store::Error),
    #[error(transparent)]
    Model(reflexio_llm::Error),
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What learning needs of its surroundings.
pub struct Engine {
    pub store: SharedStore,
    pub clock: Arc<dyn Clock>,
    pub new_profile_id: fn() -> ProfileId,
}

/// What a job learned.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Learnt {
    pub windows: u64,
    /// Turns that were new in these windows.
    pub turns: u64,
    pub profiles: u64,
    pub playbooks: u64,
    /// Items that are not stored: without evidence, empty, or said before.
    pub dropped: u64,
    /// When the latest of the turns came that wait for their window to fill.
    pub waiting_since: Option<Timestamp>,
}

impl Learnt {
    fn read(&mut self, step: &Step<'_>, dropped: u64) {
        self.windows += 1;
        self.turns += step.turns.len().saturating_sub(step.known) as u64;
        self.dropped += dropped;
    }

    fn count(&mut self, rows: &Rows) {
        self.profiles += rows.profiles.len() as u64;
        self.playbooks += rows.playbooks.len() as u64;
    }
}

/// What is read of a user.
struct Reading {
    turns: Vec<PublishedTurn>,
    cursors: Vec<Cursor>,
    /// There is more after these turns.
    more: bool,
    /// The last turn that was looked at, if there were many.
    passed: Option<InteractionId>,
}

/// A job that learns from the turns of one user.
#[derive(Clone, Copy)]
pub struct Work<'a> {
    pub lease: &'a Lease,
    pub user: &'a UserId,
    pub policy: &'a Policy,
    pub learner: &'a Learner,
}

impl Engine {
    /// Learns from all of a user's windows that are due. The last of them ends the job, unless turns are left that
    /// wait; the caller ends it then.
    pub async fn learn_due(&self, work: Work<'_>, flush: Flush) -> Result<Learnt> {
        let extractors: Vec<Extractor<'_>> = work.policy.automatic().collect();
        let cursors = self.store.cursors(&work.lease.org, work.user).await?;
        let groups = plan::groups(&extractors, &cursors);
        // Most often all extractors stand at the same turn, and the last step is known when it is done.
        let end = if groups.len() == 1 { JobEnd::Done } else { JobEnd::GoesOn };
        let mut learnt = Learnt::default();
        for group in &groups {
            self.learn_group(work, group, flush, end, &mut learnt).await?;
        }
        Ok(learnt)
    }

    /// Learns for extractors that stand at the same turn.
    async fn learn_group(
        &self,
        work: Work<'_>,
        group: &[Extractor<'_>],
        flush: Flush,
        end: JobEnd,
        learnt: &mut Learnt,
    ) -> Result<()> {
        loop {
            let reading = self.read(work, group).await?;
            let Reading { turns, cursors, .. } = &reading;
            let plan = plan::plan(work.policy, group, turns, cursors, flush);
            let goes_on = reading.more && !plan.steps.is_empty();
            let ends = if goes_on || plan.leftover { JobEnd::GoesOn } else { end };
            self.carry_out(work, turns, &plan, ends, learnt).await?;
            if goes_on {
                continue;
            }
            if plan.steps.is_empty() && !plan.leftover {
                self.skip(work, group, &reading).await?;
            }
            let waiting = turns.last().filter(|_| plan.leftover).map(|turn| turn.request.created_at);
            learnt.waiting_since = learnt.waiting_since.max(waiting);
            return Ok(());
        }
    }

    /// Many turns of sources that these extractors do not read lie behind them: they need not be looked at again.
    async fn skip(&self, work: Work<'_>, group: &[Extractor<'_>], reading: &Reading) -> Result<()> {
        let Some(to) = reading.passed else { return Ok(()) };
        let step = |extractor: &Extractor<'_>| {
            let stored = reading.cursors.iter().find(|cursor| cursor.extractor == extractor.name());
            CursorMove { extractor: extractor.name(), from: stored.map(|cursor| cursor.covered), to }
        };
        self.keep(work, Rows::default(), group.iter().map(step).collect(), JobEnd::GoesOn).await
    }

    /// Learns from the last window of a user, whatever was learned from it before. Ends the job.
    pub async fn learn_last(&self, work: Work<'_>, wanted: Wanted, which: &Selection) -> Result<Learnt> {
        let policy = work.policy;
        let extractors: Vec<Extractor<'_>> = policy.manual(wanted).collect();
        let limit = TURNS_AT_ONCE.max(4 * policy.widest());
        let reach = Reach::UpTo(None);
        let mut turns = self.store.published_turns(&work.lease.org, work.user, reach, limit).await?;
        turns.retain(|turn| which.takes(turn));
        let last = |pace, total| windows::last(pace, total).into_iter().collect();
        let mut learnt = Learnt::default();
        let mut rows = Rows::default();
        for step in &rerun::steps(policy, &extractors, &turns, last) {
            let known = Known::Stored(Status::Current);
            learnt.read(step, self.find(work, &turns, step, known, &mut rows).await?);
        }
        learnt.count(&rows);
        self.keep(work, rows, Vec::new(), JobEnd::Done).await?;
        Ok(learnt)
    }

    /// Does the steps one after the other; the last one ends the job if it is to end.
    async fn carry_out(
        &self,
        work: Work<'_>,
        turns: &[PublishedTurn],
        plan: &Plan<'_>,
        end: JobEnd,
        learnt: &mut Learnt,
    ) -> Result<()> {
        for (at, step) in plan.steps.iter().enumerate() {
            let mut rows = Rows::default();
            let known = Known::Stored(Status::Current);
            learnt.read(step, self.find(work, turns, step, known, &mut rows).await?);
            learnt.count(&rows);
            let last = at + 1 == plan.steps.len();
            self.keep(work, rows, step.moves.clone(), if last { end } else { JobEnd::GoesOn }).await?;
        }
        Ok(())
    }

    /// Turns around the place where these extractors stand, without those that none of them reads.
    async fn read(&self, work: Work<'_>, group: &[Extractor<'_>]) -> Result<Reading> {
        let (store, org, user) = (&self.store, &work.lease.org, work.user);
        let cursors = store.cursors(org, user).await?;
        let begin = group.iter().filter_map(|extractor| plan::begin(*extractor, &cursors)).min();
        // Source filters may leave some out, so more than one window is looked at for what came before.
        let context = 4 * work.policy.widest();
        let limit = TURNS_AT_ONCE.max(context);
        let mut turns = match begin {
            Some(_) => store.published_turns(org, user, Reach::UpTo(begin), context).await?,
            None => Vec::new(),
        };
        let (mut after, mut kept, mut pages) = (begin, 0, 0);
        let more = loop {
            let mut page = store.published_turns(org, user, Reach::After(after), limit).await?;
            let full = page.len() == limit;
            after = page.last().map(|turn| turn.interaction.id).or(after);
            page.retain(|turn| group.iter().any(|extractor| extractor.takes(&turn.request.source)));
            (kept, pages) = (kept + page.len(), pages + 1);
            turns.extend(page);
            if !full || kept >= limit {
                break full;
            }
        };
        Ok(Reading { turns, cursors, more, passed: after.filter(|_| pages > 1) })
    }

    /// Adds what a window shows to the rows; says how many items were left out.
    async fn find(
        &self,
        work: Work<'_>,
        turns: &[PublishedTurn],
        step: &Step<'_>,
        known: Known,
        rows: &mut Rows,
    ) -> Result<u64> {
        let (org, job, user) = (&work.lease.org, work.lease.job, work.user);
        let of_window = step.turns.iter().filter_map(|at| turns.get(*at));
        let with_age = of_window.enumerate().map(|(at, turn)| (turn, at >= step.known));
        let scene = Scene::new(work.policy, &step.extractors, with_age);
        let (scene, findings) = work.learner.find(&self.store, org, scene, &format!("job-{job}")).await?;
        let dropped = findings.dropped.values().map(|count| u64::from(*count)).sum();
        if dropped > 0 {
            tracing::info!(%org, %user, %job, dropped = ?findings.dropped, "items left out");
        }
        let status = if known == Known::Nothing { Status::Pending } else { Status::Current };
        let (store, now, new_id) = (&self.store, self.clock.now(), self.new_profile_id);
        Maker { store, org, user, status, known, now, new_id }.add(&scene, findings, rows).await?;
        Ok(dropped)
    }

    async fn keep(&self, work: Work<'_>, rows: Rows, cursors: Vec<CursorMove>, end: JobEnd) -> Result<()> {
        let lesson = Lesson {
            user_id: Some(work.user.clone()),
            cursors,
            profiles: rows.profiles,
            user_playbooks: rows.playbooks,
            confirmed: rows.confirmed,
            end,
            ..Lesson::default()
        };
        Ok(self.store.learn(work.lease, lesson, self.clock.now()).await?)
    }
}
