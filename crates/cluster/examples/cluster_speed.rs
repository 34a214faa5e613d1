//! How long clustering takes, and how long one item more: `cargo run --release -p reflexio-cluster --example cluster_speed -- 20000 100000`.
//!
//! Items are made up: topics with a middle of their own, items around them, and one item in five about nothing; texts repeat
//! words of their topic. 384 dimensions.

#![expect(clippy::print_stdout, reason = "it prints what it measures")]

use std::time::Instant;

use reflexio_cluster::{Clusters, Item, Options};

const DIMENSIONS: usize = 384;
const ITEMS_PER_TOPIC: usize = 40;

fn main() {
    let sizes: Vec<usize> = std::env::args().skip(1).filter_map(|size| size.parse().ok()).collect();
    for size in if sizes.is_empty() { vec![5_000, 20_000, 100_000] } else { sizes } {
        measure(size);
    }
}

fn measure(size: usize) {
    let mut random = Random(7);
    let made: Vec<(String, Vec<f32>)> = (0..size).map(|_| item(&mut random, size)).collect();
    let items: Vec<Item<'_>> =
        made.iter().map(|(text, vector)| Item { text, vector, ..Item::default() }).collect();
    let mut clusters = Clusters::new(Options::default());
    let start = Instant::now();
    let Ok(found) = clusters.refresh(&items, &vec![None; size]) else { return };
    let took = start.elapsed();
    let noise = found.assignments.iter().filter(|it| it.is_none()).count();
    let (text, vector) = item(&mut random, size);
    let start = Instant::now();
    let one_more = clusters.join(&Item { text: &text, vector: &vector, ..Item::default() });
    let joined = start.elapsed();
    println!(
        "{size} items: {:.2} s, {} clusters, {noise} noise, peak memory {} MB; one more: {:.2} ms ({})",
        took.as_secs_f64(),
        found.ids.len(),
        peak_memory_mb(),
        joined.as_secs_f64() * 1e3,
        if matches!(one_more, Ok(Some(_))) { "joins" } else { "waits" },
    );
}

fn item(random: &mut Random, size: usize) -> (String, Vec<f32>) {
    let topics = (size / ITEMS_PER_TOPIC).max(1) as u64;
    let topic = random.next() % topics;
    let about_nothing = random.next().is_multiple_of(5);
    let mut own = Random(if about_nothing { random.next() } else { topic.wrapping_mul(0x9e37_79b9) + 1 });
    let words: Vec<String> = (0..6).map(|_| format!("w{}", own.next() % 5_000)).collect();
    let mut vector: Vec<f32> = (0..DIMENSIONS).map(|_| own.normal() + 0.6 * random.normal() + 0.3).collect();
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    vector.iter_mut().for_each(|value| *value /= length);
    (format!("{} x{}", words.join(" "), random.next() % 1_000), vector)
}

fn peak_memory_mb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok()).unwrap_or(0) / 1000
}

/// SplitMix64: the same numbers on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn uniform(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u64 << 24) as f32
    }

    /// About normal: the sum of four uniform numbers.
    fn normal(&mut self) -> f32 {
        (0..4).map(|_| self.uniform()).sum::<f32>() - 2.0
    }
}
