use reflexio_store::{JobEnd, Lesson, PublishedTurn, Reach, RunStart, Superseded};
use reflexio_types::{LearningKind, Operation, Status, TimeRange, Timestamp};
use serde::{Deserialize, Serialize};

use super::maker::Known;
use super::plan::{Step, eligible};
use super::rows::Rows;
use super::{Engine, Learnt, Result, TURNS_AT_ONCE, Work};
use crate::policy::{Extractor, Policy, Wanted};
use crate::windows::{self, Pace, Window};

/// Which turns a manual run or a rerun reads.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Selection {
    pub source: Option<String>,
    pub agent_version: Option<String>,
    pub start: Option<Timestamp>,
    pub end: Option<Timestamp>,
}

impl Selection {
    pub fn time(&self) -> TimeRange {
        TimeRange { start: self.start, end: self.end }
    }

    pub(super) fn takes(&self, turn: &PublishedTurn) -> bool {
        let request = &turn.request;
        let at = request.created_at;
        self.source.as_ref().is_none_or(|source| *source == request.source)
            && self.agent_version.as_ref().is_none_or(|version| *version == request.agent_version)
            && self.start.is_none_or(|start| at >= start)
            && self.end.is_none_or(|end| at <= end)
    }
}

impl Engine {
    /// Learns anew from all turns of a user. The rows become PENDING in the place of those of an earlier rerun; what
    /// is in use stays as it is. What changes is a part of `run`; `progress` says what the operation has become with that.
    pub async fn learn_again(
        &self,
        work: Work<'_>,
        wanted: Wanted,
        which: &Selection,
        run: RunStart,
        progress: impl FnOnce(Learnt) -> (Operation, JobEnd) + Send,
    ) -> Result<Learnt> {
        let extractors: Vec<Extractor<'_>> = work.policy.wanted(wanted).collect();
        let turns = self.all_turns(work, which).await?;
        let mut learnt = Learnt::default();
        let mut rows = Rows::default();
        for step in &steps(work.policy, &extractors, &turns, windows::all) {
            learnt.read(step, self.find(work, &turns, step, Known::Nothing, &mut rows).await?);
        }
        learnt.count(&rows);
        let (operation, end) = progress(learnt.clone());
        let kind = match wanted {
            Wanted::Profiles => LearningKind::Profile,
            Wanted::Playbooks => LearningKind::UserPlaybook,
        };
        let agent_version = which.agent_version.clone();
        let lesson = Lesson {
            user_id: Some(work.user.clone()),
            superseded: vec![Superseded { kind, status: Status::Pending, agent_version }],
            operation: Some(operation),
            run: Some(run),
            end,
            ..Lesson::default()
        };
        let lesson = rows.into_lesson(lesson);
        self.store.learn(work.lease, lesson, self.clock.now()).await?;
        Ok(learnt)
    }

    async fn all_turns(&self, work: Work<'_>, which: &Selection) -> Result<Vec<PublishedTurn>> {
        let mut all = Vec::new();
        let mut after = None;
        loop {
            let reach = Reach::After(after);
            let read = self.store.published_turns(&work.lease.org, work.user, reach, TURNS_AT_ONCE).await?;
            let more = read.len() == TURNS_AT_ONCE;
            after = read.last().map(|turn| turn.interaction.id);
            all.extend(read.into_iter().filter(|turn| which.takes(turn)));
            if !more {
                return Ok(all);
            }
        }
    }
}

/// Windows over turns, without regard to cursors. Extractors whose windows are the same share a step.
pub(super) fn steps<'a>(
    policy: &Policy,
    extractors: &[Extractor<'a>],
    turns: &[PublishedTurn],
    cut: impl Fn(Pace, usize) -> Vec<Window>,
) -> Vec<Step<'a>> {
    let mut steps: Vec<Step<'a>> = Vec::new();
    for extractor in extractors {
        let eligible = eligible(*extractor, turns);
        for window in cut(policy.pace(*extractor), eligible.len()) {
            let turns = eligible.get(window.start..window.end).unwrap_or_default().to_vec();
            let known = window.fresh - window.start;
            match steps.iter_mut().find(|step| step.turns == turns && step.known == known) {
                Some(step) => step.extractors.push(*extractor),
                None => {
                    steps.push(Step { extractors: vec![*extractor], turns, known, moves: Vec::new() });
                }
            }
        }
    }
    steps
}
