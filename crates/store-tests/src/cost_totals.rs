use proptest::collection::vec;
use proptest::prelude::*;
use reflexio_store::{CostFilter, CostGrouping, Store};
use reflexio_types::{CallOutcome, CostTotals, Day, ModelCall, OrgId, Timestamp, UserId};

use crate::costs::{GROUPINGS, call, known_users, told};
use crate::property::holds;
use crate::sample::at;

/// What can happen to the books.
#[derive(Debug, Clone)]
enum Step {
    Record(Vec<ModelCall>),
    Forget { days: i64, limit: usize },
    Erase(UserId),
}

fn any_call() -> impl Strategy<Value = ModelCall> {
    let outcome = prop_oneof![
        4 => Just(CallOutcome::Answered),
        1 => Just(CallOutcome::Failed("timeout".to_owned())),
        1 => Just(CallOutcome::Cancelled),
        1 => Just(CallOutcome::Saved),
    ];
    let names = (0..3_u8, 0..2_u8, 0..4_u8, 0..4_u8, 0..3_u8);
    (0..5_i64, names, 0..1_000_u64, 0..500_u64, any::<(bool, bool)>(), outcome).prop_map(
        |(day, (role, model, user, run, config), cost_micros, tokens, (estimated, known), outcome)| {
            let maybe = |number: u8, word: &str| (number > 0).then(|| format!("{word}{number}"));
            ModelCall {
                at: Timestamp(at(0).0 + day * 86_400),
                model: format!("test/m{model}"),
                prompt_tokens: tokens,
                tokens_estimated: estimated,
                price_known: known,
                user_id: maybe(user, "u").map(UserId::new),
                run: maybe(run, "job-"),
                config: maybe(config, "playbook:"),
                outcome,
                ..call(0, &format!("role{role}"), cost_micros)
            }
        },
    )
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => vec(any_call(), 0..12).prop_map(Step::Record),
        1 => (0..5_i64, 1..20_usize).prop_map(|(days, limit)| Step::Forget { days, limit }),
        1 => (1..3_u8).prop_map(|user| Step::Erase(UserId::new(format!("u{user}")))),
    ]
}

/// Whatever happens to single calls, no total changes, and groups and rest are the totals.
pub fn groups_and_rest_are_always_the_totals<G, S: Store>(make: impl AsyncFnOnce() -> (G, S)) {
    holds(make, 24, &vec(step(), 1..8), &async |store: &dyn Store, org: &OrgId, steps: Vec<Step>| {
        known_users(store, org).await;
        let mut recorded: Vec<ModelCall> = Vec::new();
        for step in steps {
            match step {
                Step::Record(calls) => {
                    recorded.extend(calls.iter().cloned());
                    store.record_calls(org, calls).await.unwrap();
                }
                Step::Forget { days, limit } => {
                    store.forget_calls(Day::of(at(0)).plus(days), limit).await.unwrap();
                }
                Step::Erase(user) => {
                    store.clear_user(org, &user).await.unwrap();
                }
            }
            check(store, org, &recorded).await;
        }
    });
}

async fn check(store: &dyn Store, org: &OrgId, recorded: &[ModelCall]) {
    for by in GROUPINGS {
        for limit in [1, usize::MAX] {
            let report = store.costs(org, &CostFilter::default(), Some(by), limit).await.unwrap();
            assert_eq!(report.totals, recorded.iter().sum::<CostTotals>(), "{by:?}");
            let groups = report.groups.iter().fold(report.rest, |sum, group| sum.plus(group.totals));
            assert_eq!(groups, report.totals, "{by:?}");
        }
    }
    for role in ["role0", "role1"] {
        let filter = CostFilter { role: Some(role.to_owned()), ..CostFilter::default() };
        let expected: CostTotals = recorded.iter().filter(|call| call.role == role).sum();
        assert_eq!(told(store, org, &filter, CostGrouping::Day).await.totals, expected);
    }
    let day = Day::of(at(86_400));
    let spent: u64 =
        recorded.iter().filter(|call| Day::of(call.at) == day).map(|call| call.cost_micros).sum();
    assert_eq!(store.spent_on(org, day).await.unwrap(), spent);
}
