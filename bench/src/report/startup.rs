use super::format::{bytes, number};
use super::table::Table;
use super::targets::memory;
use crate::latency::Spread;
use crate::startup::Results;

pub(super) fn markdown(results: &Results) -> String {
    let mut table = Table::new(["start, ms", "least", "median", "greatest", "median ÷ floor"]);
    let floor = results.floor.median;
    table.row(spread_cells("floor: `reflexio version`, whole run", results.floor, floor));
    table.row(spread_cells("first answer, new folder", results.first, floor));
    table.row(spread_cells("first answer, empty store from before", results.again, floor));
    format!(
        "### Starting\n\n{} starts each. Memory at rest: {}. Program: {}.\n\n{}",
        results.starts,
        memory(results.idle),
        bytes(results.program_bytes),
        table.markdown()
    )
}

fn spread_cells(what: &str, spread: Spread, floor: f64) -> [String; 5] {
    [
        what.to_owned(),
        number(spread.least),
        number(spread.median),
        number(spread.greatest),
        number(spread.median / floor),
    ]
}
