use reflexio_store::{CostFilter, CostGroup, CostGrouping, CostReport, Store};
use reflexio_types::{CallOutcome, CostTotals, Day, ModelCall, OrgId};

use crate::sample::{acme, at, other, request, say};

pub(crate) const GROUPINGS: [CostGrouping; 6] = [
    CostGrouping::Day,
    CostGrouping::Role,
    CostGrouping::Model,
    CostGrouping::User,
    CostGrouping::Config,
    CostGrouping::Run,
];

pub(crate) fn call(second: i64, role: &str, cost_micros: u64) -> ModelCall {
    ModelCall {
        at: at(second),
        role: role.to_owned(),
        model: "test/scripted".to_owned(),
        prompt_version: Some("extraction@v1".to_owned()),
        is_correction: false,
        attempt: 1,
        prompt_tokens: 100,
        output_tokens: 10,
        cached_tokens: 5,
        tokens_estimated: false,
        cost_micros,
        price_known: true,
        latency_ms: 20,
        outcome: CallOutcome::Answered,
        run: Some("job-1".to_owned()),
        user_id: Some("u1".into()),
        config: Some("profile".to_owned()),
    }
}

/// Users whose calls may name them.
pub(crate) async fn known_users(store: &dyn Store, org: &OrgId) {
    for user in ["u1", "u2"] {
        let request = request(&format!("{org}-{user}"), user, "s", 1);
        say(store, org, request, &["hello"]).await;
    }
}

pub(crate) async fn told(
    store: &dyn Store,
    org: &OrgId,
    filter: &CostFilter,
    by: CostGrouping,
) -> CostReport {
    store.costs(org, filter, Some(by), usize::MAX).await.unwrap()
}

pub(crate) async fn total(store: &dyn Store, org: &OrgId) -> CostTotals {
    store.costs(org, &CostFilter::default(), None, 0).await.unwrap().totals
}

fn keys(groups: &[CostGroup]) -> Vec<(&str, u64)> {
    groups.iter().map(|group| (group.key.as_str(), group.totals.cost_micros)).collect()
}

pub async fn calls_are_summed_by_each_group(store: &dyn Store) {
    known_users(store, &acme()).await;
    let calls = vec![
        call(0, "extraction", 10),
        ModelCall { user_id: Some("u2".into()), model: "test/other".to_owned(), ..call(1, "extraction", 5) },
        ModelCall { user_id: None, run: None, config: None, ..call(86_400, "reformulation", 1) },
        ModelCall { outcome: CallOutcome::Failed("timeout".to_owned()), ..call(2, "judge", 3) },
        ModelCall { outcome: CallOutcome::Cancelled, price_known: false, ..call(3, "judge", 2) },
        ModelCall { outcome: CallOutcome::Saved, attempt: 0, ..call(4, "judge", 0) },
    ];
    store.record_calls(&acme(), calls.clone()).await.unwrap();
    let every = CostFilter::default();
    let totals: CostTotals = calls.iter().sum();
    assert_eq!((totals.calls, totals.failed, totals.cancelled, totals.saved), (5, 1, 1, 1));
    assert_eq!((totals.cost_micros, totals.unpriced), (21, 1));
    let of = async |by| {
        let report = told(store, &acme(), &every, by).await;
        assert_eq!(report.totals, totals, "{by:?}");
        report
    };
    let (first, second) = (Day::of(at(0)).to_string(), Day::of(at(86_400)).to_string());
    assert_eq!(keys(&of(CostGrouping::Day).await.groups), [(second.as_str(), 1), (first.as_str(), 20)]);
    let roles = [("extraction", 15), ("judge", 5), ("reformulation", 1)];
    assert_eq!(keys(&of(CostGrouping::Role).await.groups), roles);
    assert_eq!(keys(&of(CostGrouping::Model).await.groups), [("test/scripted", 16), ("test/other", 5)]);
    assert_eq!(keys(&of(CostGrouping::User).await.groups), [("u1", 15), ("u2", 5)]);
    assert_eq!(keys(&of(CostGrouping::Config).await.groups), [("profile", 20)]);
    let by_run = of(CostGrouping::Run).await;
    assert_eq!((keys(&by_run.groups), by_run.rest.cost_micros), (vec![("job-1", 20)], 1));
}

pub async fn costs_are_filtered_by_each_field(store: &dyn Store) {
    known_users(store, &acme()).await;
    let different = ModelCall {
        model: "test/other".to_owned(),
        user_id: Some("u2".into()),
        run: Some("job-2".to_owned()),
        config: Some("playbook:a".to_owned()),
        ..call(86_400, "judge", 100)
    };
    store.record_calls(&acme(), vec![call(0, "extraction", 1), different]).await.unwrap();
    let every = CostFilter::default();
    let day = Day::of(at(86_400));
    let filters = [
        CostFilter { from: Some(day), ..every.clone() },
        CostFilter { from: Some(day), to: Some(day), ..every.clone() },
        CostFilter { role: Some("judge".to_owned()), ..every.clone() },
        CostFilter { model: Some("test/other".to_owned()), ..every.clone() },
        CostFilter { user_id: Some("u2".into()), ..every.clone() },
        CostFilter { run: Some("job-2".to_owned()), ..every.clone() },
        CostFilter { config: Some("playbook:a".to_owned()), ..every.clone() },
    ];
    for filter in filters {
        for by in GROUPINGS {
            let report = told(store, &acme(), &filter, by).await;
            assert_eq!((report.totals.calls, report.totals.cost_micros), (1, 100), "{filter:?} {by:?}");
            assert_eq!(report.groups.len(), 1, "{filter:?} {by:?}");
            assert_eq!(report.rest, CostTotals::default());
        }
    }
    let before = CostFilter { to: Some(day.plus(-1)), ..every };
    assert_eq!(told(store, &acme(), &before, CostGrouping::Role).await.totals.cost_micros, 1);
}

pub async fn groups_beyond_the_limit_are_the_rest(store: &dyn Store) {
    let calls = ["a", "b", "c"].iter().zip([1, 3, 2]).map(|(role, cost)| call(0, role, cost)).collect();
    store.record_calls(&acme(), calls).await.unwrap();
    let report = store.costs(&acme(), &CostFilter::default(), Some(CostGrouping::Role), 1).await.unwrap();
    assert_eq!(keys(&report.groups), [("b", 3)]);
    assert_eq!((report.rest.calls, report.rest.cost_micros), (2, 3));
}

pub async fn what_was_spent_is_told_by_day_and_by_run(store: &dyn Store) {
    let day = Day::of(at(0));
    assert_eq!(store.spent_on(&acme(), day).await.unwrap(), 0);
    let calls = vec![call(0, "a", 5), call(1, "b", 6), call(86_400, "a", 100)];
    store.record_calls(&acme(), calls).await.unwrap();
    store.record_calls(&other(), vec![call(0, "a", 1_000)]).await.unwrap();
    assert_eq!(store.spent_on(&acme(), day).await.unwrap(), 11);
    assert_eq!(store.spent_by_all_on(day).await.unwrap(), 1_011);
    assert_eq!(store.spent_by_run(&acme(), "job-1").await.unwrap(), 111);
    assert_eq!(store.spent_by_run(&acme(), "job-2").await.unwrap(), 0);
}

pub async fn forgotten_calls_stay_in_the_totals(store: &dyn Store) {
    known_users(store, &acme()).await;
    let calls = vec![call(0, "a", 5), call(1, "b", 6), call(86_400, "a", 100)];
    store.record_calls(&acme(), calls.clone()).await.unwrap();
    store.record_calls(&other(), vec![call(0, "a", 7)]).await.unwrap();
    let totals: CostTotals = calls.iter().sum();
    let day = Day::of(at(86_400));
    assert_eq!(store.forget_calls(day, 2).await.unwrap(), 2, "a few at a time");
    assert_eq!(store.forget_calls(day, 2).await.unwrap(), 1);
    assert_eq!(store.forget_calls(day, 2).await.unwrap(), 0);
    let report = told(store, &acme(), &CostFilter::default(), CostGrouping::User).await;
    assert_eq!((report.totals, keys(&report.groups)), (totals, vec![("u1", 100)]));
    assert_eq!(report.rest.cost_micros, 11);
    assert_eq!(total(store, &other()).await.cost_micros, 7);
    assert_eq!(store.check_integrity().await.unwrap().problems, Vec::<String>::new());
}

pub async fn an_erased_user_stays_in_the_totals_without_a_name(store: &dyn Store) {
    known_users(store, &acme()).await;
    let of_other = ModelCall { user_id: Some("u2".into()), ..call(1, "a", 6) };
    store.record_calls(&acme(), vec![call(0, "a", 5), of_other]).await.unwrap();
    let before = total(store, &acme()).await;
    assert_eq!(store.clear_user(&acme(), &"u1".into()).await.unwrap().model_calls, 1);
    let report = told(store, &acme(), &CostFilter::default(), CostGrouping::User).await;
    assert_eq!((report.totals, keys(&report.groups)), (before, vec![("u2", 6)]));
    // A call that was under way while the user was erased.
    store.record_calls(&acme(), vec![call(2, "a", 1)]).await.unwrap();
    let report = told(store, &acme(), &CostFilter::default(), CostGrouping::User).await;
    assert_eq!((keys(&report.groups), report.rest.cost_micros), (vec![("u2", 6)], 6));
    assert_eq!(store.check_integrity().await.unwrap().problems, Vec::<String>::new());
}

pub async fn costs_belong_to_their_org(store: &dyn Store) {
    known_users(store, &acme()).await;
    known_users(store, &other()).await;
    store.record_calls(&acme(), vec![call(0, "a", 5)]).await.unwrap();
    for by in GROUPINGS {
        let report = told(store, &other(), &CostFilter::default(), by).await;
        assert_eq!(report, CostReport::default(), "{by:?}");
    }
    assert_eq!(store.spent_on(&other(), Day::of(at(0))).await.unwrap(), 0);
    assert_eq!(store.spent_by_run(&other(), "job-1").await.unwrap(), 0);
    store.clear_user(&other(), &"u1".into()).await.unwrap();
    let of_user = CostFilter { user_id: Some("u1".into()), ..CostFilter::default() };
    assert_eq!(told(store, &acme(), &of_user, CostGrouping::User).await.totals.calls, 1);
}
