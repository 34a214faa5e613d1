use reflexio_learn::Wanted;
use reflexio_learn::engine::{Learner, Selection, Work};
use reflexio_llm::endpoint::Reply;
use reflexio_store::{JobEnd, RunStart};
use reflexio_types::config::PlaybookConfig;
use reflexio_types::{
    CONTEXT_BEGINS, CONTEXT_ENDS, Image, ImageId, ImageRef, LearningIntent, MediaType, Operation,
    OperationState, RunKind, Status, Timestamp, Turn,
};
use serde_json::json;

use crate::support::{Bench, answer, conversation, endpoint, fact, learner, org, said};

const QUIET: LearningIntent = LearningIntent {
    evaluation_only: false,
    force_extraction: false,
    skip_aggregation: false,
    override_learning_stall: false,
    session_finished: false,
};

#[tokio::test(flavor = "multi_thread")]
async fn without_a_model_the_built_in_learner_learns() {
    let bench = Bench::new();
    bench.publish(&conversation()).await;
    let learnt = bench.learn(&Learner::Builtin).await.unwrap();
    assert_eq!((learnt.windows, learnt.playbooks), (1, 1));
    let row = bench.playbooks().await.remove(0);
    assert_eq!(row.body.learned_by.as_deref(), Some("builtin"));
    assert_eq!(
        (row.request_id.as_str(), row.agent_version.as_str(), row.source.as_deref()),
        ("r1", "v1", Some("chat"))
    );
    assert!(!row.body.source_interaction_ids.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn turns_wait_until_their_window_is_full() {
    let bench = Bench::new();
    bench.publish_as(&conversation(), Vec::new(), "chat", QUIET).await;
    let learnt = bench.learn(&Learner::Builtin).await.unwrap();
    assert_eq!((learnt.windows, learnt.waiting_since.is_some()), (0, true));
    let more: Vec<Turn> = (0..8).map(|n| said("Agent", &format!("Statement {n}"))).collect();
    bench.publish_as(&more, Vec::new(), "chat", QUIET).await;
    let learnt = bench.learn(&Learner::Builtin).await.unwrap();
    assert_eq!((learnt.windows, learnt.playbooks), (1, 1));
    let cursors = bench.store.cursors(&org(), &"ann".into()).await.unwrap();
    let covered: Vec<i64> = cursors.iter().map(|cursor| cursor.covered.0).collect();
    assert_eq!(covered, [10, 10]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_learned_from_is_not_learned_from_again() {
    let bench = Bench::new();
    bench.publish(&conversation()).await;
    bench.learn(&Learner::Builtin).await.unwrap();
    let before = bench.contents().await;
    bench.publish(&[said("User", "Thank you.")]).await;
    let learnt = bench.learn(&Learner::Builtin).await.unwrap();
    assert_eq!(learnt.windows, 1);
    assert_eq!(bench.contents().await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn extractors_with_the_same_window_share_one_call_and_others_have_their_own() {
    let mut bench = Bench::new();
    let mut narrow = PlaybookConfig::named("billing", "Everything about invoices.");
    narrow.request_sources_enabled = Some(vec!["billing".to_owned()]);
    let quality = PlaybookConfig {
        metadata_definition_prompt: Some("- quality_score: 1-5 rating".to_owned()),
        ..PlaybookConfig::named("quality", "How good the answers were.")
    };
    bench.policy.playbooks.extend([narrow, quality]);
    let rule = json!({"playbook_name": "quality", "trigger": "t", "instruction": "i", "evidence": ["T1"],
                      "metadata": [{"name": "quality_score", "value": "4"}, {"name": "mood", "value": "good"}]});
    bench.publish(&conversation()).await;
    let endpoint = endpoint([Reply::Json(answer(&[], &[rule]))]).await;
    bench.learn(&learner(&endpoint)).await.unwrap();
    assert_eq!(endpoint.count(), 1, "`billing` does not learn from chats");
    assert!(!endpoint.requests()[0].prompt().contains("invoices"));
    let row = bench.playbooks().await.remove(0);
    assert_eq!(row.body.playbook_metadata, r#"{"mood":"good","quality_score":4}"#);
    let force = LearningIntent { force_extraction: true, ..QUIET };
    bench.publish_as(&[said("User", "My invoice is wrong.")], Vec::new(), "billing", force).await;
    endpoint.respond(|_| Reply::Json(answer(&[], &[])));
    let learnt = bench.learn(&learner(&endpoint)).await.unwrap();
    assert_eq!(
        (learnt.windows, endpoint.count()),
        (2, 3),
        "its windows hold other turns, so it asks by itself"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn evaluation_only_turns_are_in_no_window() {
    let bench = Bench::new();
    let intent = LearningIntent { evaluation_only: true, ..QUIET };
    bench.publish_as(&conversation(), Vec::new(), "chat", intent).await;
    bench.publish(&[said("User", "Hello.")]).await;
    let endpoint = endpoint([Reply::Json(answer(&[], &[]))]).await;
    bench.learn(&learner(&endpoint)).await.unwrap();
    assert!(!endpoint.requests()[0].prompt().contains("bullet points"));
}

#[tokio::test(flavor = "multi_thread")]
async fn our_own_words_are_not_learned_from() {
    let bench = Bench::new();
    let block = format!("Here: {CONTEXT_BEGINS}The user loves secret-recipe soup.{CONTEXT_ENDS} What now?");
    bench
        .publish(&[said("User", &block), said("User", &format!("{CONTEXT_BEGINS}only ours{CONTEXT_ENDS}"))])
        .await;
    let endpoint = endpoint([Reply::Json(answer(&[], &[]))]).await;
    bench.learn(&learner(&endpoint)).await.unwrap();
    let prompt = endpoint.requests()[0].prompt();
    assert!(prompt.contains("What now?") && !prompt.contains("secret-recipe"), "{prompt}");
    assert!(!prompt.contains("[T2]"), "a turn that is all ours is no turn");
}

#[tokio::test(flavor = "multi_thread")]
async fn all_pictures_of_a_window_reach_the_model() {
    let bench = Bench::new();
    let picture = |name: &str| Image {
        id: ImageId::new(format!("{name:0>64}")),
        media_type: MediaType::Png,
        bytes: name.as_bytes().to_vec(),
    };
    let images = vec![picture("one"), picture("two")];
    let show = |image: &Image| Turn {
        image: Some(ImageRef { id: image.id.clone(), media_type: image.media_type }),
        ..said("User", "look")
    };
    let force = LearningIntent { force_extraction: true, ..QUIET };
    let turns = [show(&images[0]), said("Agent", "Nice."), show(&images[1])];
    bench.publish_as(&turns, images, "chat", force).await;
    let endpoint = endpoint([Reply::Json(answer(&[fact("Has two pictures.", &["T1", "T3"])], &[]))]).await;
    bench.learn(&learner(&endpoint)).await.unwrap();
    let body = endpoint.requests()[0].body.to_string();
    assert_eq!(body.matches("data:image/png;base64,").count(), 2, "{body}");
    assert!(body.contains("The picture of T3:"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_extractor_of_a_rare_source_does_not_hold_up_the_others() {
    let mut bench = Bench::new();
    let mut rare = PlaybookConfig::named("billing", "Everything about invoices.");
    rare.request_sources_enabled = Some(vec!["billing".to_owned()]);
    bench.policy.playbooks = vec![PlaybookConfig::general(), rare];
    let force = LearningIntent { force_extraction: true, ..QUIET };
    bench.publish_as(&[said("User", "My invoice is wrong.")], Vec::new(), "billing", force.clone()).await;
    bench.learn(&Learner::Builtin).await.unwrap();
    let chat: Vec<Turn> = (0..900).map(|n| said("Agent", &format!("Statement {n}"))).collect();
    for _ in 0..5 {
        bench.publish_as(&chat, Vec::new(), "chat", QUIET).await;
        bench.learn(&Learner::Builtin).await.unwrap();
    }
    bench.publish(&conversation()).await;
    let learnt = bench.learn(&Learner::Builtin).await.unwrap();
    assert_eq!((learnt.windows, learnt.playbooks), (1, 1));
    let cursors = bench.store.cursors(&org(), &"ann".into()).await.unwrap();
    let covered = |name: &str| cursors.iter().find(|cursor| cursor.extractor == name).unwrap().covered.0;
    assert_eq!(covered("playbook:playbook"), 4504);
    assert!(covered("playbook:billing") > 2000, "{cursors:?}");
    bench.publish_as(&[said("User", "The invoice again.")], Vec::new(), "billing", force).await;
    let learnt = bench.learn(&Learner::Builtin).await.unwrap();
    assert_eq!(learnt.windows, 2, "each has windows of its own now");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rerun_reads_everything_and_changes_nothing_that_is_in_use() {
    let bench = Bench::new();
    let turns: Vec<Turn> = (0..23).map(|n| said("User", &format!("Statement {n}"))).collect();
    bench.publish_as(&turns, Vec::new(), "chat", QUIET).await;
    let endpoint = endpoint([]).await;
    endpoint.respond(|seen| {
        let named = seen.prompt().matches("Statement").count();
        Reply::Json(json!({"profiles": [fact(&format!("{named} turns"), &["T1", "T3", "T5"])]}))
    });
    let lease = bench.claim().await;
    let (user, learner) = ("ann".into(), learner(&endpoint));
    let work = Work { lease: &lease, user: &user, policy: &bench.policy, learner: &learner };
    let operation = Operation {
        id: "o1".to_owned(),
        service_name: "profile_generation".to_owned(),
        state: OperationState::InProgress,
        started_at: Timestamp(1),
        completed_at: None,
        total_users: 1,
        processed_user_ids: Vec::new(),
        failed_user_ids: Vec::new(),
        current_user_id: None,
        request_params: Default::default(),
        stats: Default::default(),
        error_message: None,
    };
    let progress = |_| (operation.clone(), JobEnd::Done);
    let which = Selection::default();
    let run = RunStart {
        id: "job-1".into(),
        kind: RunKind::Rerun,
        actor: None,
        automatic: false,
        job: Some(lease.job),
        scope: String::new(),
        user_id: None,
    };
    let learnt = bench.engine.learn_again(work, Wanted::Profiles, &which, run, progress).await.unwrap();
    assert_eq!((learnt.windows, learnt.turns), (3, 23), "10, 8 and the 5 that are left");
    assert!(bench.profiles().await.iter().all(|row| row.status == Status::Pending));
    assert!(bench.store.cursors(&org(), &user).await.unwrap().is_empty(), "what is due stays due");
    assert_eq!(bench.store.operation(&org(), "profile_generation").await.unwrap(), Some(operation));
    let told = bench.store.run(&org(), &"job-1".into()).await.unwrap().unwrap();
    assert_eq!(told.added, bench.profiles().await.len() as u64);
}
