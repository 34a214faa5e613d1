//! The turns around a turn. A publish holds a few turns with ids that follow each other; what was said before and
//! after it is in the neighbouring publishes of the same session.

use std::collections::{BTreeSet, HashMap};

use reflexio_types::{Interaction, InteractionId, OrgId};
use rusqlite::{Connection, OptionalExtension, Row};

use crate::error::Result;
use crate::predicate::Predicate;
use crate::rows::select;

/// What tells one publish from the others of its timeline.
#[derive(Debug, Clone, Copy)]
struct Publish {
    key: i64,
    created_at: i64,
}

/// The publishes of one user that follow each other.
#[derive(Debug)]
struct Timeline {
    user: String,
    /// None if the publisher named none: then all that the user said without one is the timeline.
    session: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Before,
    After,
}

/// See [`reflexio_store::Interactions::conversations`].
pub(crate) fn conversations(
    sql: &Connection,
    org: &OrgId,
    around: &[InteractionId],
    reach: usize,
) -> Result<Vec<Vec<Interaction>>> {
    let finder = Finder { sql, org };
    let mut stretches = Vec::new();
    let turns: BTreeSet<i64> = around.iter().map(|id| id.0).collect();
    for turn in turns {
        stretches.extend(finder.stretch(turn, reach)?);
    }
    let stretches = merged(stretches);
    let ids = stretches.iter().flatten().map(|said| said.turn.into()).collect();
    let which = Predicate::checking_org(org).within("t.id", ids);
    let rows: Vec<Interaction> = select(sql, which, "t.id", usize::MAX)?;
    let mut rows: HashMap<i64, Interaction> = rows.into_iter().map(|row| (row.id.0, row)).collect();
    Ok(stretches.iter().map(|ids| ids.iter().filter_map(|said| rows.remove(&said.turn)).collect()).collect())
}

struct Finder<'a> {
    sql: &'a Connection,
    org: &'a OrgId,
}

/// A turn and when it was said: within its timeline, turns are sorted by this.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Said {
    created_at: i64,
    publish: i64,
    turn: i64,
}

impl Finder<'_> {
    /// The turn with those around it; nothing if it is gone.
    fn stretch(&self, turn: i64, reach: usize) -> Result<Option<Vec<Said>>> {
        let Some((publish, timeline)) = self.publish_of(turn)? else { return Ok(None) };
        let mut stretch = publish.said(&[turn]);
        for direction in [Direction::Before, Direction::After] {
            let own = self.turns(publish.key, direction, Some(turn), reach)?;
            stretch.extend(publish.said(&own));
            stretch.extend(self.beyond(publish, &timeline, direction, reach - own.len())?);
        }
        Ok(Some(stretch))
    }

    /// The `count` turns of the neighbouring publishes that are nearest to this one.
    fn beyond(
        &self,
        mut publish: Publish,
        timeline: &Timeline,
        direction: Direction,
        count: usize,
    ) -> Result<Vec<Said>> {
        let mut found = Vec::new();
        while found.len() < count {
            let Some(next) = self.next(publish, timeline, direction)? else { break };
            let turns = self.turns(next.key, direction, None, count - found.len())?;
            found.extend(next.said(&turns));
            publish = next;
        }
        Ok(found)
    }

    fn publish_of(&self, turn: i64) -> Result<Option<(Publish, Timeline)>> {
        let text = "SELECT r.key, r.created_at, r.user_id, nullif(r.session_id, r.id)
                    FROM interactions t JOIN requests r ON r.key = t.request_key
                    WHERE t.id = ? AND t.org_id = ?";
        let mut statement = self.sql.prepare_cached(text)?;
        let read = |row: &Row<'_>| Ok((publish(row)?, Timeline { user: row.get(2)?, session: row.get(3)? }));
        Ok(statement.query_row((turn, self.org.as_str()), read).optional()?)
    }

    /// The first turns of a publish, or the last ones, as seen from `turn` or from outside of it.
    fn turns(&self, publish: i64, direction: Direction, turn: Option<i64>, count: usize) -> Result<Vec<i64>> {
        let (text, outside) = match direction {
            Direction::Before => (
                "SELECT id FROM interactions WHERE request_key = ? AND id < ? ORDER BY id DESC LIMIT ?",
                i64::MAX,
            ),
            Direction::After => {
                ("SELECT id FROM interactions WHERE request_key = ? AND id > ? ORDER BY id LIMIT ?", i64::MIN)
            }
        };
        let mut statement = self.sql.prepare_cached(text)?;
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        let ids = statement.query_map((publish, turn.unwrap_or(outside), count), |row| row.get(0))?;
        Ok(ids.collect::<rusqlite::Result<_>>()?)
    }

    fn next(&self, from: Publish, timeline: &Timeline, direction: Direction) -> Result<Option<Publish>> {
        let same = match &timeline.session {
            // The plus sign keeps SQLite from walking through all that the user said.
            Some(_) => "+user_id = ?2 AND session_id = ?3",
            None => "user_id = ?2 AND session_id = id",
        };
        let (sign, order) = match direction {
            Direction::Before => ("<", "DESC"),
            Direction::After => (">", "ASC"),
        };
        let text = format!(
            "SELECT key, created_at FROM requests
             WHERE org_id = ?1 AND {same} AND (created_at, key) {sign} (?4, ?5)
             ORDER BY created_at {order}, key {order} LIMIT 1"
        );
        let mut statement = self.sql.prepare_cached(&text)?;
        let session = timeline.session.as_deref().unwrap_or_default();
        let values = (self.org.as_str(), &timeline.user, session, from.created_at, from.key);
        Ok(statement.query_row(values, publish).optional()?)
    }
}

fn publish(row: &Row<'_>) -> rusqlite::Result<Publish> {
    Ok(Publish { key: row.get(0)?, created_at: row.get(1)? })
}

impl Publish {
    fn said(&self, turns: &[i64]) -> Vec<Said> {
        turns
            .iter()
            .map(|turn| Said { created_at: self.created_at, publish: self.key, turn: *turn })
            .collect()
    }
}

/// Stretches that share a turn become one, in the order of time.
fn merged(stretches: Vec<Vec<Said>>) -> Vec<BTreeSet<Said>> {
    let mut groups: Vec<BTreeSet<Said>> = Vec::new();
    let mut place: HashMap<Said, usize> = HashMap::new();
    for stretch in stretches {
        let met: BTreeSet<usize> = stretch.iter().filter_map(|said| place.get(said)).copied().collect();
        let at = met.first().copied().unwrap_or(groups.len());
        if at == groups.len() {
            groups.push(BTreeSet::new());
        }
        let mut said = stretch;
        for other in met.iter().skip(1) {
            said.extend(groups.get_mut(*other).map(std::mem::take).unwrap_or_default());
        }
        place.extend(said.iter().map(|said| (*said, at)));
        if let Some(group) = groups.get_mut(at) {
            group.extend(said);
        }
    }
    groups.retain(|group| !group.is_empty());
    groups
}
