//! Small rows with everything a test does not care about already filled in.

use std::sync::atomic::{AtomicU64, Ordering};

use reflexio_search::TextQuery;
use reflexio_store::{
    AgentPlaybookFilter, Ask, InteractionFilter, InteractionOrder, JobFilter, Judgement, NewRequest, Page,
    ProfileFilter, RunStart, Scored, Store, UserPlaybookFilter,
};
use reflexio_types::{
    AgentPlaybook, AgentPlaybookBody, AgentPlaybookId, Evaluation, EvaluationId, FailureType, Image, ImageId,
    ImageRef, Impact, Interaction, InteractionId, JobKind, LearningEvaluation, LearningEvaluationId,
    LearningIntent, LearningKind, LearningsStatus, MediaType, NEVER_EXPIRES, NewJob, OrgId, OutcomeKind,
    PlaybookStatus, Profile, ProfileBody, ProfileTimeToLive, Request, RunId, RunKind, SessionFailure,
    SessionOutcome, Status, Timestamp, Turn, UserPlaybook, UserPlaybookBody, UserPlaybookId, Verdict,
};

static RUNS: AtomicU64 = AtomicU64::new(1);

/// A run of its own.
pub(crate) fn a_run() -> RunStart {
    RunStart {
        id: RunId::new(format!("run-{}", RUNS.fetch_add(1, Ordering::Relaxed))),
        kind: RunKind::Upgrade,
        actor: Some("key-1".to_owned()),
        automatic: false,
        job: None,
        scope: "everything".to_owned(),
        user_id: None,
    }
}

/// No list in these tests is longer.
pub(crate) const ALL: usize = 10_000;

pub(crate) fn acme() -> OrgId {
    OrgId::new("acme")
}

/// The neighbour whose rows must never be seen or touched.
pub(crate) fn other() -> OrgId {
    OrgId::new("other")
}

pub(crate) fn at(second: i64) -> Timestamp {
    Timestamp(1_700_000_000 + second)
}

pub(crate) fn request(id: &str, user: &str, session: &str, second: i64) -> Request {
    Request {
        id: id.into(),
        user_id: user.into(),
        session_id: session.into(),
        created_at: at(second),
        source: "chat".to_owned(),
        agent_version: "v1".to_owned(),
        experiment: None,
        intent: LearningIntent::default(),
    }
}

pub(crate) fn new_request(request: Request, texts: &[&str]) -> NewRequest {
    let turns = texts.iter().map(|text| Turn::say(request.created_at, "User", text)).collect();
    NewRequest { request, turns, images: Vec::new(), job: None, also: Vec::new(), for_new_version: None }
}

pub(crate) fn learn(user: &str) -> NewJob {
    let job = NewJob::of_user(JobKind::Learn, user.into(), serde_json::json!({ "user": user }));
    NewJob { dedup_key: Some(format!("learn:{user}")), ..job }
}

/// A picture and a turn that shows it.
pub(crate) fn image(name: &str) -> Image {
    let bytes = format!("GIF89a {name}").into_bytes();
    Image { id: ImageId::new(format!("{name:0>64}")), media_type: MediaType::Gif, bytes }
}

pub(crate) fn showing(second: i64, text: &str, image: &Image) -> Turn {
    let shown = ImageRef { id: image.id.clone(), media_type: image.media_type };
    Turn { image: Some(shown), ..Turn::say(at(second), "User", text) }
}

pub(crate) fn profile(id: &str, user: &str, second: i64, content: &str) -> Profile {
    Profile {
        id: id.into(),
        user_id: user.into(),
        request_id: "r1".into(),
        last_modified: at(second),
        time_to_live: ProfileTimeToLive::Infinity,
        expires_at: NEVER_EXPIRES,
        source: None,
        status: Status::Current,
        body: ProfileBody { content: content.to_owned(), ..ProfileBody::default() },
    }
}

pub(crate) fn user_playbook(user: &str, second: i64, content: &str) -> UserPlaybook {
    UserPlaybook {
        id: UserPlaybookId(0),
        user_id: Some(user.into()),
        request_id: "r1".into(),
        playbook_name: "support".to_owned(),
        agent_version: "v1".to_owned(),
        created_at: at(second),
        source: None,
        status: Status::Current,
        body: UserPlaybookBody { content: content.to_owned(), ..UserPlaybookBody::default() },
    }
}

pub(crate) fn agent_playbook(name: &str, second: i64, content: &str) -> AgentPlaybook {
    AgentPlaybook {
        id: AgentPlaybookId(0),
        playbook_name: name.to_owned(),
        agent_version: "v1".to_owned(),
        created_at: at(second),
        playbook_status: PlaybookStatus::Pending,
        status: Status::Current,
        body: AgentPlaybookBody { content: content.to_owned(), ..AgentPlaybookBody::default() },
    }
}

pub(crate) fn outcome(id: &str, user: &str, session: &str, second: i64) -> SessionOutcome {
    SessionOutcome {
        id: id.to_owned(),
        user_id: user.into(),
        session_id: session.into(),
        kind: OutcomeKind::Success,
        occurred_at: at(second),
        source: "chat".to_owned(),
        label: None,
        value: None,
        metadata: None,
        contract_digest: "c".repeat(64),
        trajectory_digest: "d".repeat(64),
        created_at: at(second),
    }
}

/// Not stored yet: its id is 0.
pub(crate) fn evaluation(user: &str, session: &str, covered: InteractionId, second: i64) -> Evaluation {
    let failure = SessionFailure { kind: FailureType::WrongTool, reason: "took the wrong one".to_owned() };
    Evaluation {
        id: EvaluationId(0),
        user_id: user.into(),
        session_id: session.into(),
        agent_version: "v1".to_owned(),
        evaluation_name: Some("agent_success".to_owned()),
        verdict: Verdict {
            failure: Some(failure),
            is_escalated: true,
            corrections: 2,
            user_turns_to_resolution: None,
            tags: Some(vec!["billing".to_owned()]),
        },
        learnings: LearningsStatus::Complete,
        covered,
        evaluated_by: "builtin".to_owned(),
        run: None,
        created_at: at(second),
    }
}

pub(crate) fn learning_evaluation(
    user: &str,
    session: &str,
    turn: InteractionId,
    second: i64,
    number: usize,
) -> LearningEvaluation {
    LearningEvaluation {
        id: LearningEvaluationId(0),
        user_id: user.into(),
        session_id: session.into(),
        agent_version: "v1".to_owned(),
        interaction_id: turn,
        interaction_created_at: at(1),
        kind: LearningKind::Profile,
        learning_id: format!("p{number}"),
        is_relevant: Some(true),
        relevance_reason: "it was about that".to_owned(),
        impact: Some(Impact::Positive),
        impact_reason: "it helped".to_owned(),
        evaluated_by: "builtin".to_owned(),
        created_at: at(second),
    }
}

/// A judgement with so many judged learnings.
pub(crate) fn judgement(evaluation: Evaluation, learnings: usize) -> Judgement {
    let (user, session) = (evaluation.user_id.as_str(), evaluation.session_id.as_str());
    let second = evaluation.created_at.0 - at(0).0;
    let of = |number| LearningEvaluation {
        agent_version: evaluation.agent_version.clone(),
        ..learning_evaluation(user, session, evaluation.covered, second, number)
    };
    Judgement {
        user_id: evaluation.user_id.clone(),
        session_id: evaluation.session_id.clone(),
        covered: evaluation.covered,
        learnings: Some((0..learnings).map(of).collect()),
        evaluation: Some(evaluation),
    }
}

pub(crate) async fn publish(store: &dyn Store, org: &OrgId, new: NewRequest) -> Vec<InteractionId> {
    store.publish(org, new).await.unwrap().interaction_ids
}

/// Publishes plain turns of the same second.
pub(crate) async fn say(
    store: &dyn Store,
    org: &OrgId,
    request: Request,
    texts: &[&str],
) -> Vec<InteractionId> {
    publish(store, org, new_request(request, texts)).await
}

pub(crate) async fn add_profiles(store: &dyn Store, org: &OrgId, rows: &[Profile]) {
    store.add_profiles(org, rows.to_vec(), None).await.unwrap();
}

/// Stores rows one by one, so that their ids follow the list, and gives them back with their ids.
pub(crate) async fn add_user_playbooks(
    store: &dyn Store,
    org: &OrgId,
    rows: &[UserPlaybook],
) -> Vec<UserPlaybook> {
    let ids = store.add_user_playbooks(org, rows.to_vec(), None).await.unwrap();
    rows.iter().zip(ids).map(|(row, id)| UserPlaybook { id, ..row.clone() }).collect()
}

pub(crate) async fn add_agent_playbooks(
    store: &dyn Store,
    org: &OrgId,
    rows: &[AgentPlaybook],
) -> Vec<AgentPlaybook> {
    let ids = store.add_agent_playbooks(org, rows.to_vec(), None).await.unwrap();
    rows.iter().zip(ids).map(|(row, id)| AgentPlaybook { id, ..row.clone() }).collect()
}

pub(crate) async fn interactions(store: &dyn Store, org: &OrgId) -> Vec<Interaction> {
    store.interactions(org, &InteractionFilter::default(), InteractionOrder::NewestFirst, ALL).await.unwrap()
}

pub(crate) async fn profiles(store: &dyn Store, org: &OrgId) -> Vec<Profile> {
    store.profiles(org, &ProfileFilter::default(), ALL).await.unwrap()
}

pub(crate) async fn user_playbooks(store: &dyn Store, org: &OrgId) -> Vec<UserPlaybook> {
    store.user_playbooks(org, &UserPlaybookFilter::default(), ALL).await.unwrap()
}

pub(crate) async fn agent_playbooks(store: &dyn Store, org: &OrgId) -> Vec<AgentPlaybook> {
    store.agent_playbooks(org, &AgentPlaybookFilter::default(), ALL).await.unwrap()
}

pub(crate) async fn found(store: &dyn Store, org: &OrgId, query: &str) -> Vec<String> {
    let filter = InteractionFilter::default();
    let rows =
        store.search_interactions(org, &filter, &Ask::words(&TextQuery::parse(query), ALL)).await.unwrap();
    texts(&rows)
}

pub(crate) fn texts(rows: &[Scored<Interaction>]) -> Vec<String> {
    rows.iter().map(|scored| scored.row.turn.content.clone()).collect()
}

/// One of everything, for a neighbour that nobody may touch.
pub(crate) async fn settle(store: &dyn Store, org: &OrgId) {
    let picture = image("shared");
    let new = NewRequest {
        images: vec![picture.clone()],
        turns: vec![showing(1, "refund for the neighbour", &picture)],
        job: Some(learn("u1")),
        ..new_request(request("r1", "u1", "s1", 1), &[])
    };
    let turn = publish(store, org, new).await[0];
    store.record_outcome(org, outcome("o1", "u1", "s1", 1)).await.unwrap();
    store.judge(org, Some(judgement(evaluation("u1", "s1", turn, 1), 1)), None, at(1)).await.unwrap();
    add_profiles(store, org, &[profile("p1", "u1", 1, "likes refunds")]).await;
    add_user_playbooks(store, org, &[user_playbook("u1", 1, "refund at once")]).await;
    add_agent_playbooks(store, org, &[agent_playbook("rule", 1, "refund politely")]).await;
}

/// Everything of an org that can be listed, as one text to compare.
pub(crate) async fn everything(store: &dyn Store, org: &OrgId) -> String {
    let mut lines = Vec::new();
    let mut sink = |record| {
        lines.push(serde_json::to_string(&record).unwrap());
        Ok(())
    };
    store.export(org, &mut sink).await.unwrap();
    let jobs = store.jobs(org, &JobFilter::default(), Page::first(ALL)).await.unwrap();
    lines.push(format!(
        "{jobs:?} {:?} {:?}",
        store.stats(org, None).await.unwrap(),
        store.stall(org).await.unwrap()
    ));
    lines.push(format!("{:?}", found(store, org, "refund").await));
    lines.join("\n")
}
