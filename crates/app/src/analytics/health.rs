use reflexio_store::{PlaybookCounts, PlaybookScope};
use reflexio_types::{Caller, Scope, Stall, Status, TimeRange, Timestamp};

use crate::access::Access;
use crate::{App, Result};

const SECONDS_PER_DAY: i64 = 86_400;
/// More names are only counted.
const MOST_NAMED: usize = 5;

/// What is expected of a healthy org.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HealthTerms {
    /// So many new user playbooks in a day; nothing means that any number will do.
    pub min_daily: Option<u64>,
    /// Proposals are decided within so many days.
    pub pending_days: u32,
}

impl Default for HealthTerms {
    fn default() -> Self {
        Self { min_daily: None, pending_days: 7 }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HealthState {
    Ok,
    /// A person should look at it.
    Attention,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HealthCheck {
    pub name: &'static str,
    pub state: HealthState,
    /// What was found.
    pub message: String,
    /// What to do about it.
    pub hint: Option<&'static str>,
}

/// Whether playbooks come, are learned and reviewed as they should.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaybookHealth {
    pub checks: Vec<HealthCheck>,
}

impl PlaybookHealth {
    pub fn state(&self) -> HealthState {
        let ok = self.checks.iter().all(|check| check.state == HealthState::Ok);
        if ok { HealthState::Ok } else { HealthState::Attention }
    }
}

/// What the checks look at.
#[derive(Debug, Clone, Default)]
struct Facts {
    user_playbooks: u64,
    last_day: u64,
    /// Configured types without any user playbook.
    empty_types: Vec<String>,
    stall: Option<Stall>,
    dead_jobs: u64,
    waiting: u64,
    /// Days since the longest waiting proposal was made.
    longest_waiting: Option<i64>,
    /// Why there is no embedder.
    words_only: Option<String>,
    budget_is_spent: bool,
}

impl App {
    pub async fn playbook_health(&self, caller: &Caller, terms: HealthTerms) -> Result<PlaybookHealth> {
        caller.needs(Scope::Read)?;
        let facts = self.health_facts(caller).await?;
        Ok(PlaybookHealth { checks: checks(&facts, terms) })
    }

    async fn health_facts(&self, caller: &Caller) -> Result<Facts> {
        let (org, now) = (&caller.org, self.now());
        let time = TimeRange { start: Some(Timestamp(now.0 - SECONDS_PER_DAY)), end: None };
        let scope = PlaybookScope { time, ..PlaybookScope::default() };
        let counts = self.store.playbook_counts(org, &scope).await?;
        let (oldest, waiting) = self.store.longest_waiting(org, &scope, 1).await?;
        let (_, config) = self.config_in_force(org).await?;
        let names = config.playbook_configs.iter().map(|playbook| playbook.playbook_name.as_str());
        let embeddings = self.embedding_status(caller).await?;
        let today = self.budget_today(org).await?;
        Ok(Facts {
            user_playbooks: sum(&counts, |row| row.total),
            last_day: sum(&counts, |row| row.recent),
            empty_types: names.filter(|name| is_empty(&counts, name)).map(str::to_owned).collect(),
            stall: self.store.stall(org).await?,
            dead_jobs: self.store.org_job_counts(org).await?.dead,
            waiting,
            longest_waiting: oldest
                .first()
                .map(|row| now.0.saturating_sub(row.created_at.0) / SECONDS_PER_DAY),
            words_only: match embeddings.model {
                Some(_) => None,
                None => Some(embeddings.trouble.unwrap_or_else(|| "it is not ready yet".to_owned())),
            },
            budget_is_spent: today.server_is_spent || today.org.left() == Some(0),
        })
    }
}

/// Rows that live on in another row are left out, as in lists.
fn sum(counts: &PlaybookCounts, of: impl Fn(&reflexio_store::UserPlaybookCount) -> u64) -> u64 {
    let rows = counts.user.iter().filter(|row| !matches!(row.status, Status::Merged | Status::Superseded));
    rows.map(of).sum()
}

fn is_empty(counts: &PlaybookCounts, name: &str) -> bool {
    !counts.user.iter().any(|row| row.playbook_name == name && row.total > 0)
}

fn ok(name: &'static str, message: String) -> HealthCheck {
    HealthCheck { name, state: HealthState::Ok, message, hint: None }
}

fn attention(name: &'static str, message: String, hint: &'static str) -> HealthCheck {
    HealthCheck { name, state: HealthState::Attention, message, hint: Some(hint) }
}

fn checks(facts: &Facts, terms: HealthTerms) -> Vec<HealthCheck> {
    vec![
        collection(facts, terms),
        types(facts),
        learning(facts),
        jobs(facts),
        budget(facts),
        review(facts, terms),
        embeddings(facts),
    ]
}

fn collection(facts: &Facts, terms: HealthTerms) -> HealthCheck {
    let (name, recent) = ("collection", facts.last_day);
    if facts.user_playbooks == 0 {
        let hint = "publish conversations, and look at `reflexio jobs list` whether they are learned from";
        return attention(name, "no user playbooks found".to_owned(), hint);
    }
    match terms.min_daily {
        Some(least) if recent < least => {
            let message = format!("user playbooks in the last 24 hours: {recent}, expected {least} or more");
            attention(name, message, "look whether agents still publish, and what is learned from it")
        }
        Some(_) | None => ok(name, format!("user playbooks in the last 24 hours: {recent}")),
    }
}

fn types(facts: &Facts) -> HealthCheck {
    let empty = &facts.empty_types;
    if empty.is_empty() || facts.user_playbooks == 0 {
        return ok("types", "every configured type has user playbooks".to_owned());
    }
    let mut names =
        empty.iter().take(MOST_NAMED).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    if empty.len() > MOST_NAMED {
        names.push_str(&format!(" and {} more", empty.len() - MOST_NAMED));
    }
    let hint = "check their `playbook_definition_prompt`, or take them out of the configuration";
    attention("types", format!("nothing was learned for {names}"), hint)
}

fn learning(facts: &Facts) -> HealthCheck {
    let Some(stall) = &facts.stall else { return ok("learning", "learning is not stalled".to_owned()) };
    let why = stall.error_message.as_deref().unwrap_or("the model cannot be used");
    let message = format!("learning is stalled since {}: {why}", stall.stalled_at);
    attention("learning", message, "check the key and the account of the model's provider")
}

fn jobs(facts: &Facts) -> HealthCheck {
    match facts.dead_jobs {
        0 => ok("jobs", "no job was given up".to_owned()),
        dead => attention(
            "jobs",
            format!("jobs that were given up: {dead}"),
            "`reflexio jobs list --state dead` says why; `reflexio jobs retry ID` tries again",
        ),
    }
}

fn budget(facts: &Facts) -> HealthCheck {
    if facts.budget_is_spent {
        let hint = "learning goes on at midnight UTC, or when the budget is raised";
        return attention("budget", "the day's budget for models is spent".to_owned(), hint);
    }
    ok("budget", "the day's budget for models is not spent".to_owned())
}

fn review(facts: &Facts, terms: HealthTerms) -> HealthCheck {
    let (name, waiting) = ("review", facts.waiting);
    match facts.longest_waiting {
        Some(days) if days > i64::from(terms.pending_days) => attention(
            name,
            format!("agent playbooks that wait for review: {waiting}, the oldest for {days} days"),
            "`reflexio agent-playbooks list --status pending`, then approve or reject",
        ),
        Some(days) => {
            ok(name, format!("agent playbooks that wait for review: {waiting}, the oldest for {days} days"))
        }
        None => ok(name, "nothing waits for review".to_owned()),
    }
}

fn embeddings(facts: &Facts) -> HealthCheck {
    match &facts.words_only {
        None => ok("embeddings", "rows are found by meaning".to_owned()),
        Some(why) => attention(
            "embeddings",
            format!("rows are found by words only: {why}"),
            "`reflexio embeddings status` says more; `--embedder` chooses another one",
        ),
    }
}

#[cfg(test)]
mod tests {
    use reflexio_types::StallReason;

    use super::*;

    fn well() -> Facts {
        Facts { user_playbooks: 50, last_day: 5, ..Facts::default() }
    }

    /// The names of the checks that ask for attention.
    fn troubles(facts: &Facts, terms: HealthTerms) -> Vec<&'static str> {
        let found = checks(facts, terms);
        assert!(found.iter().all(|check| (check.state == HealthState::Ok) == check.hint.is_none()));
        found.iter().filter(|check| check.state == HealthState::Attention).map(|check| check.name).collect()
    }

    #[test]
    fn each_trouble_is_told_by_its_own_check() {
        let terms = HealthTerms { min_daily: Some(5), pending_days: 7 };
        let stall = Stall {
            reason: StallReason::AuthError,
            stalled_at: Timestamp(1),
            reset_estimate: None,
            error_message: Some("401".to_owned()),
            notified: false,
        };
        assert_eq!(troubles(&well(), terms), Vec::<&str>::new());
        for (facts, expected) in [
            (Facts::default(), "collection"),
            (Facts { last_day: 4, ..well() }, "collection"),
            (Facts { empty_types: vec!["tone".to_owned()], ..well() }, "types"),
            (Facts { stall: Some(stall), ..well() }, "learning"),
            (Facts { dead_jobs: 1, ..well() }, "jobs"),
            (Facts { budget_is_spent: true, ..well() }, "budget"),
            (Facts { waiting: 2, longest_waiting: Some(8), ..well() }, "review"),
            (Facts { words_only: Some("none".to_owned()), ..well() }, "embeddings"),
        ] {
            assert_eq!(troubles(&facts, terms), [expected], "{facts:?}");
        }
        let in_time = Facts { waiting: 2, longest_waiting: Some(7), last_day: 0, ..well() };
        assert_eq!(troubles(&in_time, HealthTerms::default()), Vec::<&str>::new());
    }

    #[test]
    fn many_empty_types_are_named_in_part() {
        let empty_types = (0..7).map(|n| format!("t{n}")).collect();
        let message = types(&Facts { empty_types, ..well() }).message;
        assert_eq!(message, "nothing was learned for `t0`, `t1`, `t2`, `t3`, `t4` and 2 more");
    }
}
