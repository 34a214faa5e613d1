use super::Report;
use super::format::{bytes, count, megabytes, number};
use super::table::Table;
use crate::latency::Spread;
use crate::{learning, publish, scale, startup};

/// What was wished for. Missing it is reported and nothing else.
enum Goal {
    AtLeast(f64),
    Below(f64),
}

struct Target {
    what: String,
    goal: Goal,
    unit: &'static str,
    measured: f64,
}

/// Every target that this run has a number for.
pub(super) fn table(report: &Report) -> String {
    let mut table = Table::new(["what", "target", "measured", "measured ÷ target", "met"]);
    let targets = report.publish.iter().flat_map(of_publish);
    let targets = targets.chain(report.startup.iter().flat_map(of_startup));
    let targets = targets.chain(report.scale.iter().flat_map(of_scale));
    for target in targets.chain(report.learning.iter().flat_map(of_learning)) {
        table.row(target.cells());
    }
    table.markdown()
}

impl Target {
    fn cells(&self) -> [String; 5] {
        let (sign, wished, met) = match self.goal {
            Goal::AtLeast(wished) => ("≥", wished, self.measured >= wished),
            Goal::Below(wished) => ("<", wished, self.measured < wished),
        };
        [
            self.what.clone(),
            format!("{sign} {} {}", plain(wished), self.unit),
            format!("{} {}", number(self.measured), self.unit),
            number(self.measured / wished),
            if met { "yes" } else { "no" }.to_owned(),
        ]
    }
}

/// Targets are whole numbers.
fn plain(value: f64) -> String {
    count(value.round() as u64)
}

fn of_publish(results: &publish::Results) -> Vec<Target> {
    let what =
        format!("durable publish of {} turns, {} connections", results.plan.turns, results.plan.connections);
    let rate =
        Spread::of(results.rounds.iter().map(|round| round.publish.per_second())).map(|rate| rate.median);
    vec![
        Target {
            what: what.clone(),
            goal: Goal::AtLeast(3_000.0),
            unit: "requests/s",
            measured: rate.unwrap_or(0.0),
        },
        Target {
            what: format!("{what}, p99"),
            goal: Goal::Below(50.0),
            unit: "ms",
            measured: results.latency.p99(),
        },
    ]
}

fn of_startup(results: &startup::Results) -> Vec<Target> {
    let below = |what: &str, wished, unit, measured| Target {
        what: what.to_owned(),
        goal: Goal::Below(wished),
        unit,
        measured,
    };
    vec![
        below("start to first answer, empty store", 150.0, "ms", results.first.median),
        below("memory at rest, empty store", 40.0, "MB", megabytes(results.idle.resident)),
        below("size of the program", 60.0, "MB", megabytes(results.program_bytes)),
    ]
}

fn of_scale(results: &scale::Results) -> Vec<Target> {
    let below = |what: &str, rows, wished, measured| Target {
        what: format!("{what}, {} interactions", count(rows)),
        goal: Goal::Below(wished),
        unit: "ms",
        measured,
    };
    let restart = results.restart.as_ref();
    let restart = restart.map(|seen| below("start to first answer", seen.rows, 1_000.0, seen.start.median));
    let mut targets: Vec<Target> = restart.into_iter().collect();
    if let Some(last) = results.steps.last() {
        let (listed, found) = (last.playbooks.latency.p50(), last.search.latency.p50());
        targets.push(below("get_user_playbooks(limit=1000) p50", last.rows, 10.0, listed));
        targets.push(below("search_interactions p50", last.rows, 10.0, found));
    }
    targets
}

fn of_learning(results: &learning::Results) -> Vec<Target> {
    let target = |what: &str, goal, unit, measured| Target { what: what.to_owned(), goal, unit, measured };
    let (cost, asked) = (&results.cost, &results.asked);
    let ideal = asked.slots as f64 / asked.thinking.as_secs_f64();
    let queue = results.queue.iter().map(crate::jobs::Result::per_second).fold(f64::INFINITY, f64::min);
    vec![
        target("model calls for a publish of 3 turns", Goal::Below(2.0), "calls", cost.calls as f64),
        target("characters sent for it", Goal::Below(9_000.0), "characters", cost.characters as f64),
        target("built-in learner", Goal::AtLeast(2_000.0), "windows/s of CPU", results.builtin.per_second()),
        target("queue, claim to done", Goal::AtLeast(5_000.0), "jobs/s", queue),
        target("slow model, all slots", Goal::AtLeast(0.95 * ideal), "windows/s", asked.per_second()),
        target(
            "growth of memory after the first fifth",
            Goal::Below(5.0),
            "%",
            100.0 * results.memory.growth(),
        ),
    ]
}

/// `12.3 MB (most ever 15.0 MB)`
pub(super) fn memory(memory: crate::process::Memory) -> String {
    format!("{} (most ever {})", bytes(memory.resident), bytes(memory.peak))
}
