mod costs;
mod vectors;

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use reflexio_store::IntegrityReport;
use reflexio_types::{AgentPlaybook, Interaction, OrgId, Profile, UserId, UserPlaybook};
use rusqlite::{Connection, Row};

use crate::error::Result;
use crate::fts::{Entry, Searchable};

/// More faults of one kind are only counted.
const MOST_LISTED: usize = 100;

const TABLES: [&str; 34] = [
    "api_keys",
    "requests",
    "interactions",
    "images",
    "profiles",
    "user_playbooks",
    "agent_playbooks",
    "agent_playbook_revisions",
    "configs",
    "stalls",
    "operations",
    "jobs",
    "lineage_events",
    "learning_cursors",
    "cost_days",
    "model_calls",
    "saved_answers",
    "clusterings",
    "session_outcomes",
    "evaluations",
    "learning_evaluations",
    "shadow_comparisons",
    "optimizations",
    "optimization_windows",
    "optimization_candidates",
    "optimization_trials",
    "optimization_events",
    "runs",
    "run_changes",
    "agent_versions",
    "injections",
    "injected_rules",
    "playbook_runs",
    "playbook_journal",
];

/// Reads everything: the file itself, the references between tables, and each row against its index entry and
/// its vector.
pub(crate) fn check(sql: &Connection) -> Result<IntegrityReport> {
    let mut report = IntegrityReport::default();
    check_file(sql, &mut report)?;
    for table in TABLES {
        let count: i64 = sql.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0))?;
        report.checked.push((table.to_owned(), count.unsigned_abs()));
    }
    check_references(sql, &mut report)?;
    check_index::<Interaction>(sql, "interaction", &mut report, |row| Some(row.user_id.clone()))?;
    check_index::<Profile>(sql, "profile", &mut report, |row| Some(row.user_id.clone()))?;
    check_index::<UserPlaybook>(sql, "user playbook", &mut report, |row| row.user_id.clone())?;
    check_index::<AgentPlaybook>(sql, "agent playbook", &mut report, |_| None)?;
    Ok(report)
}

fn check_file(sql: &Connection, report: &mut IntegrityReport) -> Result<()> {
    let found = sentences(sql, &format!("PRAGMA integrity_check({MOST_LISTED})"), |row| row.get(0))?;
    report
        .problems
        .extend(found.into_iter().filter(|line| line != "ok").map(|line| format!("the file: {line}")));
    Ok(())
}

fn check_references(sql: &Connection, report: &mut IntegrityReport) -> Result<()> {
    let queries = [
        "SELECT 'interaction ' || t.id || ' belongs to a request that is not there' FROM interactions t
         WHERE NOT EXISTS (SELECT 1 FROM requests r WHERE r.key = t.request_key)",
        "SELECT 'interaction ' || t.id || ' and its request `' || r.id || '` name different orgs or users'
         FROM interactions t JOIN requests r ON r.key = t.request_key
         WHERE r.org_id <> t.org_id OR r.user_id <> t.user_id",
        "SELECT 'interaction ' || t.id || ' shows image `' || t.image_id || '`, which is not there'
         FROM interactions t WHERE t.image_id IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM images i WHERE i.org_id = t.org_id AND i.id = t.image_id)",
        "SELECT 'image `' || i.id || '` is shown by no interaction' FROM images i
         WHERE NOT EXISTS (SELECT 1 FROM interactions t WHERE t.org_id = i.org_id AND t.image_id = i.id)",
        "SELECT 'the outcome of session `' || t.session_id || '` has no request' FROM session_outcomes t
         WHERE NOT EXISTS (SELECT 1 FROM requests r
             WHERE r.org_id = t.org_id AND r.session_id = t.session_id AND r.user_id = t.user_id)",
        "SELECT 'evaluation ' || t.id || ' judges a turn that is not there' FROM evaluations t
         WHERE NOT EXISTS (SELECT 1 FROM interactions i
             WHERE i.id = t.covered AND i.org_id = t.org_id AND i.user_id = t.user_id)",
        "SELECT 'the evaluation ' || t.id || ' of a learning is of a session that is not there'
         FROM learning_evaluations t WHERE NOT EXISTS (SELECT 1 FROM requests r
             WHERE r.org_id = t.org_id AND r.session_id = t.session_id AND r.user_id = t.user_id)",
        "SELECT 'shadow comparison ' || c.id || ' does not agree with its interaction ' || c.interaction_id
         FROM shadow_comparisons c LEFT JOIN interactions t ON t.id = c.interaction_id
         LEFT JOIN requests r ON r.key = t.request_key
         WHERE (c.org_id, c.user_id, c.request_id, c.session_id, c.agent_version)
            IS NOT (t.org_id, t.user_id, r.id, r.session_id, r.agent_version)",
        "SELECT 'rule ' || r.rule_id || ' belongs to injection ' || r.injection || ', which is not there'
         FROM injected_rules r
         WHERE NOT EXISTS (SELECT 1 FROM injections i WHERE i.id = r.injection AND i.org_id = r.org_id)",
        "SELECT 'job ' || t.id || ' waits behind nobody' FROM jobs t WHERE t.place = 'behind'
         AND NOT EXISTS (SELECT 1 FROM jobs f WHERE f.org_id = t.org_id AND f.lane = t.lane AND f.place <> 'behind')",
        "SELECT 'job ' || t.id || ' is overtaken by job ' || f.id FROM jobs t
         JOIN jobs f ON f.org_id = t.org_id AND f.lane = t.lane AND f.place <> 'behind'
         WHERE t.place = 'behind' AND f.place <> 'running' AND t.id < f.id",
        "SELECT 'job ' || t.id || ' is ' || t.state || ' and ' || ifnull(t.place, 'nowhere') FROM jobs t
         WHERE CASE t.state WHEN 'queued' THEN 'queued' WHEN 'running' THEN 'running' ELSE 'over' END
            <> CASE ifnull(t.place, 'over') WHEN 'running' THEN 'running' WHEN 'over' THEN 'over' ELSE 'queued' END",
    ];
    for query in queries.into_iter().chain(costs::QUERIES) {
        report.problems.extend(sentences(sql, &format!("{query} LIMIT {MOST_LISTED}"), |row| row.get(0))?);
    }
    Ok(())
}

fn sentences(
    sql: &Connection,
    query: &str,
    read: fn(&Row<'_>) -> rusqlite::Result<String>,
) -> Result<Vec<String>> {
    let mut statement = sql.prepare(query)?;
    let rows = statement.query_map([], read)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Compares what the indexes hold of each row with what they should hold.
fn check_index<R: Searchable>(
    sql: &Connection,
    name: &str,
    report: &mut IntegrityReport,
    user: fn(&R) -> Option<UserId>,
) -> Result<()> {
    let mut indexed = indexed::<R>(sql)?;
    let mut problems = Vec::new();
    let mut with_text = Vec::new();
    let text = format!("SELECT {}, {}, t.org_id FROM {}", R::COLUMNS, R::KEY, R::FROM);
    let mut statement = sql.prepare(&text)?;
    let last = statement.column_count();
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let key: i64 = row.get(last - 2)?;
        let record = match R::from_row(row) {
            Ok(record) => record,
            Err(error) => {
                indexed.remove(&key);
                problems.push(format!("{name} {key} cannot be read: {error}"));
                continue;
            }
        };
        let org = OrgId::new(row.get::<_, String>(last - 1)?);
        let expected = Entry::new(&org, user(&record).as_ref(), &record.text());
        if !expected.is_empty() {
            with_text.push(key);
        }
        match indexed.remove(&key) {
            None => problems.push(format!("{name} {key} has no index entry, so no search finds it")),
            Some(found) if found != digest(&expected) => {
                problems.push(format!("the index entry of {name} {key} does not hold its text"));
            }
            Some(_) => {}
        }
    }
    let orphans = orphans::<R>(sql, indexed.into_keys().collect())?;
    problems.extend(orphans.iter().map(|key| format!("index entry {key} belongs to no {name}")));
    list(report, &format!("the index of {name}s"), problems);
    list(report, &format!("the vectors of {name}s"), vectors::problems(sql, R::INDEX, name, &with_text)?);
    Ok(())
}

/// A row that lacks its request was not seen above, but it is there.
fn orphans<R: Searchable>(sql: &Connection, mut keys: Vec<i64>) -> Result<Vec<i64>> {
    let text = format!("SELECT EXISTS (SELECT 1 FROM {} t WHERE {} = ?)", R::TABLE, R::KEY);
    let mut statement = sql.prepare(&text)?;
    let mut orphans = Vec::new();
    keys.sort_unstable();
    for key in keys {
        if !statement.query_row([key], |row| row.get::<_, bool>(0))? {
            orphans.push(key);
        }
    }
    Ok(orphans)
}

fn list(report: &mut IntegrityReport, place: &str, mut problems: Vec<String>) {
    let more = problems.len().saturating_sub(MOST_LISTED);
    problems.truncate(MOST_LISTED);
    report.problems.extend(problems);
    if more > 0 {
        report.problems.push(format!("{more} more faults in {place}"));
    }
}

/// A digest per document, summed over its tokens, because the index lists them by term.
fn indexed<R: Searchable>(sql: &Connection) -> Result<HashMap<i64, u64>> {
    let mut digests: HashMap<i64, u64> = HashMap::new();
    let text = format!("SELECT doc, col, offset, term FROM {}", R::INDEX.tokens());
    let mut statement = sql.prepare(&text)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let column = usize::from(row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)? == "body");
        let term = row.get_ref(3)?.as_str().map_err(rusqlite::Error::from)?;
        let digest = digests.entry(row.get(0)?).or_default();
        *digest = digest.wrapping_add(token_digest(column, row.get::<_, i64>(2)?, term));
    }
    Ok(digests)
}

fn digest(entry: &Entry) -> u64 {
    entry.tokens().fold(0, |sum, (column, at, term)| sum.wrapping_add(token_digest(column, at as i64, term)))
}

fn token_digest(column: usize, at: i64, term: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (column, at, term).hash(&mut hasher);
    hasher.finish()
}
