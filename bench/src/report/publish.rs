use super::format::{bytes, count, number, percent};
use super::table::Table;
use super::targets::memory;
use crate::latency::Latency;
use crate::load::Outcome;
use crate::publish::{Results, Round};

pub(super) fn markdown(results: &Results) -> String {
    let plan = &results.plan;
    let intro = format!(
        "### Publishing\n\n{} connections, {} turns per request, {} per body on average, {} different bodies. \
         Server memory after the last round: {}.",
        plan.connections,
        plan.turns,
        bytes(results.body_bytes as u64),
        count(plan.bodies),
        memory(results.memory),
    );
    let latency = format!("Latency of all rounds together: {}.", latency(&results.latency));
    [intro, rates(&results.rounds), latency, commits(&results.rounds), costs(&results.rounds)].join("\n\n")
}

/// `p50 1.2, p90 …` in milliseconds.
pub(super) fn latency(latency: &Latency) -> String {
    format!(
        "p50 {}, p90 {}, p99 {}, max {}, mean {} ms over {} requests",
        number(latency.p50()),
        number(latency.ms(0.90)),
        number(latency.p99()),
        number(latency.max()),
        number(latency.mean()),
        count(latency.count()),
    )
}

fn rates(rounds: &[Round]) -> String {
    let mut table = Table::new([
        "round",
        "publish/s",
        "p50 ms",
        "p99 ms",
        "HTTP ceiling/s",
        "publish ÷ HTTP",
        "fdatasync/s",
        "publish ÷ fdatasync",
        "grouped ceiling/s",
        "publish ÷ grouped",
    ]);
    for (number, round) in rounds.iter().enumerate() {
        table.row(rate_cells(number + 1, round));
    }
    table.markdown()
}

fn rate_cells(place: usize, round: &Round) -> [String; 10] {
    let (rate, http, syncs) = (round.publish.per_second(), round.http.per_second(), round.syncs.per_second());
    let grouped = round.grouped_syncs.as_ref().map_or(f64::NAN, |grouped| grouped.requests_per_second());
    [
        place.to_string(),
        number(rate),
        number(round.publish.latency.p50()),
        number(round.publish.latency.p99()),
        number(http),
        number(rate / http),
        number(syncs),
        number(rate / syncs),
        number(grouped),
        number(rate / grouped),
    ]
}

fn commits(rounds: &[Round]) -> String {
    let mut table = Table::new([
        "round",
        "commits",
        "requests per commit",
        "ms per commit",
        "busy committing",
        "one fdatasync, p50 ms",
    ]);
    for (place, round) in rounds.iter().enumerate() {
        let sync = number(round.syncs.latency.p50());
        let place = (place + 1).to_string();
        table.row(match round.commits {
            None => [place, "–".to_owned(), "–".to_owned(), "–".to_owned(), "–".to_owned(), sync],
            Some(commits) => [
                place,
                count(commits.commits as u64),
                number(commits.mean_batch()),
                number(commits.mean_commit_ms()),
                percent(commits.seconds / round.publish.elapsed.as_secs_f64()),
                sync,
            ],
        });
    }
    table.markdown()
}

fn costs(rounds: &[Round]) -> String {
    let mut table = Table::new([
        "load",
        "round",
        "seconds",
        "server CPU s",
        "client CPU s",
        "client busy",
        "server CPU µs per request",
    ]);
    for (place, round) in rounds.iter().enumerate() {
        table.row(cost_cells("GET /health/live", place + 1, &round.http));
        table.row(cost_cells("publish", place + 1, &round.publish));
    }
    table.markdown()
}

fn cost_cells(load: &str, place: usize, outcome: &Outcome) -> [String; 7] {
    let seconds = outcome.elapsed.as_secs_f64();
    [
        load.to_owned(),
        place.to_string(),
        number(seconds),
        number(outcome.server_cpu.as_secs_f64()),
        number(outcome.client_cpu.as_secs_f64()),
        percent(outcome.client_cpu.as_secs_f64() / seconds),
        number(outcome.server_micros()),
    ]
}
