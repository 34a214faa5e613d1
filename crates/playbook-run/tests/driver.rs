//! The driver with journals, hosts and models: what is stored first, what is said once, where it stops.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    clippy::allow_attributes,
    reason = "tests say what must hold"
)]

#[path = "../../playbook-engine/tests/support/mod.rs"]
mod support;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use playbook_run::engine::{
    Budget, Entry, Event, Limit, Message, ModelRequest, Outcome, Script, Settings, Start, Used, Value, World,
};
use playbook_run::{
    Answered, Answerer, Around, Awaited, Driver, Error, FileJournal, Header, Host, Journal, JournalError,
    MemoryJournal, NoModel, Pause, Unanswered, Verdict,
};
use support::examples::{Example, examples, order_status, watchman};
use support::{NOON, steps, trace};

/// A script as host and model of a driver; its clock goes to the next timer when the user is silent.
struct Stage {
    script: Mutex<Script>,
    said: Mutex<Vec<String>>,
    clock: AtomicU64,
}

impl Stage {
    fn new(script: Script) -> Self {
        Self { script: Mutex::new(script), said: Mutex::default(), clock: AtomicU64::new(NOON) }
    }

    fn now(&self) -> u64 {
        self.clock.load(Ordering::SeqCst)
    }

    fn said(&self) -> Vec<String> {
        self.said.lock().unwrap().clone()
    }
}

#[async_trait]
impl Host for Stage {
    async fn say(&self, message: &Message) {
        self.said.lock().unwrap().push(message.id.clone());
    }

    async fn user(&self) -> Option<String> {
        self.script.lock().unwrap().user()
    }

    async fn tool(&self, name: &str, args: &[(String, Value)]) -> Result<Value, String> {
        self.script.lock().unwrap().tool(name, args)
    }

    async fn approve(&self, _who: Option<&str>, text: &str) -> Option<Verdict> {
        let (is_granted, by) = self.script.lock().unwrap().approve(text);
        Some(Verdict { is_granted, by })
    }
}

#[async_trait]
impl Answerer for Stage {
    async fn answer(&self, request: &ModelRequest) -> Result<Answered, Unanswered> {
        let answer = self.script.lock().unwrap().model(request).map_err(Unanswered::Failed)?;
        Ok(Answered { answer, used: Used::default() })
    }
}

/// Plays the rest of a script: messages first, then timers, as the engine's own `Drive` does.
async fn play(driver: &mut Driver<'_>, stage: &Stage) -> Pause {
    loop {
        let pause = driver.until_quiet().await.unwrap();
        let Pause::Waiting { awaited, until } = &pause else { return pause };
        let said = if *awaited == Awaited::User { stage.user().await } else { None };
        match (said, until) {
            (Some(text), _) => driver.tell(Event::Message { text }).await.unwrap(),
            (None, Some(until)) if stage.script.lock().unwrap().lets_time_pass() => {
                stage.clock.fetch_max(*until, Ordering::SeqCst);
            }
            (None, _) => return pause,
        }
    }
}

async fn whole(example: &Example) -> (Vec<Entry>, Vec<String>) {
    let (stage, journal) = (Stage::new(example.script.clone()), MemoryJournal::default());
    let now = || stage.now();
    let around = Around { journal: &journal, model: &stage, host: &stage, now: &now };
    let mut driver = Driver::start(Arc::clone(&example.code), example.start.clone(), around).await.unwrap();
    play(&mut driver, &stage).await;
    (journal.entries(), stage.said())
}

/// A process that goes on after another one died with these entries stored.
async fn goes_on(example: &Example, stored: Vec<Entry>) -> (Vec<Entry>, Vec<String>) {
    let last = stored.iter().rev().find_map(|entry| match entry {
        Entry::Input { at, .. } => Some(*at),
        _ => None,
    });
    let stage = Stage::new(example.script.clone().after(&stored));
    stage.clock.store(last.unwrap(), Ordering::SeqCst);
    let journal = MemoryJournal::new(stored);
    let now = || stage.now();
    let around = Around { journal: &journal, model: &stage, host: &stage, now: &now };
    let mut driver = Driver::resume(Arc::clone(&example.code), around).await.unwrap();
    play(&mut driver, &stage).await;
    (journal.entries(), stage.said())
}

fn messages(entries: &[Entry]) -> Vec<String> {
    let said = entries.iter().filter_map(|entry| match entry {
        Entry::Said { message } => Some(message.id.clone()),
        _ => None,
    });
    said.collect()
}

#[tokio::test]
async fn a_run_killed_at_any_position_of_its_journal_ends_the_same_and_says_nothing_twice() {
    for example in examples() {
        let (journal, said) = whole(&example).await;
        assert_eq!(said, messages(&journal), "{}: what was shown is what was stored", example.name);
        for end in 1..=journal.len() {
            let (again, shown) = goes_on(&example, journal[..end].to_vec()).await;
            assert_eq!(trace(&again), trace(&journal), "{} killed at {end}", example.name);
            let before = messages(&journal[..end]);
            assert_eq!([before, shown].concat(), said, "{} killed at {end}", example.name);
        }
    }
}

/// A journal that keeps so many entries and then nothing more.
struct Full(MemoryJournal, u64);

#[async_trait]
impl Journal for Full {
    async fn read(&self) -> Result<Vec<Entry>, JournalError> {
        self.0.read().await
    }

    async fn append(&self, position: u64, entries: &[Entry]) -> Result<(), JournalError> {
        if position + entries.len() as u64 > self.1 {
            return Err(JournalError::Unavailable("the disk is full".to_owned()));
        }
        self.0.append(position, entries).await
    }
}

#[tokio::test]
async fn nothing_is_said_asked_or_called_before_it_is_stored() {
    let example = order_status();
    let (journal, _) = whole(&example).await;
    for room in 0..journal.len() as u64 {
        let (stage, journal) = (Stage::new(example.script.clone()), Full(MemoryJournal::default(), room));
        let now = || stage.now();
        let around = Around { journal: &journal, model: &stage, host: &stage, now: &now };
        let driver = Driver::start(Arc::clone(&example.code), example.start.clone(), around).await;
        let failed = match driver {
            Err(error) => error,
            Ok(mut driver) => loop {
                if let Err(error) = driver.until_quiet().await {
                    break error;
                }
                let text = stage.user().await.unwrap();
                if let Err(error) = driver.tell(Event::Message { text }).await {
                    break error;
                }
            },
        };
        assert!(matches!(failed, Error::Journal(JournalError::Unavailable(_))), "{failed}");
        let stored = journal.0.entries();
        assert_eq!(stage.said(), messages(&stored), "room for {room}");
        let asked = stored.iter().filter(|entry| matches!(entry, Entry::Asked { .. })).count();
        assert_eq!(stage.script.lock().unwrap().asked.len(), asked, "room for {room}");
    }
}

#[tokio::test]
async fn two_processes_cannot_go_on_with_one_run() {
    let example = order_status();
    let (stage, journal) = (Stage::new(example.script.clone()), MemoryJournal::default());
    let now = || stage.now();
    let around = Around { journal: &journal, model: &stage, host: &stage, now: &now };
    let mut one = Driver::start(Arc::clone(&example.code), example.start.clone(), around).await.unwrap();
    one.until_quiet().await.unwrap();
    let mut two = Driver::resume(Arc::clone(&example.code), around).await.unwrap();
    one.tell(Event::Message { text: "first".to_owned() }).await.unwrap();
    let late = two.tell(Event::Message { text: "second".to_owned() }).await.unwrap_err();
    assert!(matches!(late, Error::Journal(JournalError::Moved { .. })), "{late}");
}

fn header() -> Header {
    Header { run: "r1".to_owned(), files: vec!["a.md".to_owned()], ..Header::default() }
}

#[tokio::test]
async fn a_file_cut_at_any_byte_is_a_journal_that_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let example = order_status();
    let (journal, said) = whole(&example).await;
    let path = folder.path().join("whole.jsonl");
    let file = FileJournal::create(&path, header()).unwrap();
    file.append(0, &journal).await.unwrap();
    assert!(matches!(FileJournal::open(&path), Err(JournalError::Busy)));
    drop(file);
    let bytes = std::fs::read(&path).unwrap();
    let first_lines = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
    let entry_end = first_lines.clone().nth(1).unwrap();
    for end in (entry_end..=bytes.len()).step_by(13).chain([bytes.len()]) {
        let cut = folder.path().join("cut.jsonl");
        std::fs::write(&cut, &bytes[..end]).unwrap();
        let file = FileJournal::open(&cut).unwrap();
        assert_eq!(*file.header(), header());
        let stored = file.read().await.unwrap();
        let (again, shown) = goes_on(&example, stored.clone()).await;
        file.append(stored.len() as u64, &again[stored.len()..]).await.unwrap();
        assert_eq!(trace(&file.read().await.unwrap()), trace(&journal), "cut at {end}");
        assert_eq!([messages(&stored), shown].concat(), said, "cut at {end}");
        drop(file);
        assert_eq!(std::fs::read(&cut).unwrap(), bytes, "the file is as if nothing had happened");
    }
}

#[tokio::test]
async fn a_damaged_file_is_refused_with_the_line_and_an_old_one_is_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let file = FileJournal::create(&path, header()).unwrap();
    file.append(0, &[Entry::Accepted { request: 1 }]).await.unwrap();
    let moved = file.append(0, &[Entry::Accepted { request: 2 }]).await.unwrap_err();
    assert!(matches!(moved, JournalError::Moved { expected: 0, found: 1 }), "{moved}");
    drop(file);
    assert!(matches!(FileJournal::create(&path, header()), Err(JournalError::Unavailable(_))));
    assert_eq!(FileJournal::peek(&path).unwrap(), header());
    let mut text = std::fs::read_to_string(&path).unwrap();
    text.push_str("{\"entry\":\"never\"}\n");
    std::fs::write(&path, text).unwrap();
    let damaged = FileJournal::open(&path).unwrap_err();
    assert!(damaged.to_string().contains("line 3"), "{damaged}");
}

#[tokio::test]
async fn without_a_model_the_native_part_runs_and_the_step_that_needs_one_is_named() {
    let code = steps("- Say \"Hello.\"\n- $n = 2\n- Thank the user for $n things");
    let (stage, journal) = (Stage::new(Script::default()), MemoryJournal::default());
    let now = || stage.now();
    let around = Around { journal: &journal, model: &NoModel, host: &stage, now: &now };
    let mut driver = Driver::start(Arc::clone(&code), Start::default(), around).await.unwrap();
    for _ in 0..2 {
        let Pause::NeedsModel { request, why } = driver.until_quiet().await.unwrap() else { panic!() };
        assert!(matches!(why, Unanswered::NoModel(_)));
        assert_eq!(&*request.context.steps[0].id, "03");
    }
    assert_eq!(stage.said().len(), 1);
    // Later there is one.
    let answer =
        serde_json::json!({ "steps": [{ "id": "03", "status": "done", "say": [{ "text": "Thanks." }] }] });
    let stage = Stage::new(support::script(&[], &[answer]));
    let around = Around { journal: &journal, model: &stage, host: &stage, now: &now };
    let mut driver = Driver::resume(code, around).await.unwrap();
    assert!(matches!(driver.until_quiet().await.unwrap(), Pause::Over(Outcome::Done { .. })));
    assert_eq!(stage.said(), ["m2"]);
}

#[tokio::test]
async fn the_time_a_run_may_take_ends_it_also_while_it_waits() {
    let code = steps("- Wait for user\n- Say \"late\"");
    let (stage, journal) = (Stage::new(Script::default()), MemoryJournal::default());
    let now = || stage.now();
    let around = Around { journal: &journal, model: &stage, host: &stage, now: &now };
    let budget = Budget { wall_ms: 1_000, ..Budget::default() };
    let start = Start { settings: Settings { budget, ..Settings::default() }, ..Start::default() };
    let mut driver = Driver::start(code, start, around).await.unwrap();
    let Pause::Waiting { awaited: Awaited::User, until: Some(until) } = driver.until_quiet().await.unwrap()
    else {
        panic!("it waits")
    };
    assert_eq!(until, NOON + 1_001);
    stage.clock.store(until, Ordering::SeqCst);
    let over = driver.until_quiet().await.unwrap();
    assert!(matches!(over, Pause::Over(Outcome::Partial { limit: Limit::WallTime, .. })), "{over:?}");
}

#[tokio::test(start_paused = true)]
async fn timers_come_while_a_conversation_goes_on() {
    let example = watchman();
    let (stage, journal) = (Stage::new(Script::default()), MemoryJournal::default());
    let begun = tokio::time::Instant::now();
    let now = || NOON + u64::try_from(begun.elapsed().as_millis()).unwrap();
    let around = Around { journal: &journal, model: &stage, host: &stage, now: &now };
    let mut driver = Driver::start(Arc::clone(&example.code), example.start.clone(), around).await.unwrap();
    let end = tokio::time::timeout(std::time::Duration::from_secs(700), driver.converse()).await;
    // After the ten minutes only the user and 17:00 are left, and the user is not there.
    let pause = end.unwrap().unwrap();
    assert!(matches!(pause, Pause::Waiting { awaited: Awaited::User, .. }), "{pause:?}");
    let texts: Vec<String> = driver.state().transcript().iter().map(|message| message.text.clone()).collect();
    let expected = ["Your balance is -10.", "Do not forget the report.", "The day is over."];
    assert_eq!(texts, expected, "{texts:?}");
}

#[tokio::test]
async fn an_approval_nobody_decides_is_waited_for() {
    struct Silent;
    #[async_trait]
    impl Host for Silent {
        async fn say(&self, _: &Message) {}
    }
    let code = steps("- Get approval from the boss\n- Say \"done\"");
    let journal = MemoryJournal::default();
    let now = || NOON;
    let around = Around { journal: &journal, model: &NoModel, host: &Silent, now: &now };
    let mut driver = Driver::start(code, Start::default(), around).await.unwrap();
    let Pause::Waiting { awaited: Awaited::Approval { approval, .. }, .. } =
        driver.until_quiet().await.unwrap()
    else {
        panic!("it waits for the boss")
    };
    driver.tell(Event::Approval { approval, is_granted: true, by: "the boss".to_owned() }).await.unwrap();
    assert!(matches!(driver.until_quiet().await.unwrap(), Pause::Over(Outcome::Done { .. })));
}
