use std::collections::BTreeMap;

use reflexio_store::{DayCount, PlaybookCounts};
use reflexio_types::{PlaybookStatus, Status, TimeRange, Timestamp};

const SECONDS_PER_DAY: f64 = 86_400.0;

/// How many there are of something, in all and within the time that was asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counted {
    pub key: String,
    pub total: u64,
    pub recent: u64,
}

/// Playbooks of one kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlaybookTotals {
    pub total: u64,
    pub recent: u64,
    /// The most first.
    pub by_type: Vec<Counted>,
    pub by_version: Vec<Counted>,
    /// Where they stand in their life, those that were replaced included.
    pub by_status: Vec<Counted>,
}

/// Playbooks, counted. Those that live on in another row count only in `by_status`, as in lists.
#[derive(Debug, Clone, PartialEq)]
pub struct PlaybookAnalytics {
    /// How many days the time covers; nothing if it has no beginning.
    pub days: Option<f64>,
    pub user: PlaybookTotals,
    /// By day, days without any left out.
    pub user_days: Vec<DayCount>,
    /// User playbooks per day of the time.
    pub daily_average: Option<f64>,
    pub agent: PlaybookTotals,
    /// What people decided about those in use.
    pub by_decision: Vec<Counted>,
}

impl PlaybookAnalytics {
    pub(super) fn of(counts: &PlaybookCounts, time: TimeRange, now: Timestamp) -> Self {
        let user = totals(counts.user.iter().map(|row| Part {
            name: &row.playbook_name,
            version: &row.agent_version,
            status: row.status,
            is_counted: !matches!(row.status, Status::Merged | Status::Superseded),
            total: row.total,
            recent: row.recent,
        }));
        let agent = totals(counts.agent.iter().map(|row| Part {
            name: &row.playbook_name,
            version: &row.agent_version,
            status: row.status,
            is_counted: row.status == Status::Current,
            total: row.total,
            recent: row.recent,
        }));
        let end = time.end.unwrap_or(now).min(now);
        let days = time.start.map(|start| end.0.saturating_sub(start.0).max(1) as f64 / SECONDS_PER_DAY);
        let in_use = counts.agent.iter().filter(|row| row.status == Status::Current);
        let decisions = in_use.map(|row| (row.playbook_status.as_str(), row.total, row.recent));
        Self {
            days,
            daily_average: days.map(|days| user.recent as f64 / days),
            by_decision: in_order(&tally(decisions), &PlaybookStatus::ALL.map(PlaybookStatus::as_str)),
            user_days: counts.user_days.clone(),
            user,
            agent,
        }
    }
}

/// What is new since the time that was asked for, by type.
pub(super) fn new_by_type(counts: &PlaybookCounts) -> (Vec<Counted>, Vec<Counted>) {
    let analytics = PlaybookAnalytics::of(counts, TimeRange::default(), Timestamp(0));
    let new = |mut rows: Vec<Counted>| {
        rows.retain(|row| row.recent > 0);
        rows.sort_by(|one, other| other.recent.cmp(&one.recent).then_with(|| one.key.cmp(&other.key)));
        rows
    };
    (new(analytics.user.by_type), new(analytics.agent.by_type))
}

/// Rows that are counted together.
struct Part<'a> {
    name: &'a str,
    version: &'a str,
    status: Status,
    is_counted: bool,
    total: u64,
    recent: u64,
}

fn totals<'a>(parts: impl Iterator<Item = Part<'a>>) -> PlaybookTotals {
    let parts: Vec<Part<'a>> = parts.collect();
    let counted = || parts.iter().filter(|part| part.is_counted);
    let statuses = tally(parts.iter().map(|part| (part.status.as_str(), part.total, part.recent)));
    PlaybookTotals {
        total: counted().map(|part| part.total).sum(),
        recent: counted().map(|part| part.recent).sum(),
        by_type: most_first(tally(counted().map(|part| (part.name, part.total, part.recent)))),
        by_version: most_first(tally(counted().map(|part| (part.version, part.total, part.recent)))),
        by_status: in_order(&statuses, &Status::ALL.map(Status::as_str)),
    }
}

fn tally<'a>(rows: impl Iterator<Item = (&'a str, u64, u64)>) -> BTreeMap<&'a str, (u64, u64)> {
    let mut tally: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for (key, total, recent) in rows {
        let sum = tally.entry(key).or_default();
        *sum = (sum.0 + total, sum.1 + recent);
    }
    tally
}

fn counted((key, (total, recent)): (&str, (u64, u64))) -> Counted {
    Counted { key: key.to_owned(), total, recent }
}

/// Among equals by name.
fn most_first(tally: BTreeMap<&str, (u64, u64)>) -> Vec<Counted> {
    let mut rows: Vec<Counted> = tally.into_iter().map(counted).collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.total));
    rows
}

/// In the order of these words, those left out of which there are none.
fn in_order(tally: &BTreeMap<&str, (u64, u64)>, words: &[&'static str]) -> Vec<Counted> {
    words.iter().filter_map(|word| Some(counted((word, *tally.get(word)?)))).collect()
}

#[cfg(test)]
mod tests {
    use reflexio_store::{AgentPlaybookCount, UserPlaybookCount};

    use super::*;

    fn user(name: &str, version: &str, status: Status, total: u64, recent: u64) -> UserPlaybookCount {
        let (playbook_name, agent_version) = (name.to_owned(), version.to_owned());
        UserPlaybookCount { playbook_name, agent_version, status, total, recent }
    }

    fn agent(decision: PlaybookStatus, status: Status, total: u64) -> AgentPlaybookCount {
        AgentPlaybookCount {
            playbook_name: "a".to_owned(),
            agent_version: "v1".to_owned(),
            playbook_status: decision,
            status,
            total,
            recent: 0,
        }
    }

    fn keys(rows: &[Counted]) -> Vec<(&str, u64, u64)> {
        rows.iter().map(|row| (row.key.as_str(), row.total, row.recent)).collect()
    }

    #[test]
    fn rows_that_live_on_in_others_count_only_by_status() {
        let counts = PlaybookCounts {
            user: vec![
                user("a", "v1", Status::Current, 5, 2),
                user("b", "v1", Status::Archived, 7, 0),
                user("a", "v2", Status::Merged, 100, 100),
            ],
            agent: vec![
                agent(PlaybookStatus::Approved, Status::Current, 1),
                agent(PlaybookStatus::Pending, Status::Current, 3),
                agent(PlaybookStatus::Pending, Status::Superseded, 50),
            ],
            user_days: Vec::new(),
        };
        let week = TimeRange { start: Some(Timestamp(0)), end: None };
        let found = PlaybookAnalytics::of(&counts, week, Timestamp(4 * 86_400));
        assert_eq!((found.user.total, found.user.recent, found.agent.total), (12, 2, 4));
        assert_eq!(keys(&found.user.by_type), [("b", 7, 0), ("a", 5, 2)]);
        assert_eq!(keys(&found.user.by_version), [("v1", 12, 2)]);
        assert_eq!(
            keys(&found.user.by_status),
            [("current", 5, 2), ("archived", 7, 0), ("merged", 100, 100)]
        );
        assert_eq!(keys(&found.by_decision), [("pending", 3, 0), ("approved", 1, 0)]);
        assert_eq!((found.days, found.daily_average), (Some(4.0), Some(0.5)));
        let (new, none) = new_by_type(&counts);
        assert_eq!((keys(&new), keys(&none)), (vec![("a", 5, 2)], Vec::new()));
    }
}
