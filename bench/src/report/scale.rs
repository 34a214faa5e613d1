use super::format::{bytes, count, number, percent, short};
use super::plot::plot;
use super::publish::latency;
use super::table::Table;
use super::targets::memory;
use crate::load::Outcome;
use crate::scale::{Crowd, Hits, OneUser, Restart, Results, Step};

pub(super) fn markdown(results: &Results) -> String {
    let mut parts = vec![format!(
        "### Growth\n\n{} users with equally many interactions each, {} user playbooks, one connection.",
        count(results.users),
        count(results.playbooks)
    )];
    if !results.skipped.is_empty() {
        let sizes: Vec<String> = results.skipped.iter().map(|size| count(*size)).collect();
        parts.push(format!("**No time was left for {} interactions.**", sizes.join(", ")));
    }
    if !results.steps.is_empty() {
        parts.push(reads(&results.steps));
        parts.push(curve("search_interactions", &results.steps, |step| &step.search));
        parts.push(curve("get_user_playbooks(limit=1000)", &results.steps, |step| &step.playbooks));
        parts.extend(growth(&results.steps));
        parts.push(sizes(&results.steps));
    }
    parts.extend(results.crowd.as_ref().map(crowd));
    parts.extend(results.restart.as_ref().map(restart));
    parts.push(one_user(&results.one_user));
    parts.join("\n\n")
}

fn reads(steps: &[Step]) -> String {
    let mut table = Table::new([
        "interactions",
        "search p50 ms",
        "p90",
        "p99",
        "max",
        "÷ HTTP floor",
        "playbooks p50 ms",
        "p90",
        "p99",
        "max",
        "÷ HTTP floor",
        "HTTP floor p50 ms",
    ]);
    for step in steps {
        let (search, list, floor) = (&step.search.latency, &step.playbooks.latency, step.http.latency.p50());
        table.row([
            count(step.rows),
            number(search.p50()),
            number(search.ms(0.90)),
            number(search.p99()),
            number(search.max()),
            number(search.p50() / floor),
            number(list.p50()),
            number(list.ms(0.90)),
            number(list.p99()),
            number(list.max()),
            number(list.p50() / floor),
            number(floor),
        ]);
    }
    table.markdown()
}

fn curve(name: &str, steps: &[Step], read: fn(&Step) -> &Outcome) -> String {
    let places: Vec<String> = steps.iter().map(|step| short(step.rows)).collect();
    let values = |share: f64| steps.iter().map(|step| read(step).latency.ms(share)).collect();
    let title = format!("{name}, ms by interactions: o = p50, x = p99 (both scales logarithmic)");
    format!("```text\n{}\n```", plot(&title, &places, &[('o', values(0.50)), ('x', values(0.99))]))
}

/// How much slower it got for how many more rows.
fn growth(steps: &[Step]) -> Option<String> {
    let (first, last) = (steps.first()?, steps.last()?);
    let times = |read: fn(&Step) -> &Outcome| number(read(last).latency.p50() / read(first).latency.p50());
    Some(format!(
        "From {} to {} interactions (× {}): search p50 × {}, playbooks p50 × {}.",
        count(first.rows),
        count(last.rows),
        number(last.rows as f64 / first.rows.max(1) as f64),
        times(|step| &step.search),
        times(|step| &step.playbooks)
    ))
}

fn sizes(steps: &[Step]) -> String {
    let mut table = Table::new([
        "interactions",
        "filled at rows/s",
        "turns per request",
        "on disk",
        "bytes per row",
        "server memory",
        "rows per search",
        "empty searches",
        "listing size",
    ]);
    for step in steps {
        let listed = step.playbooks.answered_bytes / step.playbooks.latency.count().max(1);
        table.row([
            count(step.rows),
            number(step.filled.rows_per_second()),
            count(step.filled.turns_per_request),
            bytes(step.stored_bytes),
            count(step.stored_bytes / step.rows.max(1)),
            bytes(step.memory.resident),
            number(step.hits.mean),
            percent(step.hits.empty),
            bytes(listed),
        ]);
    }
    table.markdown()
}

fn crowd(crowd: &Crowd) -> String {
    let mut table =
        Table::new(["load", "connections", "requests/s", "p50 ms", "p99 ms", "server CPU µs per request"]);
    for (load, outcome) in [("search_interactions", &crowd.search), ("get_user_playbooks", &crowd.playbooks)]
    {
        table.row([
            load.to_owned(),
            crowd.connections.to_string(),
            number(outcome.per_second()),
            number(outcome.latency.p50()),
            number(outcome.latency.p99()),
            number(outcome.server_micros()),
        ]);
    }
    format!("Many at once, at the largest size:\n\n{}", table.markdown())
}

fn restart(restart: &Restart) -> String {
    format!(
        "Starting on {} interactions, files in the system's cache: first answer after {} ms (least {}, greatest {}); \
         after a crash {} ms; a clean stop took {} ms. Memory at rest: {}.",
        count(restart.rows),
        number(restart.start.median),
        number(restart.start.least),
        number(restart.start.greatest),
        number(restart.after_crash),
        number(restart.stop),
        memory(restart.idle)
    )
}

fn one_user(one_user: &OneUser) -> String {
    let Hits { mean, empty } = one_user.hits;
    format!(
        "One user owns all {} interactions: search {}; {} rows per answer, {} empty.",
        count(one_user.rows),
        latency(&one_user.search.latency),
        number(mean),
        percent(empty)
    )
}
