//! The answers of agents, compared with the alternatives that were not shown. How is in `reflexio_evaluate::shadow`.

mod handler;
mod task;

use reflexio_evaluate::shadow::Policy;
use reflexio_store::{Page, ShadowComparisonFilter, ShadowTurnFilter};
use reflexio_types::{
    Caller, Config, InteractionId, NewJob, Request, Scope, ShadowComparison, ShadowTally, Turn,
};

pub(crate) use handler::Comparing;

use crate::access::Access;
use crate::{App, Result};

/// Turns that are looked at together when everything is to be compared.
const TURNS_AT_ONCE: usize = 1_000;

/// A page of comparisons with what they add up to.
#[derive(Debug, Clone, PartialEq)]
pub struct ShadowComparisonPage {
    pub comparisons: Vec<ShadowComparison>,
    pub has_more: bool,
    /// Per agent version, whatever the verdict: a rate of one verdict says nothing.
    pub tallies: Vec<ShadowTally>,
}

/// Which comparisons are made when somebody asks for them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Compare {
    /// Those that were not made yet.
    #[default]
    Missing,
    /// All, in the place of earlier ones.
    Again,
}

impl App {
    /// The newest first.
    pub async fn shadow_comparisons(
        &self,
        caller: &Caller,
        filter: &ShadowComparisonFilter,
        page: Page,
    ) -> Result<ShadowComparisonPage> {
        caller.needs(Scope::Read)?;
        let (comparisons, has_more) = self.store.shadow_comparisons(&caller.org, filter, page).await?;
        let every_verdict = ShadowComparisonFilter { verdict: None, ..filter.clone() };
        let tallies = self.store.shadow_tallies(&caller.org, &every_verdict).await?;
        Ok(ShadowComparisonPage { comparisons, has_more, tallies })
    }

    /// Queues comparisons of answers that were published before; says of how many requests.
    pub async fn compare_shadows(
        &self,
        caller: &Caller,
        which: &ShadowTurnFilter,
        compare: Compare,
    ) -> Result<u64> {
        caller.needs(Scope::Write)?;
        let policy = Policy::of(&self.config_in_force(&caller.org).await?.1);
        let which = ShadowTurnFilter { judged_too: compare == Compare::Again, ..which.clone() };
        let since = (compare == Compare::Again).then(|| self.now());
        let (mut after, mut last, mut queued): (Option<InteractionId>, _, u64) = (None, None, 0);
        loop {
            let turns = self.store.shadow_turns(&caller.org, &which, after, TURNS_AT_ONCE).await?;
            let mut jobs = Vec::new();
            for turn in turns.iter().filter(|turn| turn.turn.both_answers().is_some()) {
                // The turns of a request follow each other.
                if last.as_ref() != Some(&turn.request_id) {
                    jobs.push(task::job(&turn.request_id, &turn.user_id, &policy, since)?);
                    last = Some(turn.request_id.clone());
                }
            }
            queued += jobs.len() as u64;
            self.store.enqueue(&caller.org, jobs, self.now()).await?;
            after = turns.last().map(|turn| turn.id);
            if turns.len() < TURNS_AT_ONCE {
                break;
            }
        }
        self.wake_workers();
        Ok(queued)
    }
}

/// The job that compares the answers of a request, if one of them has an alternative.
pub(crate) fn due(request: &Request, turns: &[Turn], config: &Config) -> Result<Option<NewJob>> {
    let compares = turns.iter().any(|turn| turn.both_answers().is_some());
    compares.then(|| task::job(&request.id, &request.user_id, &Policy::of(config), None)).transpose()
}
