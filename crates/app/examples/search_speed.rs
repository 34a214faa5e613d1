//! How fast searches are while a store grows, without HTTP and without a model: vectors are made of hashed words.
//!
//!     cargo run --release -p reflexio-app --example search_speed -- 1000 10000 100000 1000000
//!
//! Prints wall and CPU time per search, what loading takes after a restart, and memory.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a benchmark prints and may fail loudly"
)]

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use reflexio_app::{App, Connect, EmbedderChoice, NewAgentPlaybook, NewProfile, NewUserPlaybook, Options};
use reflexio_app::{SearchOptions, UnifiedSearch};
use reflexio_embed::{Embedder, Error, Priority};
use reflexio_store::{InteractionFilter, NewRequest, Requests, VectorIndex};
use reflexio_store_sqlite::SqliteStore;
use reflexio_types::{
    AgentPlaybookBody, Caller, LearningIntent, OrgId, PlaybookStatus, ProfileBody, ProfileTimeToLive,
    Request, RequestId, SessionId, Status, SystemClock, Timestamp, Turn, UserId, UserPlaybookBody,
};
use tokio::task::JoinHandle;

const DIMENSION: usize = 384;
const SEARCHES: usize = 300;
const ROWS_PER_USER: usize = 1000;
const TURNS_PER_PUBLISH: usize = 200;

/// Sums of random directions, one per word: rows that share words are near each other, as with a model.
struct Hashed;

#[async_trait]
impl Embedder for Hashed {
    fn id(&self) -> &str {
        "hashed-words"
    }

    fn dimension(&self) -> usize {
        DIMENSION
    }

    async fn embed(&self, texts: &[String], _: Priority) -> Result<Vec<Vec<f32>>, Error> {
        Ok(texts.iter().map(|text| vector(text)).collect())
    }
}

#[async_trait]
impl Connect for Hashed {
    async fn connect(&self) -> Result<Arc<dyn Embedder>, Error> {
        Ok(Arc::new(Hashed))
    }
}

fn vector(text: &str) -> Vec<f32> {
    let mut sum = vec![1e-3_f32; DIMENSION];
    for word in text.split_whitespace() {
        let mut random = Random(hash(word));
        sum.iter_mut().for_each(|number| *number += random.unit());
    }
    let length = sum.iter().map(|number| number * number).sum::<f32>().sqrt();
    sum.iter().map(|number| number / length).collect()
}

fn hash(word: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    word.hash(&mut hasher);
    hasher.finish() | 1
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// From -1 to 1.
    fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    }

    /// Words as in real text: the n-th is about n times rarer than the first.
    fn word(&mut self) -> String {
        let share = (self.next() >> 11) as f64 / (1u64 << 53) as f64;
        format!("w{}", (40_000f64.powf(share)) as u64)
    }

    fn text(&mut self, words: u64) -> String {
        let count = words / 2 + self.next() % words;
        (0..count).map(|_| self.word()).collect::<Vec<_>>().join(" ")
    }
}

#[tokio::main]
async fn main() {
    let sizes: Vec<usize> = std::env::args().skip(1).map(|size| size.parse().unwrap()).collect();
    unified().await;
    println!(
        "\n| interactions | one of many users, p50 / p99 ms (CPU) | one user owns all, p50 / p99 ms (CPU) | load after restart | index |"
    );
    println!("|---|---|---|---|---|");
    for size in sizes {
        let many = measured(size, size.div_ceil(ROWS_PER_USER)).await;
        let one = measured(size, 1).await;
        println!("| {size} | {} | {} | {} | {} |", many.search, one.search, one.load, one.index);
    }
}

struct Measured {
    search: String,
    load: String,
    index: String,
}

async fn measured(rows: usize, users: usize) -> Measured {
    let folder = tempfile::tempdir_in("target").unwrap();
    let path = folder.path().join("speed.db");
    let (app, task) = start(&path);
    fill(&path, rows, users).await;
    embedded(&app).await;
    let mut random = Random(7);
    let search = timed(|| {
        let user = UserId::new(format!("u{}", random.next() as usize % users));
        let options = SearchOptions { query: Some(random.text(6)), top_k: 10, ..SearchOptions::default() };
        let app = &app;
        async move {
            let filter = InteractionFilter { user_id: Some(user), ..InteractionFilter::default() };
            app.search_interactions(&Caller::local(), &filter, &options).await.unwrap().rows.len()
        }
    })
    .await;
    let VectorIndex::Ready { rows, bytes } = app.vector_index() else { panic!("the index is not ready") };
    let index = format!("{:.0} bytes a row", bytes as f64 / rows as f64);
    task.abort();
    // The task holds the app until it has ended.
    drop(task.await);
    app.suspend().await;
    drop(app);
    let began = Instant::now();
    let (app, task) = start(&path);
    embedded(&app).await;
    let load = format!("{:.2} s", began.elapsed().as_secs_f64());
    task.abort();
    Measured { search, load, index }
}

fn start(path: &Path) -> (Arc<App>, JoinHandle<()>) {
    let options =
        reflexio_store_sqlite::Options { restore: true, ..reflexio_store_sqlite::Options::default() };
    let store = SqliteStore::open(path, &options).unwrap();
    let app = Arc::new(App::new(Options {
        store: Arc::new(store),
        clock: Arc::new(SystemClock),
        master_key: None,
        api_key: None,
        embedder: EmbedderChoice::Connect(Arc::new(Hashed)),
        models: Arc::new(|_| Default::default()),
        costs: Default::default(),
        assistants: Default::default(),
        injections: Default::default(),
        playbooks: Default::default(),
    }));
    let background = Arc::clone(&app);
    let task = tokio::spawn(async move {
        background.warm_words().await;
        background.keep_embedding().await;
    });
    (app, task)
}

async fn fill(path: &Path, rows: usize, users: usize) {
    let store = SqliteStore::open(path, &reflexio_store_sqlite::Options::default()).unwrap();
    let mut random = Random(99);
    for publish in 0..rows.div_ceil(TURNS_PER_PUBLISH) {
        let time = Timestamp(1_700_000_000 + publish as i64);
        let turns = (0..TURNS_PER_PUBLISH.min(rows))
            .map(|n| Turn::say(time, if n % 2 == 0 { "User" } else { "Agent" }, &random.text(24)));
        let request = Request {
            id: RequestId::new(format!("r{publish}")),
            user_id: UserId::new(format!("u{}", publish % users)),
            session_id: SessionId::new(format!("s{}", publish / 5)),
            created_at: time,
            source: String::new(),
            agent_version: "v1".to_owned(),
            experiment: None,
            intent: LearningIntent::default(),
        };
        let new = NewRequest {
            request,
            turns: turns.collect(),
            images: Vec::new(),
            job: None,
            also: Vec::new(),
            for_new_version: None,
        };
        store.publish(&OrgId::default_org(), new).await.unwrap();
    }
}

async fn embedded(app: &App) {
    loop {
        let status = app.embedding_status(&Caller::local()).await.unwrap();
        let ready = matches!(status.index, VectorIndex::Ready { .. }) && app.has_warm_words();
        if ready && status.counts.iter().all(|counts| counts.waiting == 0) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

async fn unified() {
    let folder = tempfile::tempdir_in("target").unwrap();
    let (app, _task) = start(&folder.path().join("speed.db"));
    let caller = Caller::local();
    let mut random = Random(3);
    let text = |random: &mut Random| random.text(30);
    let profiles = (0..1000).map(|_| NewProfile {
        id: None,
        user_id: UserId::new("u"),
        request_id: RequestId::new("r"),
        last_modified: None,
        time_to_live: ProfileTimeToLive::Infinity,
        expires_at: None,
        source: None,
        status: Status::Current,
        body: ProfileBody { content: text(&mut random), ..ProfileBody::default() },
    });
    app.add_profiles(&caller, profiles.collect()).await.unwrap();
    let mine = (0..1000).map(|_| NewUserPlaybook {
        user_id: Some(UserId::new("u")),
        request_id: RequestId::new("r"),
        playbook_name: "p".to_owned(),
        agent_version: "v1".to_owned(),
        created_at: None,
        source: None,
        status: Status::Current,
        body: UserPlaybookBody { content: text(&mut random), ..UserPlaybookBody::default() },
    });
    app.add_user_playbooks(&caller, mine.collect()).await.unwrap();
    let rules = (0..1000).map(|_| NewAgentPlaybook {
        playbook_name: "p".to_owned(),
        agent_version: "v1".to_owned(),
        created_at: None,
        playbook_status: PlaybookStatus::Approved,
        status: Status::Current,
        body: AgentPlaybookBody { content: text(&mut random), ..AgentPlaybookBody::default() },
    });
    app.add_agent_playbooks(&caller, rules.collect()).await.unwrap();
    embedded(&app).await;
    let result = timed(|| {
        let options = SearchOptions { query: Some(random.text(6)), top_k: 5, ..SearchOptions::default() };
        let search = UnifiedSearch { options, user_id: Some(UserId::new("u")), ..UnifiedSearch::default() };
        let (app, caller) = (&app, &caller);
        async move { app.search(caller, &search).await.unwrap().profiles.rows.len() }
    })
    .await;
    println!("unified search over 3 x 1,000 rows, p50 / p99 ms (CPU): {result}");
}

/// "p50 / p99 (CPU per search)" in milliseconds, after a few searches to warm up.
async fn timed<F: Future<Output = usize>>(mut search: impl FnMut() -> F) -> String {
    for _ in 0..20 {
        search().await;
    }
    let before = cpu();
    let mut times: Vec<f64> = Vec::new();
    let mut found = 0;
    for _ in 0..SEARCHES {
        let began = Instant::now();
        found += search().await;
        times.push(began.elapsed().as_secs_f64() * 1000.0);
    }
    let cpu = (cpu() - before) * 1000.0 / SEARCHES as f64;
    assert!(found > SEARCHES, "searches find something");
    times.sort_by(f64::total_cmp);
    format!("{:.2} / {:.2} ({cpu:.2})", times[SEARCHES / 2], times[SEARCHES * 99 / 100])
}

/// Seconds of processor time this process took so far.
fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    (fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap()) / 100.0
}
