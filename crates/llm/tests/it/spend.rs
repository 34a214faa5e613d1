use std::sync::Arc;
use std::time::Duration;

use reflexio_llm::endpoint::{Reply, TestEndpoint};
use reflexio_llm::{
    Budget, BudgetLimits, Ledger, Limits, Models, Options, Outcome, Price, Prompt, Role, Services, Settings,
};
use reflexio_types::SystemClock;
use tokio::sync::watch;

use crate::support::{Records, endpoint, models, scripted};

#[tokio::test]
async fn a_call_is_recorded_with_tokens_and_cost() {
    let endpoint = endpoint([]).await;
    let mut settings = endpoint.settings();
    settings.prices.set("test/scripted", Price::new(2.0, 10.0, 1.0));
    let (models, records) = models(settings);
    let model = models.for_role(Role::Aggregation).expect("a model");
    let prompt = Prompt::user("x".repeat(400)).with_version("p@v2");
    let done = model.complete(&prompt, &Options::for_run("run-1")).await.expect("an answer");
    let record = records.all().remove(0);
    assert_eq!(
        (record.provider.as_str(), record.model.as_str(), record.role),
        ("test", "scripted", Role::Aggregation)
    );
    assert_eq!(
        (record.purpose.run.as_deref(), record.prompt_version.as_deref()),
        (Some("run-1"), Some("p@v2"))
    );
    assert_eq!((record.outcome, record.attempt, record.tokens_estimated), (Outcome::Answered, 1, false));
    assert_eq!((record.usage.prompt_tokens, record.usage.output_tokens), (101, 1));
    assert_eq!((record.cost_micros, record.price_known), (2 * 101 + 10, true));
    assert_eq!(done.cost_micros, record.cost_micros);
    assert!(record.latency > Duration::ZERO);
}

#[tokio::test]
async fn tokens_that_nobody_counted_are_estimated_and_say_so() {
    let body = serde_json::json!({"choices": [{"message": {"content": "eight ch"}}]});
    let (_endpoint, model, records) = scripted([Reply::Body(body)]).await;
    model.complete(&Prompt::user("x".repeat(400)), &Options::default()).await.expect("an answer");
    let record = records.all().remove(0);
    assert!(record.tokens_estimated && !record.price_known && record.cost_micros > 0);
    assert_eq!((record.usage.prompt_tokens, record.usage.output_tokens), (104, 2));
}

fn with_budget(settings: Settings, limits: BudgetLimits) -> (Models, Arc<Limits>, Arc<Records>) {
    let limits = Arc::new(Limits::new(limits, Arc::new(SystemClock), 0));
    let records = Arc::new(Records::default());
    let (budget, ledger) = (Arc::clone(&limits) as Arc<dyn Budget>, Arc::clone(&records) as Arc<dyn Ledger>);
    let services = Services { budget, ledger, ..Services::default() };
    (Models::new(settings, services).expect("models"), limits, records)
}

#[tokio::test]
async fn a_call_beyond_the_budget_is_not_made() {
    let endpoint = endpoint([]).await;
    let mut settings = endpoint.settings();
    settings.prices.set("scripted", Price::new(1.0, 1.0, 1.0));
    let (models, limits, _) = with_budget(settings, BudgetLimits { per_run: Some(5_000), per_day: None });
    let model = models.for_role(Role::Judge).expect("a model");
    let options = Options { max_output_tokens: Some(4_800), ..Options::for_run("r") };
    let estimate = model.estimate(&Prompt::user("hi"), None, &options);
    assert_eq!((estimate.output_tokens, estimate.cost_micros), (4_800, 4_800 + estimate.prompt_tokens));
    model.complete(&Prompt::user("hi"), &options).await.expect("the first fits");
    let options = Options { max_output_tokens: Some(5_000), ..options };
    let error = model.complete(&Prompt::user("hi"), &options).await.expect_err("over budget");
    assert_eq!((error.code(), endpoint.count()), ("budget_exceeded", 1), "{error}");
    assert!(limits.spent_by_run("r") > 0);
}

/// Returns when the endpoint has got a request.
async fn asked(endpoint: &TestEndpoint) {
    while endpoint.count() == 0 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_dropped_call_gives_back_its_place_and_its_money_and_is_recorded() {
    let endpoint = endpoint([Reply::Hang]).await;
    let mut settings = endpoint.settings();
    settings.gate.concurrency = 1;
    settings.prices.set("scripted", Price::new(1.0, 1.0, 1.0));
    let (models, limits, records) =
        with_budget(settings, BudgetLimits { per_run: None, per_day: Some(6_000) });
    let model = models.for_role(Role::Judge).expect("a model");
    let (prompt, options) = (Prompt::user("hi"), Options::default());
    tokio::select! {
        _ = model.complete(&prompt, &options) => panic!("it hangs"),
        () = asked(&endpoint) => {}
    }
    assert_eq!(records.outcomes(), [Outcome::Cancelled]);
    model.complete(&prompt, &options).await.expect("the place and the budget are free again");
    assert!(limits.today().0 < 100);
}

#[tokio::test]
async fn a_cancelled_call_ends_at_once() {
    let (endpoint, model, records) = scripted([Reply::Hang]).await;
    let (stop, cancel) = watch::channel(false);
    let options = Options { cancel: Some(cancel), ..Options::default() };
    let prompt = Prompt::user("hi");
    let call = model.complete(&prompt, &options);
    let stopper = async {
        asked(&endpoint).await;
        stop.send(true).expect("somebody listens");
    };
    let (result, ()) = tokio::join!(call, stopper);
    assert_eq!(result.expect_err("cancelled").code(), "cancelled");
    assert_eq!(records.outcomes(), [Outcome::Cancelled]);
}

#[tokio::test]
async fn no_more_calls_than_allowed_are_made_at_once() {
    let endpoint = endpoint(vec![Reply::Hang; 8]).await;
    let mut settings = endpoint.settings();
    settings.gate.concurrency = 3;
    let model = models(settings).0.for_role(Role::Judge).expect("a model");
    let (prompt, options) =
        (Prompt::user("hi"), Options { deadline: Some(Duration::from_secs(1)), ..Options::default() });
    let calls = (0..8).map(|_| {
        let (model, prompt, options) = (model.clone(), prompt.clone(), options.clone());
        tokio::spawn(async move { model.complete(&prompt, &options).await })
    });
    for call in calls.collect::<Vec<_>>() {
        assert_eq!(call.await.expect("a task").expect_err("late").code(), "timeout");
    }
    assert_eq!(endpoint.count(), 3);
}
