use std::sync::Arc;
use std::time::{Duration, Instant};

use reflexio_assistant::{Assistant, Error, Operator};
use reflexio_llm::Reach;
use reflexio_llm::endpoint::{Reply, TestEndpoint};
use reflexio_types::config::{PlaybookOptimizerConfig, Secret};
use serde_json::json;

use crate::payload;

fn config(url: String) -> PlaybookOptimizerConfig {
    PlaybookOptimizerConfig {
        webhook_url: Some(url),
        webhook_timeout_seconds: 1,
        webhook_max_retries: 0,
        webhook_backoff_base_seconds: 0.001,
        ..PlaybookOptimizerConfig::default()
    }
}

fn assistant(config: &PlaybookOptimizerConfig) -> Arc<dyn Assistant> {
    let operator = Operator { reach: Reach::Anywhere, ..Operator::default() };
    operator.assistant(config).unwrap()
}

async fn endpoint(replies: impl IntoIterator<Item = Reply>) -> (TestEndpoint, String) {
    let endpoint = TestEndpoint::scripted(replies).await.unwrap();
    let url = format!("{}/rollout", endpoint.url());
    (endpoint, url)
}

fn answer(text: &str) -> Reply {
    Reply::Body(json!({"content": text}))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_gets_the_payload_and_its_header_as_they_are() {
    let (endpoint, url) = endpoint([answer("In transit.")]).await;
    let mut config = config(url);
    config.webhook_auth_header = Some(Secret::new("Token abc"));
    assert_eq!(assistant(&config).respond(&payload()).await, Ok("In transit.".to_owned()));
    let seen = endpoint.requests().remove(0);
    assert_eq!(seen.body, serde_json::to_value(payload()).unwrap());
    assert_eq!((seen.path.as_str(), seen.header("authorization")), ("/rollout", Some("Token abc")));
    let label = assistant(&config).label();
    assert!(!label.contains("abc"), "{label}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_may_pass_is_tried_again_and_what_will_not_is_not() {
    let (endpoint, url) = endpoint([Reply::ServerError, Reply::WrongContentType, answer("Here.")]).await;
    let mut config = config(url);
    config.webhook_max_retries = 3;
    assert_eq!(assistant(&config).respond(&payload()).await, Ok("Here.".to_owned()));
    assert_eq!(endpoint.count(), 3);
    endpoint.script([Reply::Unauthorized, answer("never")]);
    assert!(matches!(assistant(&config).respond(&payload()).await, Err(Error::Refused(_))));
    assert_eq!(endpoint.count(), 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_fault_of_a_webhook_ends_soon_and_says_what_it_was() {
    let status = |status| Reply::Status { status, headers: Vec::new(), body: "why not".to_owned() };
    for (reply, said) in [
        (Reply::ServerError, "failed: 500"),
        (status(503), "503 Service Unavailable: why not"),
        (status(422), "refused: 422 Unprocessable Entity: why not"),
        (Reply::WrongContentType, "is not `{\"content\""),
        (Reply::Body(json!({"text": "x"})), "missing field `content`"),
        (Reply::Body(json!({"content": ""})), "`content` is empty"),
        (Reply::Status { status: 200, headers: Vec::new(), body: String::new() }, "it is empty"),
        (Reply::Huge(10 << 20), "larger than 1048576 bytes"),
        (Reply::Hang, "within 1s"),
        (Reply::SlowDrip, "within 1s"),
    ] {
        let (_endpoint, url) = endpoint([reply.clone()]).await;
        let began = Instant::now();
        let error = assistant(&config(url)).respond(&payload()).await.unwrap_err().to_string();
        assert!(error.contains(said), "{reply:?}: {error}");
        assert!(began.elapsed() < Duration::from_secs(5), "{reply:?}");
    }
    let gone = config("http://127.0.0.1:1/".to_owned());
    let error = assistant(&gone).respond(&payload()).await.unwrap_err();
    assert_eq!(error, Error::Failed("it cannot be reached".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redirect_is_not_followed() {
    let (inner, secret) = endpoint([answer("secret of the metadata service")]).await;
    let headers = vec![("location".to_owned(), secret)];
    let (_outer, url) = endpoint([Reply::Status { status: 307, headers, body: String::new() }]).await;
    let error = assistant(&config(url)).respond(&payload()).await.unwrap_err();
    assert!(matches!(&error, Error::Refused(why) if why.contains("redirects")), "{error}");
    assert_eq!(inner.count(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_leads_to_this_machine_is_not_called_where_only_public_addresses_may() {
    let (endpoint, url) = endpoint([answer("x")]).await;
    let operator = Operator::default();
    let error = operator.assistant(&config(url)).err().unwrap().to_string();
    assert!(error.contains("--assistant-private-network"), "{error}");
    for url in ["http://169.254.169.254/latest", "http://localhost/"] {
        assert!(matches!(operator.assistant(&config(url.to_owned())), Err(Error::Misconfigured(_))), "{url}");
    }
    assert_eq!(endpoint.count(), 0);
}
