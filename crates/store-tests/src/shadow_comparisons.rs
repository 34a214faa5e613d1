use reflexio_store::{
    Error, InteractionSelector, JobEnd, Lease, NewRequest, Page, RequestSelector, ShadowComparisonFilter,
    ShadowJudgement, ShadowTurnFilter, Store,
};
use reflexio_types::{
    AnswerOrder, InteractionId, JobKind, JobState, NewJob, OrgId, RegularVsShadow, Request, ShadowComparison,
    ShadowComparisonBody, ShadowComparisonId, TimeRange, Turn, UserId,
};

use crate::sample::{ALL, a_run, acme, at, everything, new_request, other, publish, request, say};
use crate::transfer::export;
use crate::workers::{claim_one, enqueue, job};

/// A request with a question and an answer that has an alternative; the id of the answer.
async fn answered(store: &dyn Store, org: &OrgId, request: Request) -> InteractionId {
    let mut answer = Turn::say(request.created_at, "Agent", "Please give your order number.");
    answer.shadow_content = "Is it about order 12345?".to_owned();
    let turns = vec![Turn::say(request.created_at, "User", "I want to return it."), answer];
    publish(store, org, NewRequest { turns, ..new_request(request, &[]) }).await[1]
}

async fn lease(store: &dyn Store, org: &OrgId, second: i64) -> Lease {
    let job = NewJob::of_user(JobKind::CompareShadow, "ann".into(), serde_json::Value::Null);
    enqueue(store, org, job, second).await;
    claim_one(store, second).await.lease
}

fn comparison(id: InteractionId, of: &Request, verdict: RegularVsShadow, second: i64) -> ShadowComparison {
    ShadowComparison {
        id: ShadowComparisonId(0),
        interaction_id: id,
        request_id: of.id.clone(),
        session_id: of.session_id.clone(),
        user_id: of.user_id.clone(),
        agent_version: of.agent_version.clone(),
        verdict,
        created_at: at(second),
        body: ShadowComparisonBody {
            reason: "it knows the order".to_owned(),
            order: Some(AnswerOrder::ShadowFirst),
            prompt_version: Some("shadow-comparison@v1".to_owned()),
            judged_by: "test/model".to_owned(),
        },
    }
}

/// Judges the answer of a new request.
async fn judge(store: &dyn Store, org: &OrgId, of: Request, verdict: RegularVsShadow, second: i64) {
    let id = answered(store, org, of.clone()).await;
    let comparison = Some(comparison(id, &of, verdict, second));
    let lease = lease(store, org, second).await;
    let judgement = ShadowJudgement { comparison, end: JobEnd::Done };
    store.judge_shadow(&lease, judgement, at(second)).await.unwrap();
}

async fn listed(store: &dyn Store, org: &OrgId, filter: &ShadowComparisonFilter) -> Vec<ShadowComparison> {
    store.shadow_comparisons(org, filter, Page::first(ALL)).await.unwrap().0
}

async fn all(store: &dyn Store, org: &OrgId) -> Vec<ShadowComparison> {
    listed(store, org, &ShadowComparisonFilter::default()).await
}

pub async fn a_comparison_is_stored_with_the_end_of_its_job(store: &dyn Store) {
    let of = request("r1", "ann", "s1", 1);
    let id = answered(store, &acme(), of.clone()).await;
    let lease = lease(store, &acme(), 2).await;
    let made = comparison(id, &of, RegularVsShadow::Tied, 3);
    let first = ShadowJudgement { comparison: Some(made.clone()), end: JobEnd::GoesOn };
    store.judge_shadow(&lease, first, at(3)).await.unwrap();
    assert_eq!(job(store, lease.job).await.state, JobState::Running);
    let mut stored = all(store, &acme()).await.remove(0);
    assert!(stored.id.0 > 0);
    stored.id = ShadowComparisonId(0);
    assert_eq!(stored, made);
    let last = ShadowJudgement { comparison: None, end: JobEnd::Done };
    store.judge_shadow(&lease, last, at(4)).await.unwrap();
    assert_eq!(job(store, lease.job).await.state, JobState::Done);
    assert_eq!(store.check_integrity().await.unwrap().problems, Vec::<String>::new());
}

pub async fn a_comparison_without_its_lease_is_not_stored(store: &dyn Store) {
    let of = request("r1", "ann", "s1", 1);
    let id = answered(store, &acme(), of.clone()).await;
    let old = lease(store, &acme(), 2).await;
    let new = claim_one(store, 1_000).await.lease;
    for end in [JobEnd::Done, JobEnd::GoesOn] {
        let comparison = Some(comparison(id, &of, RegularVsShadow::Tied, 3));
        let refused = store.judge_shadow(&old, ShadowJudgement { comparison, end }, at(1_001)).await;
        assert!(matches!(refused, Err(Error::LostLease(_))), "{refused:?}");
    }
    assert_eq!(all(store, &acme()).await, []);
    let comparison = Some(comparison(id, &of, RegularVsShadow::ShadowIsBetter, 3));
    store.judge_shadow(&new, ShadowJudgement { comparison, end: JobEnd::Done }, at(1_002)).await.unwrap();
    assert_eq!(all(store, &acme()).await.len(), 1);
}

pub async fn a_turn_has_one_comparison_and_a_later_one_takes_its_place(store: &dyn Store) {
    let of = request("r1", "ann", "s1", 1);
    judge(store, &acme(), of.clone(), RegularVsShadow::Tied, 2).await;
    let before = all(store, &acme()).await.remove(0);
    let lease = lease(store, &acme(), 3).await;
    let again = comparison(before.interaction_id, &of, RegularVsShadow::ShadowIsBetter, 5);
    let judgement = ShadowJudgement { comparison: Some(again), end: JobEnd::Done };
    store.judge_shadow(&lease, judgement, at(5)).await.unwrap();
    let after = all(store, &acme()).await;
    assert_eq!(after.len(), 1);
    assert_eq!((after[0].verdict, after[0].created_at), (RegularVsShadow::ShadowIsBetter, at(5)));
}

pub async fn a_comparison_goes_with_its_turn(store: &dyn Store) {
    for name in ["r1", "r2", "r3", "r4"] {
        let user = if name == "r4" { "bob" } else { "ann" };
        judge(store, &acme(), request(name, user, name, 1), RegularVsShadow::Tied, 2).await;
    }
    let first = all(store, &acme()).await.pop().unwrap();
    let one = InteractionSelector::One { user_id: "ann".into(), id: first.interaction_id };
    store.delete_interactions(&acme(), &one).await.unwrap();
    assert_eq!(all(store, &acme()).await.len(), 3);
    store.delete_requests(&acme(), &RequestSelector::Ids(vec!["r2".into()])).await.unwrap();
    assert_eq!(all(store, &acme()).await.len(), 2);
    assert_eq!(store.clear_user(&acme(), &UserId::new("ann")).await.unwrap().shadow_comparisons, 1);
    assert_eq!(all(store, &acme()).await.len(), 1);
    // Whoever judges a turn that is gone ends the job and stores nothing.
    let lease = lease(store, &acme(), 5).await;
    let late = comparison(first.interaction_id, &request("r1", "ann", "r1", 1), RegularVsShadow::Tied, 5);
    let judgement = ShadowJudgement { comparison: Some(late), end: JobEnd::Done };
    store.judge_shadow(&lease, judgement, at(5)).await.unwrap();
    assert_eq!(job(store, lease.job).await.state, JobState::Done);
    assert_eq!(all(store, &acme()).await.len(), 1);
    assert_eq!(store.check_integrity().await.unwrap().problems, Vec::<String>::new());
}

pub async fn comparisons_come_newest_first_by_each_filter_and_in_pages(store: &dyn Store) {
    use RegularVsShadow::{RegularIsBetter, ShadowIsBetter, ShadowIsSlightlyBetter, Tied};
    let of = |id: &str, user: &str, session: &str, version: &str| Request {
        agent_version: version.to_owned(),
        ..request(id, user, session, 1)
    };
    judge(store, &acme(), of("r1", "ann", "s1", "v1"), RegularIsBetter, 10).await;
    judge(store, &acme(), of("r2", "ann", "s2", "v2"), ShadowIsBetter, 20).await;
    judge(store, &acme(), of("r3", "bob", "s2", "v2"), ShadowIsSlightlyBetter, 30).await;
    judge(store, &acme(), of("r4", "bob", "s3", "v2"), Tied, 30).await;
    let none = ShadowComparisonFilter::default();
    let check = async |filter: ShadowComparisonFilter, expected: &[&str]| {
        let rows = listed(store, &acme(), &filter).await;
        let ids: Vec<&str> = rows.iter().map(|row| row.request_id.as_str()).collect();
        assert_eq!(ids, expected, "{filter:?}");
    };
    check(none.clone(), &["r4", "r3", "r2", "r1"]).await;
    check(ShadowComparisonFilter { user_id: Some("ann".into()), ..none.clone() }, &["r2", "r1"]).await;
    check(ShadowComparisonFilter { session_id: Some("s2".into()), ..none.clone() }, &["r3", "r2"]).await;
    check(ShadowComparisonFilter { request_id: Some("r1".into()), ..none.clone() }, &["r1"]).await;
    check(ShadowComparisonFilter { verdict: Some(Tied), ..none.clone() }, &["r4"]).await;
    let v2 = ShadowComparisonFilter { agent_version: Some("v2".to_owned()), ..none.clone() };
    check(v2.clone(), &["r4", "r3", "r2"]).await;
    check(ShadowComparisonFilter { user_id: Some("bob".into()), ..v2 }, &["r4", "r3"]).await;
    let time = TimeRange { start: Some(at(20)), end: Some(at(29)) };
    check(ShadowComparisonFilter { time, ..none.clone() }, &["r2"]).await;
    let (page, more) = store.shadow_comparisons(&acme(), &none, Page { limit: 2, offset: 1 }).await.unwrap();
    assert_eq!((page[0].request_id.as_str(), page[1].request_id.as_str(), more), ("r3", "r2", true));
    let (_, more) = store.shadow_comparisons(&acme(), &none, Page { limit: 2, offset: 2 }).await.unwrap();
    assert!(!more);
    let tallies = store.shadow_tallies(&acme(), &none).await.unwrap();
    let counts: Vec<(&str, u64, u64, u64)> = tallies
        .iter()
        .map(|tally| (tally.agent_version.as_str(), tally.wins(), tally.losses(), tally.tied))
        .collect();
    assert_eq!(counts, [("v1", 0, 1, 0), ("v2", 2, 0, 1)]);
}

pub async fn turns_with_an_alternative_are_found_until_they_are_judged(store: &dyn Store) {
    let first = answered(store, &acme(), request("r1", "ann", "s1", 1)).await;
    say(store, &acme(), request("r2", "ann", "s1", 2), &["nothing to compare"]).await;
    let second = answered(store, &acme(), request("r3", "bob", "s2", 3)).await;
    answered(store, &other(), request("r1", "ann", "s1", 1)).await;
    let none = ShadowTurnFilter::default();
    let check = async |filter: ShadowTurnFilter, after, expected: &[InteractionId]| {
        let rows = store.shadow_turns(&acme(), &filter, after, ALL).await.unwrap();
        assert_eq!(rows.iter().map(|row| row.id).collect::<Vec<_>>(), expected, "{filter:?}");
    };
    check(none.clone(), None, &[first, second]).await;
    check(none.clone(), Some(first), &[second]).await;
    check(ShadowTurnFilter { user_id: Some("bob".into()), ..none.clone() }, None, &[second]).await;
    check(ShadowTurnFilter { session_id: Some("s1".into()), ..none.clone() }, None, &[first]).await;
    check(ShadowTurnFilter { agent_version: Some("v9".to_owned()), ..none.clone() }, None, &[]).await;
    let time = TimeRange { start: Some(at(2)), end: None };
    check(ShadowTurnFilter { time, ..none.clone() }, None, &[second]).await;
    let lease = lease(store, &acme(), 5).await;
    let made = comparison(first, &request("r1", "ann", "s1", 1), RegularVsShadow::Tied, 5);
    let judgement = ShadowJudgement { comparison: Some(made), end: JobEnd::Done };
    store.judge_shadow(&lease, judgement, at(5)).await.unwrap();
    check(none.clone(), None, &[second]).await;
    check(ShadowTurnFilter { judged_too: true, ..none }, None, &[first, second]).await;
}

pub async fn comparisons_of_another_org_are_neither_seen_nor_written(store: &dyn Store) {
    let of = request("r1", "ann", "s1", 1);
    judge(store, &other(), of.clone(), RegularVsShadow::Tied, 2).await;
    let before = everything(store, &other()).await;
    assert_eq!(all(store, &acme()).await, []);
    assert_eq!(store.shadow_tallies(&acme(), &ShadowComparisonFilter::default()).await.unwrap(), []);
    let theirs = all(store, &other()).await.remove(0).interaction_id;
    let lease = lease(store, &acme(), 3).await;
    let stolen = comparison(theirs, &of, RegularVsShadow::ShadowIsBetter, 3);
    let judgement = ShadowJudgement { comparison: Some(stolen), end: JobEnd::Done };
    store.judge_shadow(&lease, judgement, at(3)).await.unwrap();
    assert_eq!(all(store, &acme()).await, []);
    store.clear_user(&acme(), &"ann".into()).await.unwrap();
    assert_eq!(everything(store, &other()).await, before);
}

pub async fn comparisons_are_exported_and_imported(store: &dyn Store) {
    judge(store, &acme(), request("r1", "ann", "s1", 1), RegularVsShadow::ShadowIsBetter, 2).await;
    let (records, rows) = (export(store, &acme()).await, all(store, &acme()).await);
    assert_eq!(store.import(&acme(), records.clone(), &a_run(), at(9)).await.unwrap(), 0);
    store.clear_user(&acme(), &"ann".into()).await.unwrap();
    assert!(
        store.import(&acme(), records[records.len() - 1..].to_vec(), &a_run(), at(9)).await.is_err(),
        "its turn is missing"
    );
    store.import(&acme(), records, &a_run(), at(9)).await.unwrap();
    assert_eq!(all(store, &acme()).await, rows);
}
