//! Playbooks with a model behind HTTP: prompts, answers, what they cost, and what becomes of failures.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    clippy::allow_attributes,
    reason = "tests say what must hold"
)]

#[path = "../../playbook-engine/tests/support/mod.rs"]
mod support;

use std::path::Path;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use playbook_run::engine::{Event, Limit, Message, Outcome, PROMPTS, Script, Start, Value, World};
use playbook_run::{Around, Asker, Drafted, Driver, Host, MemoryJournal, Pause, Unanswered};
use reflexio_llm::endpoint::{Reply, TestEndpoint};
use reflexio_llm::prompts::{Registry, Template};
use reflexio_llm::{BudgetLimits, Limits, Models, Options, Services};
use reflexio_types::SystemClock;
use support::NOON;
use support::examples::{Example, order_status};

struct Tools(Mutex<Script>);

#[async_trait]
impl Host for Tools {
    async fn say(&self, _: &Message) {}

    async fn tool(&self, name: &str, args: &[(String, Value)]) -> Result<Value, String> {
        self.0.lock().unwrap().tool(name, args)
    }
}

fn asker(endpoint: &TestEndpoint, services: Services) -> Asker {
    let models = Models::new(endpoint.settings(), services).unwrap();
    Asker::new(models, None, Options::for_run("run-1")).unwrap()
}

/// Plays the messages of an example until something else than a message is needed.
async fn play(example: &Example, asker: &Asker) -> (Pause, Vec<String>, playbook_run::engine::Spent) {
    let (journal, host) = (MemoryJournal::default(), Tools(Mutex::new(example.script.clone())));
    let now = || NOON;
    let around = Around { journal: &journal, model: asker, host: &host, now: &now };
    let mut driver = Driver::start(Arc::clone(&example.code), example.start.clone(), around).await.unwrap();
    let mut messages = example.script.messages.clone();
    loop {
        let pause = driver.until_quiet().await.unwrap();
        let next = if matches!(pause, Pause::Waiting { .. }) { messages.pop_front() } else { None };
        let Some(text) = next else {
            let said = driver.state().transcript().iter().map(|message| message.text.clone()).collect();
            return (pause, said, driver.state().spent());
        };
        driver.tell(Event::Message { text }).await.unwrap();
    }
}

#[test]
fn every_prompt_file_is_known_and_parses() {
    let template = |file: &playbook_run::engine::PromptFile| Template {
        name: file.name,
        version: file.version,
        source: file.source,
    };
    let registry = Registry::new(PROMPTS.iter().map(template)).unwrap();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../playbook-engine/prompts");
    registry.matches_folder(&folder).unwrap();
}

#[tokio::test]
async fn a_conversation_with_a_model_costs_two_calls_and_counts_its_tokens() {
    let example = order_status();
    let replies = example.script.answers.iter().cloned().map(Reply::Json);
    let endpoint = TestEndpoint::scripted(replies).await.unwrap();
    let (pause, said, spent) = play(&example, &asker(&endpoint, Services::default())).await;
    assert!(matches!(pause, Pause::Waiting { .. }), "{pause:?}");
    assert_eq!(said, ["Where is my order?", "Which one?", "A-17", "On 2026-01-09."]);
    assert_eq!((endpoint.count(), spent.model_calls), (2, 2));
    assert!(spent.tokens > 200, "{spent:?}");
    let asked = endpoint.requests();
    assert!(asked[0].prompt().contains("OrderDesk.CheckOrder_statusFlow:T1"));
    assert!(asked[1].prompt().contains("- step 02"), "{}", asked[1].prompt());
    let schema = asked[1].body["response_format"]["json_schema"]["schema"].to_string();
    assert!(schema.contains("expected_delivery_date"), "{schema}");
}

#[tokio::test]
async fn an_answer_that_is_no_json_is_corrected_and_the_correction_counts() {
    let example = order_status();
    let mut replies = vec![Reply::Text("I would say it is the order flow.".to_owned())];
    replies.extend(example.script.answers.iter().cloned().map(Reply::Json));
    let endpoint = TestEndpoint::scripted(replies).await.unwrap();
    let (_, said, spent) = play(&example, &asker(&endpoint, Services::default())).await;
    assert_eq!(said.last().unwrap(), "On 2026-01-09.");
    assert_eq!((endpoint.count(), spent.model_calls), (3, 3));
}

#[tokio::test]
async fn a_model_that_is_down_leaves_the_run_where_it_is() {
    let example = order_status();
    let endpoint = TestEndpoint::start().await.unwrap();
    endpoint.respond(|_| Reply::Unauthorized);
    let (pause, said, spent) = play(&example, &asker(&endpoint, Services::default())).await;
    let Pause::NeedsModel { why: Unanswered::Later(reason), .. } = pause else { panic!("{pause:?}") };
    assert!(reason.contains("key"), "{reason}");
    assert_eq!((said.len(), spent.model_calls), (1, 1));
}

#[tokio::test]
async fn a_budget_of_money_ends_a_run_with_a_partial_result() {
    let example = order_status();
    let replies = example.script.answers.iter().cloned().map(Reply::Json);
    let endpoint = TestEndpoint::scripted(replies).await.unwrap();
    let limits = BudgetLimits { per_run: Some(1), per_day: None };
    let budget = Arc::new(Limits::new(limits, Arc::new(SystemClock), 0));
    let (pause, _, _) = play(&example, &asker(&endpoint, Services { budget, ..Services::default() })).await;
    let Pause::Over(Outcome::Partial { limit: Limit::Money, at, .. }) = pause else { panic!("{pause:?}") };
    assert!(at.contains("per run"), "{at}");
    assert_eq!(endpoint.count(), 0);
}

/// Somebody who looks on while the model writes.
#[derive(Default)]
struct Onlooker(Mutex<Vec<String>>);

#[async_trait]
impl Host for Onlooker {
    async fn say(&self, message: &Message) {
        self.0.lock().unwrap().push(format!("said {}", message.text));
    }

    fn wants_drafts(&self) -> bool {
        true
    }

    fn draft(&self, drafted: Drafted<'_>) {
        self.0.lock().unwrap().push(match drafted {
            Drafted::Words(words) => format!("draft {words}"),
            Drafted::TakenBack => "taken back".to_owned(),
        });
    }
}

#[tokio::test]
async fn words_are_shown_while_the_model_writes_and_taken_back_if_the_connection_breaks() {
    let start =
        |text: &str| format!("{{\"steps\":[{{\"id\":\"01\",\"status\":\"done\",\"say\":[{{\"text\":\"{text}");
    let pieces = |texts: &[&str], breaks_off: bool| Reply::Pieces {
        pieces: texts.iter().map(|text| (*text).to_owned()).collect(),
        breaks_off,
    };
    let replies = [pieces(&[&start("Good")], true), pieces(&[&start("Hel"), "lo!\"}]}]}"], false)];
    let endpoint = TestEndpoint::scripted(replies).await.unwrap();
    let asker = asker(&endpoint, Services::default());
    let (journal, host, now) = (MemoryJournal::default(), Onlooker::default(), || NOON);
    let around = Around { journal: &journal, model: &asker, host: &host, now: &now };
    let code = support::steps("- Greet the user");
    let mut driver = Driver::start(code, Start::default(), around).await.unwrap();
    driver.until_quiet().await.unwrap();
    let seen = host.0.lock().unwrap().clone();
    assert_eq!(seen.first().map(String::as_str), Some("draft Good"), "{seen:?}");
    assert_eq!(seen[1], "taken back");
    assert_eq!(seen[2..seen.len() - 1].concat().replace("draft ", ""), "Hello!", "{seen:?}");
    assert_eq!(seen.last().map(String::as_str), Some("said Hello!"));
}

#[tokio::test]
async fn words_of_an_answer_that_never_comes_whole_are_taken_back() {
    let begun = "{\"steps\":[{\"id\":\"01\",\"status\":\"done\",\"say\":[{\"text\":\"Good";
    let replies = vec![Reply::Pieces { pieces: vec![begun.to_owned()], breaks_off: true }; 9];
    let endpoint = TestEndpoint::scripted(replies).await.unwrap();
    let asker = asker(&endpoint, Services::default());
    let (journal, host, now) = (MemoryJournal::default(), Onlooker::default(), || NOON);
    let around = Around { journal: &journal, model: &asker, host: &host, now: &now };
    let code = support::steps("- Greet the user");
    let mut driver = Driver::start(code, Start::default(), around).await.unwrap();
    let pause = driver.until_quiet().await.unwrap();
    assert!(matches!(pause, Pause::NeedsModel { .. }), "{pause:?}");
    let seen = host.0.lock().unwrap().clone();
    assert_eq!(seen.first().map(String::as_str), Some("draft Good"), "{seen:?}");
    assert_eq!(seen.last().map(String::as_str), Some("taken back"), "{seen:?}");
}
