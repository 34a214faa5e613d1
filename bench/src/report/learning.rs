use super::format::{bytes, count, number};
use super::table::Table;
use crate::learning::{Memory, Results};

/// Shown of all looks at the memory.
const MOST_LOOKS: usize = 10;

pub(super) fn markdown(results: &Results) -> String {
    let Results { cost, builtin, asked, .. } = results;
    let parts = [
        "### Learning".to_owned(),
        format!(
            "A publish of 3 turns: {} model call(s), {} characters of prompt, {} characters sent in all, {} rows learned.",
            cost.calls,
            count(cost.prompt as u64),
            count(cost.characters as u64),
            cost.rows
        ),
        format!(
            "Built-in learner, one thread: {} windows of {} turns and {} words in {} s of CPU time, {} items.",
            count(builtin.windows as u64),
            builtin.turns,
            builtin.words,
            number(builtin.processor.as_secs_f64()),
            count(builtin.items as u64)
        ),
        queue(results),
        format!(
            "A model that answers after {} ms, {} slots: {} windows in {} s, {} a second, {} calls; the server used {} s of CPU time.",
            asked.thinking.as_millis(),
            asked.slots,
            count(asked.windows),
            number(asked.wall.as_secs_f64()),
            number(asked.per_second()),
            count(asked.calls as u64),
            number(asked.processor.as_secs_f64())
        ),
        memory(&results.memory),
    ];
    parts.join("\n\n")
}

fn queue(results: &Results) -> String {
    let mut table = Table::new(["queue", "jobs/s", "CPU µs per job"]);
    for way in &results.queue {
        table.row([way.name.clone(), number(way.per_second()), number(way.microseconds())]);
    }
    table.markdown()
}

fn memory(memory: &Memory) -> String {
    let mut table = Table::new(["windows learned again", "memory"]);
    let step = memory.looks.len().div_ceil(MOST_LOOKS).max(1);
    let last = memory.looks.len().saturating_sub(1);
    for (at, look) in memory.looks.iter().enumerate() {
        if at % step == 0 || at == last {
            table.row([count(look.windows), bytes(look.resident)]);
        }
    }
    format!(
        "Memory while the same turns are learned from again and again, without a model: {} windows in {} s, {} s of CPU time.\n\n{}",
        count(memory.windows()),
        number(memory.wall.as_secs_f64()),
        number(memory.processor.as_secs_f64()),
        table.markdown()
    )
}
