use std::collections::HashSet;

use reflexio_types::{AgentPlaybook, LearningKind, Profile, UserPlaybook};

use super::block::{Item, Section};
use super::{HEADINGS, Standing};
use crate::search::Coverage;

/// A row that may come into the block.
pub(super) enum Row {
    Rule(AgentPlaybook),
    Profile(Profile),
    Taught(UserPlaybook),
}

impl Row {
    fn item(&self) -> Item {
        match self {
            Row::Rule(row) => Item::agent_playbook(row),
            Row::Profile(row) => Item::profile(row),
            Row::Taught(row) => Item::user_playbook(row),
        }
    }

    fn rule(&self) -> Option<&AgentPlaybook> {
        match self {
            Row::Rule(row) => Some(row),
            Row::Profile(_) | Row::Taught(_) => None,
        }
    }
}

/// Puts rows into a block as long as there is room.
pub(super) struct Filling {
    include_covered: bool,
    /// What the rules in the block say already.
    coverage: Coverage,
    inside: HashSet<(LearningKind, String)>,
    /// Rows that did not fit.
    pub(super) left_out: usize,
    /// User playbooks that a rule in the block says already.
    pub(super) covered: usize,
}

impl Filling {
    pub(super) fn new(include_covered: bool) -> Self {
        let (coverage, inside) = (Coverage::default(), HashSet::new());
        Self { include_covered, coverage, inside, left_out: 0, covered: 0 }
    }

    /// Half of the room is for rules, half of the rest for profiles; what one leaves goes to the next.
    pub(super) fn standing(&mut self, standing: Standing, room: usize) -> Vec<Section> {
        let kinds: [Vec<Row>; 3] = [
            standing.rules.into_iter().map(Row::Rule).collect(),
            standing.profiles.into_iter().map(Row::Profile).collect(),
            standing.taught.into_iter().map(Row::Taught).collect(),
        ];
        let mut left = room;
        let mut sections = Vec::new();
        for (at, rows) in kinds.into_iter().enumerate() {
            let share = if at == 2 { left } else { left / 2 };
            self.cover_with(&rows, share);
            let mut items = self.take(&rows, share);
            left -= items.iter().map(Item::tokens).sum::<usize>();
            // Oldest first: what is learned next comes after what a prompt cache already holds.
            items.reverse();
            sections.push(Section { heading: HEADINGS[at], items });
        }
        sections
    }

    /// What was asked for, best first, and is not in the block yet.
    pub(super) fn asked(&mut self, mut rows: Vec<Row>, room: usize) -> Section {
        rows.retain(|row| {
            let item = row.item();
            !self.inside.contains(&(item.kind, item.id))
        });
        self.cover_with(&rows, room);
        Section { heading: HEADINGS[3], items: self.take(&rows, room) }
    }

    /// The rules that will find room, which are known before anything else is taken.
    fn cover_with(&mut self, rows: &[Row], room: usize) {
        let mut left = room;
        for row in rows {
            let tokens = row.item().tokens();
            if tokens <= left {
                left -= tokens;
                self.coverage.add(row.rule());
            }
        }
    }

    /// The first rows that fit and say something that no rule in the block says.
    fn take(&mut self, rows: &[Row], room: usize) -> Vec<Item> {
        let mut left = room;
        let mut taken = Vec::new();
        for row in rows {
            let item = row.item();
            if item.tokens() > left {
                self.left_out += 1;
            } else if self.is_covered(row) {
                self.covered += 1;
            } else {
                left -= item.tokens();
                self.inside.insert((item.kind, item.id.clone()));
                taken.push(item);
            }
        }
        taken
    }

    fn is_covered(&self, row: &Row) -> bool {
        match row {
            Row::Taught(row) => !self.include_covered && self.coverage.covers(row),
            Row::Rule(_) | Row::Profile(_) => false,
        }
    }
}
