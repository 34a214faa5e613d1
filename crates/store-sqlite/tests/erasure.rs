//! What was erased cannot be found in the files either.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

mod support;

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::time::Duration;

use reflexio_store::{
    Answers, Claim, Embedded, Evaluations, Injections, Jobs, Judgement, Maintenance, NewRequest, Outcomes,
    Profiles, Requests, Retry, RunStart, SavedAnswer, UserPlaybooks, Vectors,
};
use reflexio_store_sqlite::SqliteStore;
use reflexio_types::{
    CallOutcome, Evaluation, EvaluationId, FailureType, Image, ImageId, ImageRef, InjectedRule, Injection,
    InjectionId, InjectionRoute, InteractionId, JobKind, LearningEvaluation, LearningEvaluationId,
    LearningKind, LearningsStatus, MediaType, ModelCall, NEVER_EXPIRES, NewJob, OutcomeKind, Profile,
    ProfileBody, ProfileTimeToLive, Request, RunKind, SessionFailure, SessionId, SessionOutcome, Status,
    Timestamp, Turn, UserId, UserPlaybook, UserPlaybookBody, UserPlaybookId, Verdict,
};
use rusqlite::Connection;
use serde_json::json;
use support::vectors::{model, vector};
use support::{new_request, open, org};
use tempfile::TempDir;

/// No word begins like these, so the index holds them in one piece.
const SECRETS: [&str; 13] = [
    "qzsecretword",
    "xqsecretfact",
    "jxsecretuser",
    "vqsecretsession",
    "GIF89a wqsecretpixels",
    "zjsecretanswer",
    "kqsecretoutcome",
    "zxsecretverdict",
    "hqsecretreason",
    "ywsecretrule",
    "uksecretpayload",
    "oxsecretcause",
    "pqsecretpast",
];

#[tokio::test]
async fn an_erased_user_cannot_be_found_in_the_files() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("test.db");
    let store = open(&path);
    fill(&store).await;
    drop(store);
    let store = open(&path);
    assert_eq!(traces(folder.path()), SECRETS, "the check itself works");

    store.clear_user(&org(), &"jxsecretuser".into()).await.unwrap();
    finish_erasing(store, &path).await;
    assert_eq!(traces(folder.path()), Vec::<&str>::new());
    let store = open(&path);
    assert_eq!(store.check_integrity().await.unwrap().problems, Vec::<String>::new());
    assert_eq!(store.stats(&org(), None).await.unwrap().interaction_count, 300);
}

#[tokio::test]
async fn erasing_goes_on_after_a_restart() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("test.db");
    let store = open(&path);
    fill(&store).await;
    store.clear_user(&org(), &"jxsecretuser".into()).await.unwrap();
    drop(store);
    let store = open(&path);
    finish_erasing(store, &path).await;
    assert_eq!(traces(folder.path()), Vec::<&str>::new());
}

#[tokio::test]
async fn erasing_again_and_again_while_others_write_leaves_the_index_in_few_pieces() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("test.db");
    let store = open(&path);
    fill(&store).await;
    for n in 0..60 {
        let mut new = secret_request();
        new.request.id = format!("secret{n}").into();
        store.publish(&org(), new).await.unwrap();
        store.clear_user(&org(), &"jxsecretuser".into()).await.unwrap();
        store.publish(&org(), new_request(&format!("more{n}"), &["and a refund"])).await.unwrap();
    }
    finish_erasing(store, &path).await;
    assert_eq!(traces(folder.path()), Vec::<&str>::new());
    let text = "SELECT count(DISTINCT segid) FROM interactions_fts_idx";
    let pieces: i64 = Connection::open(&path).unwrap().query_row(text, [], |row| row.get(0)).unwrap();
    assert!(pieces < 30, "{pieces}");
    let store = open(&path);
    assert_eq!(store.check_integrity().await.unwrap().problems, Vec::<String>::new());
}

#[tokio::test]
async fn the_vectors_of_an_erased_user_cannot_be_found_in_the_files() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("test.db");
    let store = open(&path);
    store.use_model(Some(&model())).await.unwrap();
    fill(&store).await;
    let secret = vector(4_711);
    let of = |text: &str| if text.contains("secret") { secret.clone() } else { vector(1) };
    loop {
        let waiting = store.unembedded(100).await.unwrap();
        let Some((org, rows)) = waiting.into_iter().next() else { break };
        let rows = rows.into_iter().map(|row| (row.row, Embedded::Vector(of(&row.text)))).collect();
        store.put_vectors(&org, &model(), rows).await.unwrap();
    }
    drop(store);
    let bytes: Vec<u8> = secret.iter().flat_map(|number| number.to_le_bytes()).collect();
    assert!(is_in_files(folder.path(), &bytes), "the check itself works");

    let store = open(&path);
    store.use_model(Some(&model())).await.unwrap();
    store.clear_user(&org(), &"jxsecretuser".into()).await.unwrap();
    finish_erasing(store, &path).await;
    assert!(!is_in_files(folder.path(), &bytes));
    let half = &bytes[..bytes.len() / 2];
    assert!(!is_in_files(folder.path(), half), "not even a part of it");
    let store = open(&path);
    assert_eq!(store.check_integrity().await.unwrap().problems, Vec::<String>::new());
}

#[tokio::test]
async fn a_reader_delays_the_erasing_and_does_not_prevent_it() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("test.db");
    let store = open(&path);
    fill(&store).await;
    let reader = Connection::open(&path).unwrap();
    reader.execute_batch("BEGIN").unwrap();
    reader.query_row("SELECT count(*) FROM interactions", [], |_| Ok(())).unwrap();
    store.clear_user(&org(), &"jxsecretuser".into()).await.unwrap();
    let only_log_left = || {
        let watcher = Connection::open(&path).unwrap();
        let names = "SELECT group_concat(index_name) FROM purges";
        watcher.query_row(names, [], |row| row.get::<_, Option<String>>(0)).unwrap().as_deref() == Some("wal")
    };
    while !only_log_left() {
        tokio::task::yield_now().await;
    }
    assert!(!traces(folder.path()).is_empty(), "whoever reads still needs what was there");
    drop(reader);
    // Without another write, and with the store open.
    while !traces(folder.path()).is_empty() {
        tokio::task::yield_now().await;
    }
    finish_erasing(store, &path).await;
}

async fn fill(store: &SqliteStore) {
    for n in 0..100 {
        let new = new_request(&format!("r{n}"), &["I want a refund", "certainly", "thank you"]);
        store.publish(&org(), new).await.unwrap();
        if n == 50 {
            let turn = store.publish(&org(), secret_request()).await.unwrap().interaction_ids[0];
            store.record_outcome(&org(), secret_outcome()).await.unwrap();
            store.judge(&org(), Some(secret_judgement(turn)), None, Timestamp(1)).await.unwrap();
            store.add_profiles(&org(), vec![secret_profile()], None).await.unwrap();
            store.add_user_playbooks(&org(), vec![secret_playbook()], None).await.unwrap();
            upgrade_secret_profiles(store).await;
            store.record_injections(&org(), secret_injections()).await.unwrap();
            fail_secret_job(store).await;
            save_secret_answer(store).await;
        }
    }
}

/// An upgrade about the user deletes a profile, which is then only in the record of the run.
async fn upgrade_secret_profiles(store: &SqliteStore) {
    let old = |id: &str, status, content: &str| Profile {
        id: id.into(),
        status,
        body: ProfileBody { content: content.to_owned(), ..ProfileBody::default() },
        ..secret_profile()
    };
    let rows = vec![old("past", Status::Archived, SECRETS[12]), old("next", Status::Pending, "x")];
    store.add_profiles(&org(), rows, None).await.unwrap();
    let user: UserId = SECRETS[2].into();
    let run = RunStart {
        id: "upgrade".into(),
        kind: RunKind::Upgrade,
        actor: None,
        automatic: false,
        job: None,
        scope: format!("profiles of user {user}"),
        user_id: Some(user.clone()),
    };
    let done = store.upgrade_profiles(&org(), Some(&user), false, &run, Timestamp(2)).await.unwrap();
    assert_eq!(done.deleted, 1);
}

/// An attempt whose reason quotes the user, as that of a model's bad answer may.
async fn fail_secret_job(store: &SqliteStore) {
    let claim = Claim {
        kinds: &[JobKind::Learn],
        worker: "w",
        now: Timestamp(2),
        lease: Duration::from_secs(60),
        limit: 1,
        paused: &HashSet::new(),
    };
    let claimed = store.claim(claim).await.unwrap().remove(0);
    store.fail(&claimed.lease, SECRETS[11], Retry::At(Timestamp(3)), Timestamp(2)).await.unwrap();
}

fn secret_request() -> NewRequest {
    let image =
        Image { id: ImageId::new("abc"), media_type: MediaType::Gif, bytes: SECRETS[4].as_bytes().to_vec() };
    let shown = ImageRef { id: image.id.clone(), media_type: image.media_type };
    let plain = new_request("secret", &[]);
    NewRequest {
        request: Request { user_id: SECRETS[2].into(), session_id: SECRETS[3].into(), ..plain.request },
        turns: vec![Turn { image: Some(shown), ..Turn::say(Timestamp(1), "User", SECRETS[0]) }],
        images: vec![image],
        job: Some(NewJob::of_user(JobKind::Learn, SECRETS[2].into(), json!({"said": SECRETS[10]}))),
        also: Vec::new(),
        for_new_version: None,
    }
}

fn secret_playbook() -> UserPlaybook {
    UserPlaybook {
        id: UserPlaybookId(0),
        user_id: Some(SECRETS[2].into()),
        request_id: "secret".into(),
        playbook_name: "playbook".to_owned(),
        agent_version: "v1".to_owned(),
        created_at: Timestamp(1),
        source: None,
        status: Status::Current,
        body: UserPlaybookBody { content: SECRETS[9].to_owned(), ..UserPlaybookBody::default() },
    }
}

/// What a model said about the user to a job about all users, and the record of the call.
async fn save_secret_answer(store: &SqliteStore) {
    let job = NewJob { user_id: None, ..NewJob::of_user(JobKind::Rerun, "x".into(), json!({})) };
    store.enqueue(&org(), vec![job], Timestamp(1)).await.unwrap();
    let claim = Claim {
        kinds: &[JobKind::Rerun],
        worker: "w",
        now: Timestamp(2),
        lease: Duration::from_secs(60),
        limit: 1,
        paused: &HashSet::new(),
    };
    let lease = store.claim(claim).await.unwrap().remove(0).lease;
    let (digest, body) = ("q".to_owned(), SECRETS[5].to_owned());
    let answer = SavedAnswer { digest, user_id: Some(SECRETS[2].into()), body, at: Timestamp(2) };
    let call = ModelCall {
        at: Timestamp(2),
        role: "extraction".to_owned(),
        model: "m".to_owned(),
        prompt_version: None,
        is_correction: false,
        attempt: 1,
        prompt_tokens: 1,
        output_tokens: 1,
        cached_tokens: 0,
        tokens_estimated: false,
        cost_micros: 5,
        price_known: true,
        latency_ms: 1,
        outcome: CallOutcome::Answered,
        run: Some(lease.job.run()),
        user_id: Some(SECRETS[2].into()),
        config: None,
    };
    assert!(store.save_answer(&org(), lease.job, answer, vec![call]).await.unwrap());
}

fn secret_profile() -> Profile {
    Profile {
        id: "p1".into(),
        user_id: SECRETS[2].into(),
        request_id: "secret".into(),
        last_modified: Timestamp(1),
        time_to_live: ProfileTimeToLive::Infinity,
        expires_at: NEVER_EXPIRES,
        source: None,
        status: Status::Current,
        body: ProfileBody { content: SECRETS[1].to_owned(), ..ProfileBody::default() },
    }
}

/// One that names the user, and one that names only the session.
fn secret_injections() -> Vec<Injection> {
    let rule =
        InjectedRule { kind: LearningKind::AgentPlaybook, id: "1".to_owned(), wording: "w".to_owned() };
    let named = Injection {
        id: InjectionId(0),
        at: Timestamp(1),
        route: InjectionRoute::Context,
        session_id: Some(SECRETS[3].into()),
        user_id: Some(SECRETS[2].into()),
        agent_version: None,
        request_id: None,
        block: None,
        rules: vec![rule],
    };
    vec![named.clone(), Injection { user_id: None, ..named }]
}

fn secret_outcome() -> SessionOutcome {
    SessionOutcome {
        id: "o1".to_owned(),
        user_id: SECRETS[2].into(),
        session_id: SECRETS[3].into(),
        kind: OutcomeKind::Failure,
        occurred_at: Timestamp(1),
        source: String::new(),
        label: Some(SECRETS[6].to_owned()),
        value: None,
        metadata: None,
        contract_digest: String::new(),
        trajectory_digest: String::new(),
        created_at: Timestamp(1),
    }
}

fn secret_judgement(turn: InteractionId) -> Judgement {
    let failure = SessionFailure { kind: FailureType::WrongAnswer, reason: SECRETS[7].to_owned() };
    let verdict = Verdict {
        failure: Some(failure),
        is_escalated: false,
        corrections: 0,
        user_turns_to_resolution: None,
        tags: None,
    };
    let (user_id, session_id): (UserId, SessionId) = (SECRETS[2].into(), SECRETS[3].into());
    let evaluation = Evaluation {
        id: EvaluationId(0),
        user_id: user_id.clone(),
        session_id: session_id.clone(),
        agent_version: "v1".to_owned(),
        evaluation_name: None,
        verdict,
        learnings: LearningsStatus::Complete,
        covered: turn,
        evaluated_by: "builtin".to_owned(),
        run: None,
        created_at: Timestamp(1),
    };
    let learning = LearningEvaluation {
        id: LearningEvaluationId(0),
        user_id: user_id.clone(),
        session_id: session_id.clone(),
        agent_version: "v1".to_owned(),
        interaction_id: turn,
        interaction_created_at: Timestamp(1),
        kind: LearningKind::Profile,
        learning_id: "p1".to_owned(),
        is_relevant: Some(true),
        relevance_reason: SECRETS[8].to_owned(),
        impact: None,
        impact_reason: String::new(),
        evaluated_by: "builtin".to_owned(),
        created_at: Timestamp(1),
    };
    Judgement {
        user_id,
        session_id,
        covered: turn,
        evaluation: Some(evaluation),
        learnings: Some(vec![learning]),
    }
}

/// The writer erases while it has nothing else to do.
async fn finish_erasing(store: SqliteStore, path: &Path) {
    let watcher = Connection::open(path).unwrap();
    let left = || watcher.query_row("SELECT count(*) FROM purges", [], |row| row.get::<_, i64>(0)).unwrap();
    while left() > 0 {
        tokio::task::yield_now().await;
    }
    // The watcher may have kept the log from being emptied; closing empties it.
    drop(watcher);
    drop(store);
}

fn traces(folder: &Path) -> Vec<&'static str> {
    SECRETS.into_iter().filter(|secret| is_in_files(folder, secret.as_bytes())).collect()
}

fn is_in_files(folder: &Path, bytes: &[u8]) -> bool {
    let mut files = fs::read_dir(folder).unwrap().map(|entry| fs::read(entry.unwrap().path()).unwrap());
    files.any(|file| file.windows(bytes.len()).any(|part| part == bytes))
}
