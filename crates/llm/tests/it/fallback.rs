use reflexio_llm::endpoint::{Reply, TestEndpoint};
use reflexio_llm::{Endpoint, Error, Options, Prompt, Role, Settings};

use crate::support::{endpoint, models};

/// Two endpoints, the second behind the first.
async fn pair(first: Vec<Reply>, second: Vec<Reply>) -> (TestEndpoint, TestEndpoint, Settings) {
    let (first, second) = (endpoint(first).await, endpoint(second).await);
    let mut settings = Settings { fallbacks: vec!["second/m".to_owned()], ..first.settings() };
    let base_url = format!("{}/v1", second.url());
    settings.endpoints.insert("second".to_owned(), Endpoint { base_url, key: None });
    (first, second, settings)
}

#[tokio::test]
async fn the_next_model_answers_when_the_first_cannot() {
    for reply in
        [Reply::Unauthorized, Reply::QuotaExhausted, Reply::ServerError, Reply::RateLimited("99".to_owned())]
    {
        let (first, second, settings) =
            pair(vec![reply; 9], vec![Reply::Text("from the second".to_owned())]).await;
        let (models, records) = models(settings);
        let model = models.for_role(Role::Extraction).expect("models");
        let done = model.complete(&Prompt::user("hi"), &Options::default()).await.expect("an answer");
        assert_eq!((done.text.as_str(), done.model.to_string().as_str()), ("from the second", "second/m"));
        assert!(first.count() <= 2, "with a fallback there is little patience");
        assert_eq!(second.count(), 1);
        assert_eq!(records.all().len(), first.count() + 1);
    }
}

#[tokio::test]
async fn a_wrong_answer_is_not_taken_to_another_model() {
    let (_first, second, settings) = pair(vec![Reply::Empty; 9], Vec::new()).await;
    let model = models(settings).0.for_role(Role::Extraction).expect("models");
    model.complete(&Prompt::user("hi"), &Options::default()).await.expect_err("empty");
    assert_eq!(second.count(), 0);
}

#[tokio::test]
async fn when_all_fail_the_error_says_whether_waiting_helps() {
    let (_first, _second, settings) = pair(vec![Reply::Unauthorized], vec![Reply::ServerError; 9]).await;
    let model = models(settings).0.for_role(Role::Extraction).expect("models");
    let error = model.complete(&Prompt::user("hi"), &Options::default()).await.expect_err("both");
    assert!(error.is_temporary(), "the second may come back: {error}");
    let (_first, _second, settings) = pair(vec![Reply::QuotaExhausted], vec![Reply::Unauthorized]).await;
    let model = models(settings).0.for_role(Role::Extraction).expect("models");
    let error = model.complete(&Prompt::user("hi"), &Options::default()).await.expect_err("both");
    assert!(matches!(&error, Error::Billing { model, .. } if model == "test/scripted"), "{error}");
}
