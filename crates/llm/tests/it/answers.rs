use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use reflexio_llm::endpoint::Reply;
use reflexio_llm::{
    Answers, Model, Models, Options, Outcome, Prompt, QuestionKey, Role, SavedAnswer, Services, Settings,
};
use reflexio_types::JobId;
use serde_json::json;

use crate::support::{Facts, Records, endpoint, facts_schema};

/// Keeps answers by run and digest.
#[derive(Default)]
struct Kept(Mutex<HashMap<(Option<String>, String), SavedAnswer>>);

impl Kept {
    fn count(&self) -> usize {
        self.0.lock().expect("answers").len()
    }
}

#[async_trait]
impl Answers for Kept {
    async fn find(&self, question: &QuestionKey) -> Option<SavedAnswer> {
        let key = (question.purpose.run.clone(), question.digest.clone());
        self.0.lock().expect("answers").get(&key).cloned()
    }

    async fn keep(&self, question: &QuestionKey, answer: &SavedAnswer) {
        let key = (question.purpose.run.clone(), question.digest.clone());
        self.0.lock().expect("answers").insert(key, answer.clone());
    }
}

/// A new process: nothing is remembered but what was kept.
fn process(settings: Settings, answers: &Arc<Kept>) -> (Model, Arc<Records>) {
    let records = Arc::new(Records::default());
    let (ledger, answers) = (Arc::clone(&records) as _, Arc::clone(answers) as _);
    let models = Models::new(settings, Services { ledger, answers, ..Services::default() }).expect("models");
    (models.for_role(Role::Extraction).expect("a model"), records)
}

fn job(id: i64) -> Options {
    Options::for_run(JobId(id).run())
}

async fn ask(model: &Model, options: &Options) -> reflexio_llm::Result<reflexio_llm::Structured<Facts>> {
    model.complete_json(&Prompt::user("What is known?"), &facts_schema(), options).await
}

#[tokio::test]
async fn a_run_that_asks_again_in_another_process_pays_once() {
    let answer = json!({"facts": ["likes tea"]});
    let endpoint = endpoint([Reply::Text(answer.to_string()), Reply::Text("never".to_owned())]).await;
    let kept = Arc::new(Kept::default());
    let (model, _) = process(endpoint.settings(), &kept);
    let first = ask(&model, &job(1)).await.expect("an answer");
    let (model, records) = process(endpoint.settings(), &kept);
    let again = ask(&model, &job(1)).await.expect("the same answer");
    assert_eq!((first.value, first.model.clone()), (again.value, again.model));
    assert_eq!((again.cost_micros, again.calls, endpoint.count()), (0, 0, 1));
    assert_eq!(records.outcomes(), [Outcome::Saved]);
    let record = records.all().remove(0);
    assert_eq!((record.cost_micros, record.usage, record.attempt), (0, Default::default(), 0));
}

#[tokio::test]
async fn other_runs_other_questions_and_calls_of_no_run_are_asked() {
    let answer = Reply::Text(json!({"facts": []}).to_string());
    let endpoint = endpoint(vec![answer; 6]).await;
    let kept = Arc::new(Kept::default());
    let (model, _) = process(endpoint.settings(), &kept);
    ask(&model, &job(1)).await.expect("an answer");
    ask(&model, &job(2)).await.expect("another run");
    ask(&model, &Options { sample: 1, ..job(1) }).await.expect("another answer was wanted");
    ask(&model, &Options { temperature: Some(0.9), ..job(1) }).await.expect("other options");
    ask(&model, &Options::default()).await.expect("no run");
    ask(&model, &Options::default()).await.expect("no run, again");
    assert_eq!((endpoint.count(), kept.count()), (6, 4));
}

#[tokio::test]
async fn a_corrected_answer_is_kept_under_the_question_it_corrects() {
    let right = json!({"facts": ["a"]}).to_string();
    let endpoint = endpoint([Reply::Text("no JSON".to_owned()), Reply::Text(right)]).await;
    let kept = Arc::new(Kept::default());
    let (model, _) = process(endpoint.settings(), &kept);
    assert!(ask(&model, &job(1)).await.expect("corrected").corrected);
    let (model, records) = process(endpoint.settings(), &kept);
    assert!(ask(&model, &job(1)).await.expect("kept").corrected);
    assert_eq!((endpoint.count(), records.outcomes()), (2, vec![Outcome::Saved]));
}

#[tokio::test]
async fn an_answer_that_never_fitted_is_asked_anew() {
    let bad = Reply::Text("no JSON".to_owned());
    let right = Reply::Text(json!({"facts": ["a"]}).to_string());
    let endpoint = endpoint([bad.clone(), bad, right]).await;
    let kept = Arc::new(Kept::default());
    let (model, _) = process(endpoint.settings(), &kept);
    assert_eq!(ask(&model, &job(1)).await.expect_err("it does not fit").code(), "invalid_answer");
    assert_eq!(kept.count(), 0);
    ask(&model, &job(1)).await.expect("the retry asks the model, and it has learned better");
    assert_eq!(endpoint.count(), 3);
}

#[tokio::test]
async fn a_kept_answer_that_fits_no_more_is_asked_anew() {
    let answer = Reply::Text(json!({"facts": ["a"]}).to_string());
    let endpoint = endpoint([answer.clone(), answer]).await;
    let kept = Arc::new(Kept::default());
    let (model, _) = process(endpoint.settings(), &kept);
    ask(&model, &job(1)).await.expect("an answer");
    kept.0.lock().expect("answers").values_mut().for_each(|saved| saved.text = "{}".to_owned());
    ask(&model, &job(1)).await.expect("asked again");
    assert_eq!(endpoint.count(), 2);
}

#[tokio::test]
async fn a_text_is_kept_too() {
    let endpoint = endpoint([Reply::Text("tea".to_owned())]).await;
    let kept = Arc::new(Kept::default());
    let (model, _) = process(endpoint.settings(), &kept);
    let prompt = Prompt::user("Tea or coffee?");
    let first = model.complete(&prompt, &job(1)).await.expect("an answer");
    let again = model.complete(&prompt, &job(1)).await.expect("the same");
    assert_eq!((first.text, again.calls, endpoint.count()), (again.text, 0, 1));
}
