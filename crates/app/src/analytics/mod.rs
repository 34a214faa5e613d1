//! What the playbooks of an org look like from above: counts, versions beside each other, what waits for a person, and whether
//! all is well.

mod counts;
mod health;

use reflexio_store::{PlaybookScope, VersionCount};
use reflexio_types::{AgentPlaybook, Caller, Difference, Proportion, Scope, Timestamp, difference};

pub use counts::{Counted, PlaybookAnalytics, PlaybookTotals};
pub use health::{HealthCheck, HealthState, HealthTerms, PlaybookHealth};

use crate::access::Access;
use crate::{App, Result};

/// What conversations of one version of the agent taught.
#[derive(Debug, Clone, PartialEq)]
pub struct VersionAnalytics {
    pub counts: VersionCount,
    /// Of the requests that were published, those that taught something.
    pub taught: Proportion,
    /// Of that share, to the first version; nothing for the first itself, and while one side is empty.
    pub to_first: Option<Difference>,
}

/// What a person should look at.
#[derive(Debug, Clone, PartialEq)]
pub struct PlaybookReview {
    pub since: Timestamp,
    /// User playbooks that were made since then, by type.
    pub new_user_playbooks: Vec<Counted>,
    /// Agent playbooks that were proposed or added since then, by type.
    pub new_agent_playbooks: Vec<Counted>,
    pub waiting: u64,
    /// The longest waiting first.
    pub longest_waiting: Vec<AgentPlaybook>,
}

impl App {
    pub async fn playbook_analytics(
        &self,
        caller: &Caller,
        scope: &PlaybookScope,
    ) -> Result<PlaybookAnalytics> {
        caller.needs(Scope::Read)?;
        let counts = self.store.playbook_counts(&caller.org, scope).await?;
        Ok(PlaybookAnalytics::of(&counts, scope.time, self.now()))
    }

    /// In the order in which the versions are named; all of them, by name, if none is.
    pub async fn version_analytics(
        &self,
        caller: &Caller,
        scope: &PlaybookScope,
    ) -> Result<Vec<VersionAnalytics>> {
        caller.needs(Scope::Read)?;
        let found = self.store.version_counts(&caller.org, scope).await?;
        Ok(beside_each_other(found, &scope.agent_versions))
    }

    pub async fn playbook_review(
        &self,
        caller: &Caller,
        scope: &PlaybookScope,
        since: Timestamp,
        limit: usize,
    ) -> Result<PlaybookReview> {
        caller.needs(Scope::Read)?;
        let mut scope = scope.clone();
        scope.time.start = Some(since);
        let counts = self.store.playbook_counts(&caller.org, &scope).await?;
        let (longest_waiting, waiting) = self.store.longest_waiting(&caller.org, &scope, limit).await?;
        let (new_user_playbooks, new_agent_playbooks) = counts::new_by_type(&counts);
        Ok(PlaybookReview { since, new_user_playbooks, new_agent_playbooks, waiting, longest_waiting })
    }
}

/// A version that was asked for and has nothing is shown with nothing.
fn beside_each_other(found: Vec<VersionCount>, asked: &[String]) -> Vec<VersionAnalytics> {
    let rows: Vec<VersionCount> = if asked.is_empty() {
        found
    } else {
        let nothing =
            |version: &String| VersionCount { agent_version: version.clone(), ..VersionCount::default() };
        let of = |version: &String| found.iter().find(|row| row.agent_version == *version).cloned();
        asked.iter().map(|version| of(version).unwrap_or_else(|| nothing(version))).collect()
    };
    // Playbooks that were added by hand may name requests that were never published.
    let share =
        |row: &VersionCount| Proportion { successes: row.requests.min(row.published), total: row.published };
    let first = rows.first().map(share);
    let shown = |(at, counts): (usize, VersionCount)| {
        let taught = share(&counts);
        let to_first = first.filter(|_| at > 0).and_then(|first| difference(taught, first));
        VersionAnalytics { counts, taught, to_first }
    };
    rows.into_iter().enumerate().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(version: &str, published: u64, playbooks: u64, requests: u64) -> VersionCount {
        VersionCount { agent_version: version.to_owned(), published, playbooks, requests }
    }

    #[test]
    fn versions_stand_in_the_order_asked_and_are_compared_with_the_first() {
        let found = vec![count("v1", 80, 60, 48), count("v2", 70, 56, 56)];
        let asked = ["v2", "v1", "v9"].map(str::to_owned);
        let rows = beside_each_other(found, &asked);
        let names: Vec<&str> = rows.iter().map(|row| row.counts.agent_version.as_str()).collect();
        assert_eq!(names, ["v2", "v1", "v9"]);
        let to_first = rows[1].to_first.unwrap();
        assert!((to_first.value + 0.2).abs() < 1e-9 && to_first.interval.high < 0.0, "{to_first:?}");
        assert_eq!((rows[0].to_first, rows[2].to_first), (None, None));
        assert_eq!(rows[2].counts, count("v9", 0, 0, 0));
    }

    #[test]
    fn a_share_is_never_more_than_all() {
        let rows = beside_each_other(vec![count("v1", 2, 9, 5)], &[]);
        assert_eq!(rows[0].taught, Proportion { successes: 2, total: 2 });
    }
}
