//! Measures the index: `cargo run --release -p reflexio-postings --example postings_speed -- 1000000`.
//!
//! The rows are made up: about 25 words each, by Zipf's law, of a vocabulary of 100,000 or as many as the second
//! argument says. Queries take words of rows, so that common words are
//! asked for as often as they are said; the fifty most common ones are left out as stop words are, except in the
//! class that says so.
#![expect(clippy::print_stdout, clippy::expect_used, reason = "a program that prints measurements")]

use std::time::{Duration, Instant};

use reflexio_postings::{Index, Query, Row};
use reflexio_search::TextQuery;
use reflexio_vectors::{Filter, Labels};

const STOP_WORDS: usize = 50;
const USER_ROWS: usize = 1000;
const QUERIES: usize = 400;
const K: usize = 10;

/// The org with all rows, and one where one user owns them all.
const ALL: u32 = 1;
const OWNED: u32 = 2;

fn main() {
    let rows = std::env::args().nth(1).and_then(|rows| rows.parse().ok()).unwrap_or(100_000);
    let vocabulary = std::env::args().nth(2).and_then(|words| words.parse().ok()).unwrap_or(100_000);
    let texts = Texts::new(rows, vocabulary);
    let index = Index::new();
    build(&index, &texts, ALL);
    searches(&index, &texts, ALL);
    writes(&index, &texts);
    sidecar(&index);
    index.remove_org(ALL);
    trickle(&texts);
    build(&index, &texts, OWNED);
    println!("| class | wall p50 ms | p99 | CPU p50 ms | p99 | hits |");
    println!("|---|---|---|---|---|---|");
    measure("a user with all rows", &index, &Filter::user(OWNED, 7), &texts.queries(3..9, STOP_WORDS, " "));
}

fn build(index: &Index, texts: &Texts, org: u32) {
    let clock = Clock::start();
    for batch in (0..texts.rows.len()).collect::<Vec<_>>().chunks(20_000) {
        let rows: Vec<Row<'_>> = batch.iter().map(|row| texts.row(*row, org)).collect();
        index.apply(org, &rows, &[]);
    }
    let (wall, cpu) = clock.stop();
    let size = index.size();
    let per_row = |bytes: usize| bytes as f64 / size.rows as f64;
    println!(
        "built {} rows of {:.1} terms in {wall:.1?} (CPU {cpu:.1?}): {:.0} rows per CPU second, {} parts",
        size.rows,
        texts.terms as f64 / size.rows as f64,
        size.rows as f64 / cpu.as_secs_f64(),
        size.parts,
    );
    println!(
        "{:.1} MB a million rows: {:.1} lists + {:.1} dictionary + {:.1} columns bytes/row\n",
        per_row(size.bytes()),
        per_row(size.posting_bytes),
        per_row(size.dictionary_bytes),
        per_row(size.column_bytes),
    );
}

fn searches(index: &Index, texts: &Texts, org: u32) {
    println!("| class | wall p50 ms | p99 | CPU p50 ms | p99 | hits |");
    println!("|---|---|---|---|---|---|");
    let all = Filter::org(org);
    let words = texts.queries(3..9, STOP_WORDS, " ");
    measure("3–8 words", index, &all, &words);
    measure("3–8 words, the most common ones too", index, &all, &texts.queries(3..9, 0, " "));
    measure("3–8 words, the last unfinished", index, &all, &texts.unfinished());
    measure("one word", index, &all, &texts.queries(1..2, STOP_WORDS, " "));
    measure("30 words", index, &all, &texts.queries(30..31, STOP_WORDS, " "));
    measure("two of two words", index, &all, &texts.queries(2..3, STOP_WORDS, " AND "));
    measure("one word but not another", index, &all, &texts.queries(2..3, STOP_WORDS, " NOT "));
    measure("a phrase of two", index, &all, &texts.phrases());
    let user = (texts.rows.len() / USER_ROWS / 2) as u32;
    measure("one user, 3–8 words", index, &Filter::user(org, user), &words);
    measure("source of 10 %", index, &Filter { sources: Some(vec![3]), ..all.clone() }, &words);
    measure("name of 0.1 %", index, &Filter { names: Some(vec![3]), ..all.clone() }, &words);
    let time = labels(texts.rows.len() / 2, org).time;
    let hour = Filter { from: time, to: time + 1000 * 60_000, ..all.clone() };
    measure("1,000 rows by time", index, &hour, &words);
    println!();
}

fn measure(name: &str, index: &Index, filter: &Filter, queries: &[TextQuery]) {
    let (mut walls, mut cpus, mut hits) = (Vec::new(), Vec::new(), 0);
    for query in queries {
        let clock = Clock::start();
        hits += index.search(&Query { query, filter, k: K }).len();
        let (wall, cpu) = clock.stop();
        walls.push(wall);
        cpus.push(cpu);
    }
    let at = |times: &mut Vec<Duration>, percent: usize| {
        times.sort_unstable();
        times[times.len() * percent / 100].as_secs_f64() * 1e3
    };
    println!(
        "| {name} | {:.3} | {:.3} | {:.3} | {:.3} | {:.1} |",
        at(&mut walls, 50),
        at(&mut walls, 99),
        at(&mut cpus, 50),
        at(&mut cpus, 99),
        hits as f64 / queries.len() as f64,
    );
}

fn writes(index: &Index, texts: &Texts) {
    let count = texts.rows.len();
    println!("| write | wall mean µs | p50 | p99 | most | CPU mean µs | p50 | p99 | most |");
    println!("|---|---|---|---|---|---|---|---|---|");
    let time = |name: &str, write: &mut dyn FnMut(usize)| {
        let (mut walls, mut cpus) = (Vec::new(), Vec::new());
        for at in 0..2000 {
            let clock = Clock::start();
            write(at);
            let (wall, cpu) = clock.stop();
            walls.push(wall);
            cpus.push(cpu);
        }
        let figures = |mut times: Vec<Duration>| {
            times.sort_unstable();
            let mean = times.iter().sum::<Duration>() / 2000;
            let figures = [mean, times[1000], times[1980], times[1999]];
            figures.map(|time| format!("{:.0}", time.as_secs_f64() * 1e6)).join(" | ")
        };
        println!("| {name} | {} | {} |", figures(walls), figures(cpus));
    };
    let row = |id: usize, from: usize| Row { id: id as u64, ..texts.row(from % count, ALL) };
    time("20 new rows", &mut |at| {
        let rows: Vec<Row<'_>> = (at * 20..at * 20 + 20).map(|at| row(count + at, at)).collect();
        index.apply(ALL, &rows, &[]);
    });
    time("one new row", &mut |at| _ = index.apply(ALL, &[row(count + 40_000 + at, at)], &[]));
    time("one row replaced", &mut |at| _ = index.apply(ALL, &[row(at * 7 % count, at)], &[]));
    time("one row relabelled", &mut |at| {
        let row = row(at * 11 % count, at * 11);
        index.relabel(ALL, &[(row.id, Labels { status: 3, ..row.labels })]);
    });
    time("one row deleted", &mut |at| _ = index.apply(ALL, &[], &[(at * 13 % count) as u64]));
    println!("{:?}\n", index.size());
}

/// A third of the rows as they come in while the server runs: no write may wait for a large merge.
fn trickle(texts: &Texts) {
    let index = Index::new();
    let (mut walls, mut cpus, mut parts) = (Vec::new(), Vec::new(), 0);
    for batch in (0..texts.rows.len() / 3).collect::<Vec<_>>().chunks(20) {
        let rows: Vec<Row<'_>> = batch.iter().map(|row| texts.row(*row, ALL)).collect();
        let clock = Clock::start();
        index.apply(ALL, &rows, &[]);
        let (wall, cpu) = clock.stop();
        walls.push(wall);
        cpus.push(cpu);
        parts = parts.max(index.size().parts);
    }
    let [wall, cpu] = [walls, cpus].map(|mut times| {
        times.sort_unstable();
        let mean = times.iter().sum::<Duration>() / times.len() as u32;
        format!(
            "mean {mean:.0?}, p99 {:.0?}, most {:.0?}",
            times[times.len() * 99 / 100],
            times[times.len() - 1]
        )
    });
    println!("{} rows by 20: {wall}; CPU {cpu}; at most {parts} parts\n", index.size().rows);
}

fn sidecar(index: &Index) {
    let clock = Clock::start();
    let bytes = index.save(1);
    let saved = clock.stop();
    let clock = Clock::start();
    let loaded = Index::load(&bytes).expect("an intact sidecar").0;
    let read = clock.stop();
    println!(
        "sidecar of {:.0} MB: saved in {:.0?} (CPU {:.0?}), loaded in {:.0?} (CPU {:.0?}), {} rows\n",
        bytes.len() as f64 / 1e6,
        saved.0,
        saved.1,
        read.0,
        read.1,
        loaded.size().rows,
    );
}

fn labels(row: usize, org: u32) -> Labels {
    Labels {
        user: if org == OWNED { 7 } else { (row % 1_000_003 * 7919 % (row / USER_ROWS + 1)) as u32 },
        version: (row % 3) as u32,
        name: (row % 1000) as u32,
        source: (row % 10) as u32,
        status: (row % 2) as u8,
        time: 1_700_000_000_000 + row as i64 * 60_000,
        tags: vec![(row % 5) as u32],
    }
}

/// Rows of words, told by how common they are.
struct Texts {
    words: Vec<String>,
    rows: Vec<Vec<u32>>,
    joined: Vec<String>,
    terms: usize,
}

impl Texts {
    fn new(count: usize, vocabulary: usize) -> Texts {
        let mut random = Random(7);
        let words: Vec<String> = (0..vocabulary).map(word).collect();
        let scale = (vocabulary as f64).ln();
        let rows: Vec<Vec<u32>> = (0..count)
            .map(|_| {
                let length =
                    4 + random.below(14) + random.below(14) + random.below(4).pow(2) * random.below(8) / 2;
                let rank =
                    |random: &mut Random| ((random.unit() * scale).exp() as usize - 1).min(vocabulary - 1);
                (0..length).map(|_| rank(&mut random) as u32).collect()
            })
            .collect();
        let join = |row: &Vec<u32>| {
            row.iter().map(|word| words[*word as usize].as_str()).collect::<Vec<_>>().join(" ")
        };
        let joined = rows.iter().map(join).collect();
        let terms = rows.iter().map(Vec::len).sum();
        Texts { words, rows, joined, terms }
    }

    fn row(&self, row: usize, org: u32) -> Row<'_> {
        Row { id: row as u64, labels: labels(row, org), terms: &self.joined[row] }
    }

    /// Queries of words that rows hold, except the most common ones.
    fn queries(&self, lengths: std::ops::Range<usize>, except: usize, between: &str) -> Vec<TextQuery> {
        let mut random = Random(11);
        let texts = (0..QUERIES).map(|_| {
            let count = lengths.start + random.below(lengths.len());
            let words: Vec<&str> = (0..count).map(|_| self.asked(&mut random, except)).collect();
            words.join(between) + " "
        });
        texts.map(|text| TextQuery::parse(&text)).collect()
    }

    fn asked(&self, random: &mut Random, except: usize) -> &str {
        loop {
            let row = &self.rows[random.below(self.rows.len())];
            let rank = row[random.below(row.len())] as usize;
            if rank >= except {
                return &self.words[rank];
            }
        }
    }

    fn unfinished(&self) -> Vec<TextQuery> {
        let mut random = Random(12);
        let texts = (0..QUERIES).map(|_| {
            let mut words: Vec<&str> =
                (0..3 + random.below(6)).map(|_| self.asked(&mut random, STOP_WORDS)).collect();
            if let Some(last) = words.last_mut() {
                *last = &last[..last.len().min(3)];
            }
            words.join(" ")
        });
        texts.map(|text| TextQuery::parse(&text)).collect()
    }

    fn phrases(&self) -> Vec<TextQuery> {
        let mut random = Random(13);
        let texts = (0..QUERIES).map(|_| {
            let row = &self.rows[random.below(self.rows.len())];
            let at = random.below(row.len() - 1);
            format!("\"{} {}\"", self.words[row[at] as usize], self.words[row[at + 1] as usize])
        });
        texts.map(|text| TextQuery::parse(&text)).collect()
    }
}

/// A word that is not stemmed, longer the less common it is.
fn word(rank: usize) -> String {
    let mut word = String::new();
    let mut rest = rank.wrapping_mul(2_654_435_761) % 0x100_0000_0000;
    let length = 3 + rank.max(1).ilog(9) as usize;
    for _ in 0..length {
        word.push(char::from(b'a' + (rest % 23) as u8));
        rest /= 23;
    }
    word + &(rank % 97).to_string()
}

/// Wall and processor time, all threads together.
struct Clock(Instant, Duration);

impl Clock {
    fn start() -> Clock {
        Clock(Instant::now(), cpu_time())
    }

    fn stop(&self) -> (Duration, Duration) {
        (self.0.elapsed(), cpu_time() - self.1)
    }
}

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

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}
