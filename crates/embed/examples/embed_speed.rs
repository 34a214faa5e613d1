//! Sentences per CPU second, queries, start: `cargo run --release -p reflexio-embed --example embed_speed [threads]`.
//!
//! Looks for the model files in `REFLEXIO_MODEL_DIR` or `target/models`.
#![expect(clippy::print_stdout, reason = "it reports to a person")]

use std::path::PathBuf;
use std::time::{Duration, Instant};
use std::{env, fs};

use reflexio_embed::{Isa, MiniLm, Precision};

const WORDS: [&str; 24] = [
    "order", "money", "the", "customer", "asked", "about", "a", "late", "delivery", "and", "our", "agent",
    "said", "that", "it", "was", "sent", "on", "monday", "by", "mail", "to", "their", "office",
];

fn main() -> reflexio_embed::Result<()> {
    let threads = env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(1);
    let folder =
        env::var_os("REFLEXIO_MODEL_DIR").map_or_else(|| PathBuf::from("target/models"), PathBuf::from);
    for precision in [Precision::Int8, Precision::F32] {
        let started = Instant::now();
        let model = MiniLm::open(&folder.join(MiniLm::file_name(precision)))?.with_threads(threads);
        println!("{} opened in {:.0} ms", precision.name(), milliseconds(started.elapsed()));
        for isa in Isa::all() {
            if isa == Isa::PORTABLE && env::var_os("PORTABLE").is_none() {
                println!("  portable: skipped, set PORTABLE=1 to see it");
                continue;
            }
            measure(&model.clone().with_isa(isa));
        }
    }
    Ok(())
}

fn measure(model: &MiniLm) {
    let name = model.isa().name();
    for tokens in [30, 200] {
        let texts: Vec<String> = (0..64).map(|seed| text(tokens, seed)).collect();
        assert_eq!(model.count_tokens(&texts[0]), tokens);
        model.encode(&texts[..8]);
        let (wall, cpu, rounds) = (Instant::now(), cpu_time(), 2 + 400 / tokens);
        for _ in 0..rounds {
            model.encode(&texts);
        }
        let count = (rounds * texts.len()) as f64;
        let cpu = cpu_time().saturating_sub(cpu).as_secs_f64();
        println!(
            "  {name}: {tokens} tokens: {:.0} texts per CPU second, {:.0} per second",
            count / cpu,
            count / wall.elapsed().as_secs_f64()
        );
    }
    let mut times: Vec<Duration> = (0..200)
        .map(|seed| {
            let text = [text(10, seed)];
            let started = Instant::now();
            model.encode(&text);
            started.elapsed()
        })
        .collect();
    times.sort_unstable();
    let [median, late] = [100, 198].map(|place| milliseconds(times[place]));
    println!("  {name}: query of 10 tokens: p50 {median:.2} ms, p99 {late:.2} ms");
}

/// A text of exactly `tokens` tokens, marks included.
fn text(tokens: usize, seed: usize) -> String {
    let words: Vec<&str> =
        (0..tokens - 2).map(|place| WORDS[(seed * 7 + place * (1 + seed % 5)) % WORDS.len()]).collect();
    words.join(" ")
}

/// User time of this process, in whole ticks; the wall clock where there is no `/proc`.
fn cpu_time() -> Duration {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let ticks = stat.rsplit(") ").next().and_then(|rest| rest.split(' ').nth(11)?.parse::<u64>().ok());
    ticks.map_or(Duration::ZERO, |ticks| Duration::from_millis(ticks * 10))
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}
