use std::collections::BTreeMap;

use reflexio_store::{Cursor, CursorMove, PublishedTurn};
use reflexio_types::{InteractionId, UserAction, without_context_blocks};

use crate::policy::{Extractor, Policy};
use crate::windows::{self, Window};

/// Up to where windows are due that are not full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flush {
    /// To the last turn whose publisher asked for it.
    Asked,
    /// To the end.
    Everything,
}

/// A window, and the extractors that read it together.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Step<'a> {
    pub(super) extractors: Vec<Extractor<'a>>,
    /// Places in the list of turns.
    pub(super) turns: Vec<usize>,
    /// So many of them, at the beginning, were in a window before.
    pub(super) known: usize,
    pub(super) moves: Vec<CursorMove>,
}

/// What is to be done, in order.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Plan<'a> {
    pub(super) steps: Vec<Step<'a>>,
    /// Turns are left that wait for their window to fill.
    pub(super) leftover: bool,
}

/// Which windows are due for which extractors. Extractors whose windows are the same share a step.
pub(super) fn plan<'a>(
    policy: &Policy,
    extractors: &[Extractor<'a>],
    turns: &[PublishedTurn],
    cursors: &[Cursor],
    flush: Flush,
) -> Plan<'a> {
    let mut steps = Steps::default();
    let mut leftover = false;
    for extractor in extractors {
        let eligible = eligible(*extractor, turns);
        let stored = cursors.iter().find(|cursor| cursor.extractor == extractor.name());
        let begin = begin(*extractor, cursors);
        let covered = eligible.iter().take_while(|at| Some(id(turns, **at)) <= begin).count();
        let flush = match flush {
            Flush::Everything => eligible.len(),
            Flush::Asked => eligible.iter().rposition(|at| asks(turns, *at)).map_or(0, |at| at + 1),
        };
        let windows = windows::due(policy.pace(*extractor), covered, eligible.len(), flush);
        leftover |= windows.last().map_or(covered, |last| last.end) < eligible.len();
        let mut from = stored.map(|cursor| cursor.covered);
        for window in windows {
            let Some(to) = eligible.get(window.end - 1).map(|at| id(turns, *at)) else { continue };
            let step = CursorMove { extractor: extractor.name(), from, to };
            steps.add(*extractor, &eligible, window, step);
            from = Some(to);
        }
    }
    Plan { steps: steps.in_order(), leftover }
}

/// Extractors by where they stand: those that stand together can read together.
pub(super) fn groups<'a>(extractors: &[Extractor<'a>], cursors: &[Cursor]) -> Vec<Vec<Extractor<'a>>> {
    let mut groups: BTreeMap<Option<InteractionId>, Vec<Extractor<'a>>> = BTreeMap::new();
    for extractor in extractors {
        groups.entry(begin(*extractor, cursors)).or_default().push(*extractor);
    }
    groups.into_values().collect()
}

/// Where an extractor goes on. One that is new to a user begins where the others are: turns that were learned from
/// before it existed are read again by a rerun only.
pub(super) fn begin(extractor: Extractor<'_>, cursors: &[Cursor]) -> Option<InteractionId> {
    let own = cursors.iter().find(|cursor| cursor.extractor == extractor.name());
    own.map(|cursor| cursor.covered).or_else(|| cursors.iter().map(|cursor| cursor.covered).max())
}

/// Places of the turns that an extractor learns from.
pub(super) fn eligible(extractor: Extractor<'_>, turns: &[PublishedTurn]) -> Vec<usize> {
    let takes = |turn: &PublishedTurn| {
        !turn.request.intent.evaluation_only && extractor.takes(&turn.request.source) && says_something(turn)
    };
    turns.iter().enumerate().filter(|(_, turn)| takes(turn)).map(|(at, _)| at).collect()
}

/// Whether something is left of the turn without what we ourselves put into it.
fn says_something(published: &PublishedTurn) -> bool {
    let turn = &published.interaction.turn;
    let texts = [&turn.content, &turn.shadow_content, &turn.expert_content, &turn.image_url];
    texts.into_iter().any(|text| !without_context_blocks(text).trim().is_empty())
        || turn.user_action != UserAction::None
        || turn.image.is_some()
        || !turn.tools_used.is_empty()
}

fn asks(turns: &[PublishedTurn], at: usize) -> bool {
    turns
        .get(at)
        .is_some_and(|turn| turn.request.intent.force_extraction || turn.request.intent.session_finished)
}

fn id(turns: &[PublishedTurn], at: usize) -> InteractionId {
    turns.get(at).map_or(InteractionId(i64::MAX), |turn| turn.interaction.id)
}

/// Steps by their last turn, so that no extractor reads backwards, and then by the others.
#[derive(Default)]
struct Steps<'a>(BTreeMap<StepKey, Readers<'a>>);

/// The last turn, all turns, and how many of them are known.
type StepKey = (usize, Vec<usize>, usize);
type Readers<'a> = (Vec<Extractor<'a>>, Vec<CursorMove>);

impl<'a> Steps<'a> {
    fn add(&mut self, extractor: Extractor<'a>, eligible: &[usize], window: Window, step: CursorMove) {
        let turns = eligible.get(window.start..window.end).unwrap_or_default().to_vec();
        let key = (turns.last().copied().unwrap_or_default(), turns, window.fresh - window.start);
        let (extractors, moves) = self.0.entry(key).or_default();
        extractors.push(extractor);
        moves.push(step);
    }

    fn in_order(self) -> Vec<Step<'a>> {
        let step = |((_, turns, known), (extractors, moves))| Step { extractors, turns, known, moves };
        self.0.into_iter().map(step).collect()
    }
}
