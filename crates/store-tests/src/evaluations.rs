use reflexio_store::{
    Error, EvaluationFilter, InteractionSelector, JobEnd, JudgedBy, RequestSelector, SessionRef, Store,
};
use reflexio_types::{Evaluation, EvaluationId, JobState, LearningEvaluation, OrgId, TimeRange};

use crate::sample::{ALL, acme, at, evaluation, judgement, learning_evaluation, other, request, say};
use crate::workers::{claim_one, enqueue, job, learn};

async fn evaluations(store: &dyn Store, org: &OrgId) -> Vec<Evaluation> {
    store.evaluations(org, &EvaluationFilter::default(), ALL).await.unwrap()
}

async fn learnings(store: &dyn Store, org: &OrgId) -> Vec<LearningEvaluation> {
    store.learning_evaluations(org, &EvaluationFilter::default(), ALL).await.unwrap()
}

pub async fn a_judgement_is_read_back_whole_and_replaces_the_one_before(store: &dyn Store) {
    let turn = say(store, &acme(), request("r1", "u1", "s1", 1), &["hello"]).await[0];
    let first = judgement(evaluation("u1", "s1", turn, 5), 2);
    let id = store.judge(&acme(), Some(first.clone()), None, at(5)).await.unwrap().unwrap();
    let stored = evaluations(store, &acme()).await;
    assert_eq!(stored, [Evaluation { id, ..evaluation("u1", "s1", turn, 5) }]);
    let rows = learnings(store, &acme()).await;
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[1], LearningEvaluation { id: rows[1].id, ..learning_evaluation("u1", "s1", turn, 5, 0) });
    let again = store.judge(&acme(), Some(judgement(evaluation("u1", "s1", turn, 9), 1)), None, at(9)).await;
    let again = again.unwrap().unwrap();
    assert!(again > id, "{again} is a new one");
    assert_eq!((evaluations(store, &acme()).await.len(), learnings(store, &acme()).await.len()), (1, 1));
    let mut other_version = evaluation("u1", "s1", turn, 10);
    other_version.agent_version = "v2".to_owned();
    let beside = reflexio_store::Judgement { learnings: None, ..judgement(other_version, 0) };
    store.judge(&acme(), Some(beside), None, at(10)).await.unwrap();
    assert_eq!((evaluations(store, &acme()).await.len(), learnings(store, &acme()).await.len()), (2, 1));
    assert_eq!(store.check_integrity().await.unwrap().problems, Vec::<String>::new());
}

pub async fn a_judgement_is_stored_with_the_end_of_its_job_or_not_at_all(store: &dyn Store) {
    let turn = say(store, &acme(), request("r1", "u1", "s1", 1), &["hello"]).await[0];
    enqueue(store, &acme(), learn("u1"), 0).await;
    let old = claim_one(store, 1).await.lease;
    let lease = claim_one(store, 1_000).await.lease;
    let judge = async |lease, end| {
        let by = JudgedBy { lease, end, operation: None };
        let judgement = judgement(evaluation("u1", "s1", turn, 5), 1);
        store.judge(&acme(), Some(judgement), Some(by), at(1_001)).await
    };
    for end in [JobEnd::Done, JobEnd::GoesOn] {
        let refused = judge(&old, end).await;
        assert!(matches!(refused, Err(Error::LostLease(_))), "{refused:?}");
    }
    assert!(evaluations(store, &acme()).await.is_empty());
    judge(&lease, JobEnd::GoesOn).await.unwrap().unwrap();
    assert_eq!(job(store, lease.job).await.state, JobState::Running);
    judge(&lease, JobEnd::Done).await.unwrap().unwrap();
    assert_eq!(job(store, lease.job).await.state, JobState::Done);
    assert_eq!(evaluations(store, &acme()).await.len(), 1);
}

pub async fn a_session_that_is_gone_is_not_judged(store: &dyn Store) {
    let turn = say(store, &acme(), request("r1", "u1", "s1", 1), &["hello"]).await[0];
    let late = judgement(evaluation("u1", "s1", turn, 5), 1);
    store.clear_user(&acme(), &"u1".into()).await.unwrap();
    say(store, &acme(), request("r2", "u1", "s1", 1), &["another one"]).await;
    enqueue(store, &acme(), learn("u1"), 0).await;
    let lease = claim_one(store, 1).await.lease;
    let by = JudgedBy { lease: &lease, end: JobEnd::Done, operation: None };
    assert_eq!(store.judge(&acme(), Some(late), Some(by), at(5)).await.unwrap(), None);
    assert!(evaluations(store, &acme()).await.is_empty() && learnings(store, &acme()).await.is_empty());
    assert_eq!(job(store, lease.job).await.state, JobState::Done, "there is nothing left to do");
}

pub async fn judgements_go_with_the_turns_they_rest_on(store: &dyn Store) {
    let turns = say(store, &acme(), request("r1", "u1", "s1", 1), &["hello", "there"]).await;
    say(store, &acme(), request("r2", "u1", "s1", 2), &["more"]).await;
    let kept = say(store, &acme(), request("r3", "u1", "s2", 2), &["elsewhere"]).await[0];
    let judge = async |session, turn| {
        let judgement = judgement(evaluation("u1", session, turn, 5), 1);
        store.judge(&acme(), Some(judgement), None, at(5)).await.unwrap().unwrap()
    };
    judge("s2", kept).await;
    judge("s1", turns[1]).await;
    let first = InteractionSelector::One { user_id: "u1".into(), id: turns[0] };
    store.delete_interactions(&acme(), &first).await.unwrap();
    assert_eq!((evaluations(store, &acme()).await.len(), learnings(store, &acme()).await.len()), (1, 1));
    judge("s1", turns[1]).await;
    store.delete_requests(&acme(), &RequestSelector::Session("s1".into())).await.unwrap();
    assert_eq!((evaluations(store, &acme()).await.len(), learnings(store, &acme()).await.len()), (1, 1));
    assert_eq!(store.check_integrity().await.unwrap().problems, Vec::<String>::new());
    store.delete_interactions(&acme(), &InteractionSelector::All).await.unwrap();
    assert_eq!((evaluations(store, &acme()).await.len(), learnings(store, &acme()).await.len()), (0, 0));
}

pub async fn judgements_are_filtered_by_each_field_latest_first(store: &dyn Store) {
    let mut ids = Vec::new();
    for (user, session, second) in [("u1", "s1", 5), ("u1", "s2", 6), ("u2", "s3", 7)] {
        let turn = say(store, &acme(), request(session, user, session, 1), &["hello"]).await[0];
        let mut row = evaluation(user, session, turn, second);
        row.agent_version = format!("v{second}");
        ids.extend(store.judge(&acme(), Some(judgement(row, 1)), None, at(second)).await.unwrap());
    }
    let all = EvaluationFilter::default();
    let check = async |filter: EvaluationFilter, expected: &[EvaluationId]| {
        let rows = store.evaluations(&acme(), &filter, ALL).await.unwrap();
        assert_eq!(rows.iter().map(|row| row.id).collect::<Vec<_>>(), expected, "{filter:?}");
        let rows = store.learning_evaluations(&acme(), &filter, ALL).await.unwrap();
        assert_eq!(rows.len(), expected.len(), "{filter:?}");
    };
    check(all.clone(), &[ids[2], ids[1], ids[0]]).await;
    check(EvaluationFilter { user_id: Some("u1".into()), ..all.clone() }, &[ids[1], ids[0]]).await;
    check(EvaluationFilter { session_id: Some("s2".into()), ..all.clone() }, &[ids[1]]).await;
    check(EvaluationFilter { agent_version: Some("v7".to_owned()), ..all.clone() }, &[ids[2]]).await;
    let time = TimeRange { start: Some(at(6)), end: Some(at(6)) };
    check(EvaluationFilter { time, ..all.clone() }, &[ids[1]]).await;
    assert_eq!(store.evaluations(&acme(), &all, 2).await.unwrap().len(), 2);
}

pub async fn sessions_of_a_time_are_told_with_their_last_version(store: &dyn Store) {
    say(store, &acme(), request("r1", "u1", "s1", 1), &["a"]).await;
    let mut later = request("r2", "u1", "s1", 5);
    later.agent_version = "v2".to_owned();
    say(store, &acme(), later, &["b"]).await;
    say(store, &acme(), request("r3", "u2", "s1", 3), &["c"]).await;
    say(store, &other(), request("r1", "u9", "s9", 3), &["d"]).await;
    let session = |user: &str, version: &str, second| SessionRef {
        user_id: user.into(),
        session_id: "s1".into(),
        agent_version: version.to_owned(),
        last_at: at(second),
    };
    let within = async |start, end| {
        let time = TimeRange { start: Some(at(start)), end: Some(at(end)) };
        store.sessions_within(&acme(), time).await.unwrap()
    };
    assert_eq!(within(0, 9).await, [session("u1", "v2", 5), session("u2", "v1", 3)]);
    assert_eq!(within(0, 2).await, [session("u1", "v1", 1)]);
    assert_eq!(within(6, 9).await, []);
}

pub async fn judgements_of_another_org_are_neither_seen_nor_touched(store: &dyn Store) {
    let turn = say(store, &acme(), request("r1", "u1", "s1", 1), &["hello"]).await[0];
    say(store, &other(), request("r1", "u1", "s1", 1), &["hello"]).await;
    let mine = judgement(evaluation("u1", "s1", turn, 5), 1);
    store.judge(&acme(), Some(mine.clone()), None, at(5)).await.unwrap().unwrap();
    assert_eq!(store.judge(&other(), Some(mine), None, at(5)).await.unwrap(), None, "the turn is not theirs");
    assert!(evaluations(store, &other()).await.is_empty() && learnings(store, &other()).await.is_empty());
    store.clear_user(&other(), &"u1".into()).await.unwrap();
    store.delete_interactions(&other(), &InteractionSelector::All).await.unwrap();
    assert_eq!((evaluations(store, &acme()).await.len(), learnings(store, &acme()).await.len()), (1, 1));
}
