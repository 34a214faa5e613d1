//! Measures the index: `cargo run --release -p reflexio-vectors --example scan -- 1000000`.
//!
//! The argument is a number of made-up clustered vectors, or a file of raw little-endian f32 vectors of 384
//! dimensions. Further arguments: `generous` for byte codes, `kernels` for one table per kernel, and
//! `threads=`, `scanned=`, `exact=`, `margin=` with a number.
#![expect(clippy::print_stdout, clippy::expect_used, reason = "a program that prints measurements")]

use std::time::{Duration, Instant};

use reflexio_vectors::{Filter, Hit, Index, Kernel, Labels, Memory, Options, Query, Row, Widths};

const DIMENSION: usize = 384;
const QUERIES: usize = 200;
const K: usize = 10;
const USER_ROWS: usize = 1000;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let what = arguments.first().map_or("100000", String::as_str);
    let has = |flag: &str| arguments.iter().any(|argument| argument == flag);
    let number = |name: &str| -> Option<f32> {
        arguments.iter().find_map(|argument| argument.strip_prefix(name)?.strip_prefix('=')?.parse().ok())
    };
    let threads = number("threads").map_or(1, |threads| threads as usize);
    let mut widths = Widths::default();
    widths.scanned = number("scanned").map_or(widths.scanned, |width| width as usize);
    widths.exact = number("exact").map_or(widths.exact, |width| width as usize);
    widths.margin = number("margin").unwrap_or(widths.margin);
    let vectors = match what.parse::<usize>() {
        Ok(rows) => clustered(rows + QUERIES),
        Err(_) => read(what),
    };
    let (queries, vectors) = vectors.split_at(QUERIES * DIMENSION);
    let kernels = if has("kernels") { Kernel::available() } else { vec![Kernel::best()] };
    for kernel in kernels {
        let memory = if has("generous") { Memory::Generous } else { Memory::Compact };
        let index = Index::new(Options { memory, kernel, widths, ..Options::new(DIMENSION) })
            .expect("a valid dimension");
        build(&index, vectors, threads);
        println!("kernel {kernel:?}, memory {memory:?}, threads {threads}");
        println!("| filter | rows | wall ms | CPU ms | p99 ms | fetched | recall@10 |");
        println!("|---|---|---|---|---|---|---|");
        let rows = vectors.len() / DIMENSION;
        let user = (rows / USER_ROWS / 2) as u32;
        let all = Filter::org(ALL);
        measure("unfiltered", &index, &all, queries, vectors, threads);
        measure("org of 10 %", &index, &Filter::org(TENTH), queries, vectors, threads);
        let sources = Some(vec![3]);
        measure("source of 10 %", &index, &Filter { sources, ..all.clone() }, queries, vectors, threads);
        let names = Some(vec![3]);
        measure("name of 0.1 %", &index, &Filter { names, ..all.clone() }, queries, vectors, threads);
        measure("one user", &index, &Filter::user(ALL, user), queries, vectors, threads);
        single_writes(&index, vectors);
        sidecar(&index, Options { memory, kernel, widths, ..Options::new(DIMENSION) });
    }
}

/// The org with all rows, and one with every tenth of them again.
const ALL: u32 = 1;
const TENTH: u32 = 2;

fn labels(row: usize) -> Labels {
    Labels {
        user: (row % 1_000_003 * 7919 % (row / USER_ROWS + 1)) as u32,
        version: (row % 3) as u32,
        name: (row % 1000) as u32,
        source: (row % 10) as u32,
        status: (row % 2) as u8,
        time: 1_700_000_000_000 + row as i64 * 60_000,
        tags: vec![(row % 5) as u32],
    }
}

fn vector(vectors: &[f32], row: usize) -> &[f32] {
    &vectors[row * DIMENSION..(row + 1) * DIMENSION]
}

fn build(index: &Index, vectors: &[f32], threads: usize) {
    let rows: Vec<Row<'_>> = vectors
        .chunks_exact(DIMENSION)
        .enumerate()
        .map(|(id, vector)| Row { id: id as u64, vector, labels: labels(id) })
        .collect();
    let (start, cpu) = (Instant::now(), cpu_time());
    for batch in rows.chunks(20_000) {
        index.upsert(ALL, batch, threads).expect("unit vectors");
    }
    let (wall, cpu) = (start.elapsed(), cpu_time() - cpu);
    let size = index.size();
    let megabytes = |bytes: usize| bytes as f64 / 1e6;
    println!(
        "built {} rows in {wall:.1?} (CPU {cpu:.1?}), {} parts; {:.1} MB codes + {:.1} MB columns = {:.1} bytes/row; drift {}",
        size.rows,
        size.parts,
        megabytes(size.code_bytes),
        megabytes(size.column_bytes),
        (size.code_bytes + size.column_bytes) as f64 / size.rows as f64,
        index.needs_recentring(),
    );
    let tenth: Vec<Row<'_>> = rows.into_iter().filter(|row| row.id % 10 == 0).collect();
    index.upsert(TENTH, &tenth, threads).expect("unit vectors");
}

fn measure(name: &str, index: &Index, filter: &Filter, queries: &[f32], vectors: &[f32], threads: usize) {
    let count = vectors.len() / DIMENSION;
    let admitted: Vec<usize> = (0..count)
        .filter(|row| filter.org == ALL || row % 10 == 0)
        .filter(|row| filter.admits(&labels(*row)))
        .collect();
    let queries = || queries.chunks_exact(DIMENSION);
    let (mut fetched, mut walls, mut answers) = (0, Vec::new(), Vec::new());
    let cpu_start = cpu_time();
    for vector_of_query in queries() {
        let query = Query { vector: vector_of_query, filter, k: K, threads };
        let start = Instant::now();
        let hits = index.search(&query, |ids| {
            fetched += ids.len();
            ids.iter().map(|id| vector(vectors, *id as usize).to_vec()).collect()
        });
        walls.push(start.elapsed());
        answers.push(hits.expect("a valid query"));
    }
    let cpu = cpu_time() - cpu_start;
    let exact = queries().map(|query| brute_force(query, &admitted, vectors));
    let is_found = |answer: &[Hit], hit: &Hit| answer.iter().any(|other| other.id == hit.id);
    let found: usize = exact
        .zip(&answers)
        .map(|(exact, answer)| exact.iter().filter(|hit| is_found(answer, hit)).count())
        .sum();
    walls.sort_unstable();
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    let total: Duration = walls.iter().sum();
    println!(
        "| {name} | {} | {:.3} | {:.3} | {:.3} | {:.0} | {:.4} |",
        admitted.len(),
        milliseconds(total) / QUERIES as f64,
        milliseconds(cpu) / QUERIES as f64,
        milliseconds(walls[walls.len() * 99 / 100]),
        fetched as f64 / QUERIES as f64,
        found as f64 / (QUERIES * K.min(admitted.len())) as f64,
    );
}

fn brute_force(query: &[f32], rows: &[usize], vectors: &[f32]) -> Vec<Hit> {
    let halves = rows.split_at(rows.len() / 2);
    let score = |rows: &[usize]| -> Vec<Hit> {
        let mut hits: Vec<Hit> = rows
            .iter()
            .map(|row| Hit { id: *row as u64, score: dot(query, vector(vectors, *row)) })
            .collect();
        hits.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then(b.id.cmp(&a.id)));
        hits.truncate(K);
        hits
    };
    let mut hits = std::thread::scope(|scope| {
        let other = scope.spawn(|| score(halves.1));
        let mut hits = score(halves.0);
        hits.extend(other.join().expect("no panic"));
        hits
    });
    hits.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then(b.id.cmp(&a.id)));
    hits.truncate(K);
    hits
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0f32; 16];
    for (a, b) in a.chunks_exact(16).zip(b.chunks_exact(16)) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    sums.iter().sum()
}

fn single_writes(index: &Index, vectors: &[f32]) {
    let count = vectors.len() / DIMENSION;
    let rows = 2000.min(count);
    let time = |name: &str, write: &mut dyn FnMut(usize)| {
        let mut times: Vec<Duration> = (0..rows)
            .map(|row| {
                let start = Instant::now();
                write(row);
                start.elapsed()
            })
            .collect();
        times.sort_unstable();
        let mean = times.iter().sum::<Duration>() / rows as u32;
        println!(
            "one {name}: mean {mean:.1?}, p99 {:.1?}, most {:.1?}",
            times[rows * 99 / 100],
            times[rows - 1]
        );
    };
    let row =
        |id: usize, from: usize| Row { id: id as u64, vector: vector(vectors, from), labels: labels(from) };
    time("insert", &mut |at| drop(index.upsert(ALL, &[row(count + at, at)], 1)));
    time("update", &mut |at| drop(index.upsert(ALL, &[row(at * 7 % count, at)], 1)));
    time("relabel", &mut |at| _ = index.relabel(ALL, &[((at * 11 % count) as u64, labels(at))]));
    time("delete", &mut |at| _ = index.remove(ALL, &[(at * 13 % count) as u64]));
}

fn sidecar(index: &Index, options: Options) {
    let start = Instant::now();
    let bytes = index.save(1);
    let saved = start.elapsed();
    let start = Instant::now();
    let loaded = Index::load(&bytes, options).expect("an intact sidecar").0;
    println!(
        "sidecar of {:.0} MB: saved in {saved:.1?}, loaded in {:.1?}, {} rows",
        bytes.len() as f64 / 1e6,
        start.elapsed(),
        loaded.size().rows,
    );
}

/// Unit vectors around centres that share a direction, as embeddings of one model do.
fn clustered(count: usize) -> Vec<f32> {
    let mut random = Random(7);
    let clusters = (count / 500).max(1);
    let shared: Vec<f32> = (0..DIMENSION).map(|_| random.normal() * 0.5).collect();
    let centres: Vec<Vec<f32>> =
        (0..clusters).map(|_| shared.iter().map(|value| value + random.normal()).collect()).collect();
    let mut vectors = Vec::with_capacity(count * DIMENSION);
    for _ in 0..count {
        let centre = &centres[random.next() as usize % clusters];
        let start = vectors.len();
        vectors.extend(centre.iter().map(|value| value + 0.7 * random.normal()));
        let length = dot(&vectors[start..], &vectors[start..]).sqrt();
        vectors[start..].iter_mut().for_each(|value| *value /= length);
    }
    vectors
}

fn read(path: &str) -> Vec<f32> {
    let bytes = std::fs::read(path).expect("a readable file of vectors");
    bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
}

/// Processor time of this process, all threads together.
fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.cast_unsigned(), time.tv_nsec as u32)
}

/// A small generator, seeded, so that every run measures the same.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Nearly normal: a sum of uniform numbers.
    fn normal(&mut self) -> f32 {
        let (a, b) = (self.next(), self.next());
        let uniform = |bits: u64| (bits & 0xffff) as f32 / 65536.0;
        (0..4).map(|i| uniform(a >> (16 * i)) + uniform(b >> (16 * i))).sum::<f32>() * 1.2247 - 4.899
    }
}
