use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use reflexio_learn::Policy;
use reflexio_learn::consolidate::Consolidation;
use reflexio_learn::engine::{Engine, Error, Flush, Learner, Learnt, Meaning, Work};
use reflexio_learn::extract::Extraction;
use reflexio_llm::endpoint::{Reply, TestEndpoint};
use reflexio_llm::{Models, Role, Services, Settings};
use reflexio_store::{Claim, JobFilter, Lease, NewRequest, ProfileFilter, SharedStore, UserPlaybookFilter};
use reflexio_store_sqlite::SqliteStore;
use reflexio_types::{
    Clock, Config, Image, JobKind, JobState, LearningIntent, NewJob, OrgId, Profile, ProfileId, Request,
    Timestamp, Turn, UserPlaybook,
};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A clock that shows what it is told.
pub(crate) struct SetClock(AtomicI64);

impl Clock for SetClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::SeqCst))
    }
}

/// A server without an embedder.
struct WordsOnly;

#[async_trait::async_trait]
impl Meaning for WordsOnly {
    async fn vectors(&self, _: &[String]) -> Option<Vec<Vec<f32>>> {
        None
    }
}

/// A store with an engine on it.
pub(crate) struct Bench {
    pub(crate) store: SharedStore,
    pub(crate) engine: Engine,
    pub(crate) clock: Arc<SetClock>,
    pub(crate) policy: Policy,
    requests: AtomicU64,
    _folder: TempDir,
}

pub(crate) fn org() -> OrgId {
    OrgId::new("acme")
}

fn profile_id() -> ProfileId {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    ProfileId::new(format!("p-{}", NEXT.fetch_add(1, Ordering::Relaxed)))
}

pub(crate) fn said(role: &str, text: &str) -> Turn {
    Turn::say(Timestamp(1), role, text)
}

impl Bench {
    pub(crate) fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let store = SqliteStore::open(&folder.path().join("test.db"), &Default::default()).unwrap();
        let store: SharedStore = Arc::new(store);
        let clock = Arc::new(SetClock(AtomicI64::new(1_000)));
        let engine = Engine {
            store: Arc::clone(&store),
            clock: Arc::clone(&clock) as _,
            new_profile_id: profile_id,
            meaning: Arc::new(WordsOnly),
        };
        let policy = Policy::of(&Config::default());
        Self { store, engine, clock, policy, requests: AtomicU64::new(1), _folder: folder }
    }

    /// Publishes turns that are to be learned from at once.
    pub(crate) async fn publish(&self, turns: &[Turn]) {
        let intent = LearningIntent { force_extraction: true, ..LearningIntent::default() };
        self.publish_as(turns, Vec::new(), "chat", intent).await;
    }

    pub(crate) async fn publish_as(
        &self,
        turns: &[Turn],
        images: Vec<Image>,
        source: &str,
        intent: LearningIntent,
    ) {
        let number = self.requests.fetch_add(1, Ordering::Relaxed);
        let request = Request {
            id: format!("r{number}").into(),
            user_id: "ann".into(),
            session_id: "s1".into(),
            created_at: self.clock.now(),
            source: source.to_owned(),
            agent_version: "v1".to_owned(),
            experiment: None,
            intent,
        };
        let job = NewJob {
            dedup_key: Some("learn:ann".to_owned()),
            ..NewJob::of_user(JobKind::Learn, "ann".into(), Value::Null)
        };
        let new = NewRequest {
            request,
            turns: turns.to_vec(),
            images,
            job: Some(job),
            also: Vec::new(),
            for_new_version: None,
        };
        self.store.publish(&org(), new).await.unwrap();
    }

    /// Takes the job of the user, as a worker that others give up on after a second.
    pub(crate) async fn claim(&self) -> Lease {
        self.clock.0.fetch_add(100, Ordering::SeqCst);
        let claim = Claim {
            kinds: &[JobKind::Learn],
            worker: "w",
            now: self.clock.now(),
            lease: Duration::from_secs(1),
            limit: 1,
            paused: &HashSet::new(),
        };
        self.store.claim(claim).await.unwrap().remove(0).lease
    }

    pub(crate) async fn learn_with(&self, lease: &Lease, learner: &Learner) -> Result<Learnt, Error> {
        let user = "ann".into();
        let work = Work { lease, user: &user, policy: &self.policy, learner };
        let learnt = self.engine.learn_due(work, Flush::Asked).await?;
        if learnt.windows == 0 || learnt.waiting_since.is_some() {
            self.store.complete(lease, self.clock.now()).await?;
        }
        Ok(learnt)
    }

    pub(crate) async fn learn(&self, learner: &Learner) -> Result<Learnt, Error> {
        let lease = self.claim().await;
        self.learn_with(&lease, learner).await
    }

    pub(crate) async fn profiles(&self) -> Vec<Profile> {
        self.store.profiles(&org(), &ProfileFilter::default(), 1_000).await.unwrap()
    }

    pub(crate) async fn playbooks(&self) -> Vec<UserPlaybook> {
        self.store.user_playbooks(&org(), &UserPlaybookFilter::default(), 1_000).await.unwrap()
    }

    /// Contents of all rows, sorted: what was learned, without ids and times.
    pub(crate) async fn contents(&self) -> Vec<String> {
        let facts = self.profiles().await.into_iter().map(|row| row.body.content);
        let rules = self.playbooks().await.into_iter().map(|row| row.body.content);
        let mut all: Vec<String> = facts.chain(rules).collect();
        all.sort();
        all
    }

    pub(crate) async fn job_state(&self) -> JobState {
        let learning = JobFilter { kind: Some(JobKind::Learn.as_str().to_owned()), ..JobFilter::default() };
        let (mut jobs, _) = self.store.jobs(&org(), &learning, reflexio_store::Page::first(1)).await.unwrap();
        jobs.remove(0).state
    }
}

pub(crate) async fn endpoint(replies: impl IntoIterator<Item = Reply>) -> TestEndpoint {
    TestEndpoint::scripted(replies).await.unwrap()
}

pub(crate) fn learner(endpoint: &TestEndpoint) -> Learner {
    learner_of(endpoint.settings())
}

pub(crate) fn learner_of(settings: Settings) -> Learner {
    let models = Models::new(settings, Services::default()).unwrap();
    let extraction = Extraction::new(models.for_role(Role::Extraction).unwrap()).unwrap();
    let consolidation = Consolidation::new(models.for_role(Role::Consolidation).unwrap()).unwrap();
    Learner::with(extraction, consolidation)
}

/// A conversation that teaches something.
pub(crate) fn conversation() -> Vec<Turn> {
    vec![
        said("User", "Please summarise this report."),
        said("Agent", "Here is a long summary in prose."),
        said("User", "No, that's wrong. Always use bullet points when you summarise reports."),
    ]
}

pub(crate) fn fact(content: &str, evidence: &[&str]) -> Value {
    json!({"content": content, "time_to_live": "infinity", "evidence": evidence})
}

pub(crate) fn rule(instruction: &str, evidence: &[&str]) -> Value {
    rule_for("The user asks for a summary", instruction, evidence)
}

pub(crate) fn rule_for(trigger: &str, instruction: &str, evidence: &[&str]) -> Value {
    json!({"playbook_name": "playbook", "trigger": trigger, "instruction": instruction, "evidence": evidence})
}

pub(crate) fn answer(profiles: &[Value], playbooks: &[Value]) -> Value {
    json!({"profiles": profiles, "playbooks": playbooks})
}

pub(crate) fn good() -> Value {
    answer(&[fact("Likes short texts.", &["T3"])], &[rule("Use bullet points", &["T1", "T3"])])
}

impl Bench {
    /// A job that was interrupted too often is given new attempts.
    pub(crate) async fn retry_if_dead(&self) {
        self.clock.0.fetch_add(100, Ordering::SeqCst);
        let nothing = Claim {
            kinds: &[],
            worker: "w",
            now: self.clock.now(),
            lease: Duration::from_secs(1),
            limit: 1,
            paused: &HashSet::new(),
        };
        self.store.claim(nothing).await.unwrap();
        if self.job_state().await == JobState::Dead {
            self.store.retry_job(&org(), reflexio_types::JobId(1), self.clock.now()).await.unwrap();
        }
    }
}
