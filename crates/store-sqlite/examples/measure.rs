#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::allow_attributes, clippy::expect_used)]
use reflexio_search::TextQuery;
use reflexio_store::*;
use reflexio_store_sqlite::{Options, SqliteStore};
use reflexio_types::*;
use std::sync::Arc;
use std::time::{Duration, Instant};

#[path = "../../../bench/src/text.rs"] mod text;
#[path = "../../../bench/src/random.rs"] mod random;
struct Rng(u64);
impl Rng {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
    fn word(&mut self) -> String {
        // Zipf-like over 30k words
        let r = (30000f64).powf(self.unit()) as u64;
        let mut n = r.wrapping_mul(0x9E3779B97F4A7C15) >> 20;
        let mut w = String::new();
        let syl =
            ["ka", "re", "mi", "to", "su", "fun", "da", "lo", "pe", "vi", "or", "der", "an", "tel", "ship"];
        for _ in 0..(2 + r % 2) {
            w.push_str(syl[(n % 15) as usize]);
            n /= 15;
        }
        w
    }
    fn text(&mut self, n: usize) -> String {
        (0..n).map(|_| self.word()).collect::<Vec<_>>().join(" ")
    }
}
fn org() -> OrgId {
    OrgId::new("default")
}
fn req(n: u64, rng: &mut Rng) -> NewRequest {
    let user = if std::env::var("ONE").is_ok() { "user-0".to_owned() } else { format!("user-{}", rng.next() % 1000) };
    let request = Request {
        id: format!("{:016x}-{:016x}", rng.next(), n).into(),
        user_id: user.as_str().into(),
        session_id: format!("sess-{}-{}", user, n / 5000).into(),
        created_at: Timestamp(1_700_000_000 + (n / 20) as i64),
        source: "chat".into(),
        agent_version: "agent-v0".into(),
        experiment: None,
        intent: LearningIntent::default(),
    };
    let turns = (0..3)
        .map(|i| {
            let len = 10 + (rng.next() % 40) as usize;
            Turn::say(request.created_at, if i % 2 == 0 { "User" } else { "Assistant" }, &rng.text(len))
        })
        .collect();
    NewRequest {
        job: Some(NewJob {
            kind: JobKind::Learn,
            dedup_key: format!("learn:{user}"),
            payload: serde_json::json!({"user_id": user}),
        }),
        request,
        turns,
        images: vec![],
    }
}
fn report(name: &str, mut times: Vec<Duration>) {
    times.sort();
    println!(
        "{name}: p50 {:?} p95 {:?} max {:?} (n={})",
        times[times.len() / 2],
        times[times.len() * 95 / 100],
        times[times.len() - 1],
        times.len()
    );
}
#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() {
    let path = std::env::args().nth(1).unwrap();
    let target: u64 = std::env::args().nth(2).unwrap().parse().unwrap();
    let conc: u64 = std::env::args().nth(3).map_or(32, |v| v.parse().unwrap());
    let store = Arc::new(SqliteStore::open(path.as_ref(), &Options::default()).unwrap());
    let have = store.stats(&org(), None).await.unwrap().request_count;
    if have < target {
        let todo = target - have;
        let started = Instant::now();
        let counter = Arc::new(std::sync::atomic::AtomicU64::new(have));
        let mut set = tokio::task::JoinSet::new();
        for t in 0..conc {
            let (store, counter) = (store.clone(), counter.clone());
            set.spawn(async move {
                let mut rng = Rng(0x1234_5678 + have * 7919 + t * 104729 + 1);
                let mut times = Vec::new();
                loop {
                    let n = counter.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    if n >= target {
                        break;
                    }
                    let new = req(n, &mut rng);
                    let s = Instant::now();
                    store.publish(&org(), new).await.unwrap();
                    times.push(s.elapsed());
                    if n % 20000 == 0 {
                        println!("  {n} at {:?}", started.elapsed());
                    }
                }
                times
            });
        }
        let times: Vec<Duration> = set.join_all().await.into_iter().flatten().collect();
        for task in std::fs::read_dir("/proc/self/task").unwrap() {
            let dir = task.unwrap().path();
            let stat = std::fs::read_to_string(dir.join("stat")).unwrap();
            let f: Vec<&str> = stat[stat.rfind(')').unwrap() + 2..].split(' ').collect();
            println!(
                "   thread {} user {}0ms sys {}0ms",
                std::fs::read_to_string(dir.join("comm")).unwrap().trim(),
                f[11],
                f[12]
            );
        }
        println!(
            "published {todo} requests of 3 turns in {:?}: {:.0}/s",
            started.elapsed(),
            todo as f64 / started.elapsed().as_secs_f64()
        );
        report("publish", times);
    }
    if store.stats(&org(), None).await.unwrap().user_playbook_count < 5000 {
        let mut rng = Rng(77);
        for _ in 0..100 {
            let rows = (0..50)
                .map(|i| UserPlaybook {
                    id: UserPlaybookId(0),
                    user_id: Some(format!("user-{}", rng.next() % 1000).into()),
                    request_id: "r".into(),
                    playbook_name: "p".into(),
                    agent_version: "v1".into(),
                    created_at: Timestamp(i),
                    source: None,
                    status: Status::Current,
                    body: UserPlaybookBody {
                        content: rng.text(40),
                        trigger: Some(rng.text(10)),
                        ..Default::default()
                    },
                })
                .collect();
            store.add_user_playbooks(&org(), rows, None).await.unwrap();
        }
    }
    println!(
        "{:?}, file {} MB",
        store.stats(&org(), None).await.unwrap(),
        std::fs::metadata(&path).unwrap().len() >> 20
    );
    let mut rng = Rng(4242);
    for (name, _words) in [("query", 1)] {
        for scoped in [true, false] {
            let mut times = Vec::new();
            let mut hits = 0;
            let runs = if scoped { 1000 } else { 30 };
            for _ in 0..runs {
                let query = TextQuery::parse(&text::query(&mut random::Random::stream(rng.next(), 5)));
                let filter = InteractionFilter {
                    user_id: scoped.then(|| UserId::new(if std::env::var("ONE").is_ok() { "user-0".to_owned() } else { format!("user-{}", rng.next() % 1000) })),
                    ..Default::default()
                };
                let s = Instant::now();
                hits += store.search_interactions(&org(), &filter, &query, 10).await.unwrap().len();
                times.push(s.elapsed());
            }
            report(
                &format!(
                    "search interactions, {name}, {} ({} hits)",
                    if scoped { "one user" } else { "whole org" },
                    hits
                ),
                times,
            );
        }
    }
    let mut times = Vec::new();
    for _ in 0..50 {
        let s = Instant::now();
        assert_eq!(
            store.user_playbooks(&org(), &UserPlaybookFilter::default(), 1000).await.unwrap().len(),
            1000
        );
        times.push(s.elapsed());
    }
    report("user_playbooks(1000)", times);
    let mut times = Vec::new();
    for _ in 0..50 {
        let s = Instant::now();
        store.sessions(&org(), &RequestFilter::default(), Page::first(20)).await.unwrap();
        times.push(s.elapsed());
    }
    report("sessions(20)", times);
    let mut times = Vec::new();
    for _ in 0..50 {
        let f = InteractionFilter {
            user_id: Some(UserId::new(if std::env::var("ONE").is_ok() { "user-0".to_owned() } else { format!("user-{}", rng.next() % 1000) })),
            ..Default::default()
        };
        let s = Instant::now();
        store.interactions(&org(), &f, InteractionOrder::NewestFirst, 100).await.unwrap();
        times.push(s.elapsed());
    }
    report("interactions of user(100)", times);
    let mut times = Vec::new();
    for _ in 0..50 {
        let f = InteractionFilter::default();
        let s = Instant::now();
        store.interactions(&org(), &f, InteractionOrder::LatestArrivalFirst, 100).await.unwrap();
        times.push(s.elapsed());
    }
    report("interactions latest(100)", times);
    let mut times = Vec::new();
    for _ in 0..20 {
        let f = RequestFilter {
            user_id: Some(UserId::new(if std::env::var("ONE").is_ok() { "user-0".to_owned() } else { format!("user-{}", rng.next() % 1000) })),
            ..Default::default()
        };
        let s = Instant::now();
        store.sessions(&org(), &f, Page::first(20)).await.unwrap();
        times.push(s.elapsed());
    }
    report("sessions of user(20)", times);
    let mut times = Vec::new();
    for _ in 0..10 {
        let s = Instant::now();
        store.stats(&org(), None).await.unwrap();
        times.push(s.elapsed());
    }
    report("stats", times);
    let mut times = Vec::new();
    for _ in 0..200 {
        let s = Instant::now();
        store.ping().await.unwrap();
        times.push(s.elapsed());
    }
    report("ping", times);
    if std::env::args().nth(4).is_some() {
        let s = Instant::now();
        println!("{} integrity in {:?}", store.check_integrity().await.unwrap().problems.len(), s.elapsed());
        let s = Instant::now();
        println!(
            "clear_user {:?} in {:?}",
            store.clear_user(&org(), &"user-1".into()).await.unwrap(),
            s.elapsed()
        );
    }
}
