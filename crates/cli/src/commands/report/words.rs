use reflexio_api_types::{
    CountView, DayCountView, HealthStatus, PlaybookHealthResponse, PlaybookReviewResponse,
    VersionAnalyticsView,
};

use super::Parts;
use crate::commands::delete::counted;
use crate::commands::user_playbooks::headline;
use crate::output::{Align, Output, Table, bar, grouped, percent};

/// More types are only counted in the totals.
const MOST_ROWS: usize = 12;
/// Days of a longer time are not shown one by one.
const MOST_DAYS: usize = 31;

pub(super) fn words(out: &Output, filtered: Option<String>, parts: &Parts) -> String {
    let mut text = vec![heading(out, filtered, parts), users(out, parts), agents(out, parts)];
    text.extend(versions(out, &parts.versions.versions));
    text.push(review(out, &parts.review));
    text.push(health(out, &parts.health));
    text.join("\n\n")
}

/// `7` or `0.5`.
fn days(days: f64) -> String {
    let rounded = (days * 10.0).round() / 10.0;
    if rounded.fract() == 0.0 { format!("{rounded:.0}") } else { format!("{rounded:.1}") }
}

fn span(parts: &Parts) -> String {
    parts.playbooks.days.map_or_else(|| "all days".to_owned(), |number| format!("{} days", days(number)))
}

fn heading(out: &Output, filtered: Option<String>, parts: &Parts) -> String {
    let title = out.style().bold().apply_to(format!("PLAYBOOK REPORT - Last {}", span(parts))).to_string();
    match filtered {
        Some(filtered) => format!("{title}\nFiltered by: {filtered}"),
        None => title,
    }
}

fn title(out: &Output, text: &str) -> String {
    out.style().bold().apply_to(text).to_string()
}

fn users(out: &Output, parts: &Parts) -> String {
    let counts = &parts.playbooks.user_playbooks;
    let mut lines = vec![
        title(out, "USER PLAYBOOKS"),
        format!("  Total (all time): {}", grouped(counts.total)),
        format!("  Recent ({}): {}", span(parts), grouped(counts.recent)),
    ];
    lines.extend(counts.daily_average.map(|average| format!("  Daily average: {average:.1}")));
    lines.extend(table(out, "type", &counts.by_type));
    lines.extend(by_day(out, &counts.by_day));
    lines.join("\n")
}

fn agents(out: &Output, parts: &Parts) -> String {
    let counts = &parts.playbooks.agent_playbooks;
    let mut lines = vec![title(out, "AGENT PLAYBOOKS"), format!("  Total: {}", grouped(counts.total))];
    lines.extend(table(out, "review", &counts.by_decision));
    lines.join("\n")
}

/// Indented below its heading.
fn indented(table: &Table) -> String {
    format!("\n  {}", table.render().replace('\n', "\n  "))
}

fn table(out: &Output, name: &str, rows: &[CountView]) -> Option<String> {
    let most = rows.iter().map(|row| row.total).max()?;
    let columns = [(name, Align::Left), ("total", Align::Right), ("recent", Align::Right), ("", Align::Rest)];
    let mut table = Table::new(out, &columns);
    for row in rows.iter().take(MOST_ROWS) {
        table.row([row.key.clone(), grouped(row.total), grouped(row.recent), bar(row.total, most)]);
    }
    Some(indented(&table))
}

fn by_day(out: &Output, rows: &[DayCountView]) -> Option<String> {
    let most = rows.iter().map(|row| row.count).max().filter(|_| rows.len() <= MOST_DAYS)?;
    let mut table = Table::new(out, &[("day", Align::Left), ("new", Align::Right), ("", Align::Rest)]);
    for row in rows {
        table.row([row.day.clone(), grouped(row.count), bar(row.count, most)]);
    }
    Some(indented(&table))
}

fn versions(out: &Output, rows: &[VersionAnalyticsView]) -> Option<String> {
    if rows.is_empty() {
        return None;
    }
    let most = rows.iter().map(|row| row.playbooks).max().unwrap_or(0);
    let columns = [
        ("version", Align::Left),
        ("playbooks", Align::Right),
        ("requests", Align::Right),
        ("per request", Align::Right),
        ("published", Align::Right),
        ("taught", Align::Right),
        ("", Align::Rest),
    ];
    let mut table = Table::new(out, &columns);
    for row in rows {
        table.row([
            row.agent_version.clone(),
            grouped(row.playbooks),
            grouped(row.unique_requests),
            row.playbooks_per_request.map_or_else(String::new, |rate| format!("{rate:.2}")),
            grouped(row.published_requests),
            row.taught.share.map(percent).unwrap_or_default(),
            bar(row.playbooks, most),
        ]);
    }
    Some(format!("{}\n{}", title(out, "BY AGENT VERSION"), indented(&table).trim_start_matches('\n')))
}

fn review(out: &Output, review: &PlaybookReviewResponse) -> String {
    let new = |rows: &[CountView]| rows.iter().map(|row| row.recent).sum::<u64>();
    let mut lines = vec![
        title(out, "REVIEW"),
        format!(
            "  New: {}, {}",
            counted(new(&review.new_user_playbooks), "user playbook"),
            counted(new(&review.new_agent_playbooks), "agent playbook")
        ),
        format!("  Pending review: {}", grouped(review.waiting)),
    ];
    if !review.longest_waiting.is_empty() {
        let columns =
            [("id", Align::Right), ("waits", Align::Right), ("name", Align::Left), ("playbook", Align::Rest)];
        let mut table = Table::new(out, &columns);
        for row in &review.longest_waiting {
            table.row([
                row.playbook.agent_playbook_id.to_string(),
                counted(row.waiting_days.unsigned_abs(), "day"),
                row.playbook.playbook_name.clone(),
                headline(&row.playbook.content, row.playbook.trigger.as_deref()),
            ]);
        }
        lines.push(indented(&table));
    }
    lines.join("\n")
}

fn health(out: &Output, health: &PlaybookHealthResponse) -> String {
    let (green, yellow) = (out.style().green(), out.style().yellow());
    let mut lines = vec![title(out, "HEALTH")];
    for check in &health.checks {
        let word = match check.status {
            HealthStatus::Ok => green.apply_to("ok       ").to_string(),
            HealthStatus::Attention => yellow.apply_to("attention").to_string(),
        };
        lines.push(format!("  {word}  {}: {}", check.name, check.message));
        lines.extend(check.hint.iter().map(|hint| format!("             {hint}")));
    }
    lines.join("\n")
}
