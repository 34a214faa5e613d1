use std::time::{Duration, Instant};

use reflexio_llm::endpoint::Reply;
use reflexio_llm::{Endpoint, Error, HttpLimits, Options, Outcome, Prompt, Proxy, Role, Settings};
use reflexio_types::config::Secret;
use reflexio_types::{StallReason, Timestamp};

use crate::support::{endpoint, models, scripted};

/// The error after a script, and how many requests it took.
async fn fail(replies: Vec<Reply>) -> (Error, usize) {
    let (endpoint, model, records) = scripted(replies).await;
    let error = model.complete(&Prompt::user("hi"), &Options::default()).await.expect_err("a fault");
    assert_eq!(records.all().len(), endpoint.count(), "every request is in the ledger");
    assert_eq!(records.outcomes().last(), Some(&Outcome::Failed(error.code())));
    (error, endpoint.count())
}

#[tokio::test]
async fn auth_and_billing_are_final_and_stall_learning() {
    for (reply, reason) in [
        (Reply::Unauthorized, StallReason::AuthError),
        (Reply::PaymentRequired, StallReason::BillingError),
        (Reply::QuotaExhausted, StallReason::BillingError),
    ] {
        let (error, requests) = fail(vec![reply]).await;
        let stall = error.stall(Timestamp(1)).expect("a stall");
        assert_eq!((stall.reason, requests), (reason, 1), "{error}");
    }
}

#[tokio::test]
async fn a_server_in_trouble_is_asked_again_until_it_works() {
    let (endpoint, model, records) = scripted([Reply::ServerError, Reply::ServerError]).await;
    let done = model.complete(&Prompt::user("hi"), &Options::default()).await.expect("an answer");
    assert_eq!((done.text.as_str(), done.calls, endpoint.count()), ("OK", 3, 3));
    let attempts: Vec<u32> = records.all().iter().map(|record| record.attempt).collect();
    assert_eq!(attempts, [1, 2, 3]);
}

#[tokio::test]
async fn a_server_that_stays_in_trouble_is_given_up() {
    let (error, requests) = fail(vec![Reply::ServerError; 9]).await;
    assert!(error.is_temporary() && error.stall(Timestamp(1)).is_none(), "{error}");
    assert_eq!(requests, 4);
}

#[tokio::test]
async fn a_rate_limit_is_waited_for_as_long_as_it_says() {
    let (endpoint, model, _) = scripted([Reply::RateLimited("0.2".to_owned())]).await;
    let started = Instant::now();
    model.complete(&Prompt::user("hi"), &Options::default()).await.expect("an answer");
    assert!(started.elapsed() >= Duration::from_millis(200));
    assert_eq!(endpoint.count(), 2);
}

#[tokio::test]
async fn a_long_rate_limit_is_handed_to_the_caller() {
    let (error, requests) = fail(vec![Reply::RateLimited("3600".to_owned())]).await;
    assert_eq!(
        (error.code(), error.retry_after(), requests),
        ("rate_limited", Some(Duration::from_secs(3600)), 1)
    );
}

#[tokio::test]
async fn silence_and_drips_end_at_the_limits() {
    for reply in [Reply::Hang, Reply::SlowDrip] {
        let endpoint = endpoint([reply.clone(), reply.clone(), reply.clone()]).await;
        let mut settings = endpoint.settings();
        settings.http = HttpLimits {
            total: Duration::from_millis(300),
            body: Duration::from_millis(150),
            silence: Duration::from_millis(100),
            ..HttpLimits::default()
        };
        let (models, _) = models(settings);
        let model = models.for_role(Role::Judge).expect("a model");
        let started = Instant::now();
        let error = model.complete(&Prompt::user("hi"), &Options::default()).await.expect_err("too slow");
        assert_eq!((error.code(), endpoint.count()), ("timeout", 2), "{error}");
        assert!(started.elapsed() < Duration::from_secs(3));
    }
}

#[tokio::test]
async fn a_server_that_sends_blanks_while_the_model_works_is_waited_for() {
    let endpoint = endpoint([Reply::KeptAlive(1_200)]).await;
    let mut settings = endpoint.settings();
    settings.http.total = Duration::from_secs(30);
    settings.http.body = Duration::from_secs(1);
    settings.http.silence = Duration::from_secs(1);
    let model = models(settings).0.for_role(Role::Judge).expect("a model");
    let done = model.complete(&Prompt::user("hi"), &Options::default()).await.expect("an answer");
    assert_eq!((done.text.as_str(), endpoint.count()), ("OK", 1));
}

#[tokio::test]
async fn the_callers_deadline_holds_for_everything_together() {
    let (_endpoint, model, records) = scripted([Reply::ServerError, Reply::Hang]).await;
    let options = Options { deadline: Some(Duration::from_secs(1)), ..Options::default() };
    let started = Instant::now();
    let error = model.complete(&Prompt::user("hi"), &options).await.expect_err("too late");
    assert_eq!(error.code(), "timeout");
    assert!(started.elapsed() < Duration::from_secs(2), "before the limit of one attempt");
    assert_eq!(records.outcomes(), [Outcome::Failed("unavailable"), Outcome::Failed("timeout")]);
}

#[tokio::test]
async fn a_huge_answer_is_not_read() {
    let endpoint = endpoint([Reply::Huge(1 << 20)]).await;
    let mut settings = endpoint.settings();
    settings.http.largest_answer = 100_000;
    let model = models(settings).0.for_role(Role::Judge).expect("a model");
    let error = model.complete(&Prompt::user("hi"), &Options::default()).await.expect_err("too large");
    assert!(error.to_string().contains("larger than 100000 bytes"), "{error}");
    assert_eq!(endpoint.count(), 1);
}

#[tokio::test]
async fn a_proxy_is_used_when_it_is_set_and_never_for_this_machine() {
    let (proxy, endpoint) = (endpoint([]).await, endpoint([]).await);
    let mut settings = endpoint.settings();
    settings.proxy = Some(Proxy { url: Secret::new(proxy.url()), except: String::new() });
    let base_url = "http://models.example/v1".to_owned();
    settings.endpoints.insert("far".to_owned(), Endpoint { base_url, key: None });
    let (models, _) = models(settings);
    for (name, expected) in [("test/m", (0, 1)), ("far/m", (1, 1))] {
        let model = models.named(Role::Judge, name).expect("a model");
        model.complete(&Prompt::user("hi"), &Options::default()).await.expect("an answer");
        assert_eq!((proxy.count(), endpoint.count()), expected, "{name}");
    }
}

#[tokio::test]
async fn a_page_instead_of_an_answer_says_to_check_the_address() {
    let (error, _) = fail(vec![Reply::WrongContentType; 9]).await;
    assert!(error.to_string().contains("`text/html` that is not JSON; check its base URL"), "{error}");
    let (error, _) = fail(vec![Reply::Body(serde_json::json!({"hello": "world"})); 9]).await;
    assert!(error.to_string().contains("check that its base URL speaks this protocol"), "{error}");
}

#[tokio::test]
async fn an_empty_answer_is_invalid() {
    let (endpoint, model, _) = scripted([Reply::Empty]).await;
    let error = model.complete(&Prompt::user("hi"), &Options::default()).await.expect_err("empty");
    assert_eq!((error.code(), endpoint.count()), ("invalid_answer", 1));
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let headers = vec![("location".to_owned(), "http://127.0.0.1:1/elsewhere".to_owned())];
    let (error, requests) = fail(vec![Reply::Status { status: 307, headers, body: String::new() }]).await;
    assert_eq!((error.code(), requests), ("bad_request", 1));
}

#[tokio::test]
async fn a_server_that_is_not_there_is_unavailable() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let base_url = format!("http://{}", listener.local_addr().expect("an address"));
    drop(listener);
    let mut settings = Settings { default_model: Some("gone/m".to_owned()), ..Settings::default() };
    settings.retry.first_pause = Duration::from_millis(1);
    settings.endpoints.insert("gone".to_owned(), Endpoint { base_url, key: None });
    let model = models(settings).0.for_role(Role::Judge).expect("a model");
    let error = model.complete(&Prompt::user("hi"), &Options::default()).await.expect_err("nobody there");
    assert!(error.to_string().contains("cannot be reached"), "{error}");
}

#[tokio::test]
async fn a_key_is_in_no_error_even_when_the_server_repeats_it() {
    const KEY: &str = "sk-very-secret-key";
    let body = format!(r#"{{"error":{{"message":"Incorrect API key provided: {KEY}."}}}}"#);
    let endpoint = endpoint([Reply::Status { status: 401, headers: Vec::new(), body }]).await;
    let mut settings = endpoint.settings();
    settings.endpoints.get_mut("test").expect("the endpoint").key = Some(Secret::new(KEY));
    let model = models(settings).0.for_role(Role::Judge).expect("a model");
    let error = model.complete(&Prompt::user("hi"), &Options::default()).await.expect_err("refused");
    assert_eq!(endpoint.requests()[0].header("authorization"), Some("Bearer sk-very-secret-key"));
    assert!(!format!("{error} {error:?}").contains(KEY), "{error:?}");
}

#[tokio::test]
async fn a_provider_that_keeps_failing_is_left_alone() {
    let endpoint = endpoint(vec![Reply::ServerError; 50]).await;
    let mut settings = endpoint.settings();
    settings.gate.failures = 3;
    let model = models(settings).0.for_role(Role::Judge).expect("a model");
    for _ in 0..5 {
        model.complete(&Prompt::user("hi"), &Options::default()).await.expect_err("down");
    }
    assert_eq!(endpoint.count(), 3);
}
