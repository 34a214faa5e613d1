//! Answers that are heard while they are made.

use std::sync::{Arc, Mutex};

use reflexio_llm::endpoint::Reply;
use reflexio_llm::{Heard, Listener, Options, Outcome, Prompt, Schema};
use serde_json::{Value, json};

use crate::support::scripted;

/// What is heard: pieces, and `|` where an attempt begins.
fn listening() -> (Options, Arc<Mutex<String>>) {
    let heard = Arc::new(Mutex::new(String::new()));
    let into = Arc::clone(&heard);
    let listener = Listener::new(move |piece| match piece {
        Heard::Beginning => into.lock().expect("what was heard").push('|'),
        Heard::Piece(text) => into.lock().expect("what was heard").push_str(text),
    });
    (Options { listener: Some(listener), ..Options::default() }, heard)
}

fn pieces(texts: &[&str], breaks_off: bool) -> Reply {
    Reply::Pieces { pieces: texts.iter().map(|text| (*text).to_owned()).collect(), breaks_off }
}

#[tokio::test]
async fn an_answer_in_pieces_is_heard_and_counted() {
    let (endpoint, model, records) = scripted([pieces(&["Good ", "morning"], false)]).await;
    let (options, heard) = listening();
    let done = model.complete(&Prompt::user("hi"), &options).await.expect("an answer");
    assert_eq!(
        (done.text.as_str(), heard.lock().expect("heard").as_str()),
        ("Good morning", "|Good morning")
    );
    assert_eq!(endpoint.requests()[0].body["stream"], true);
    let record = &records.all()[0];
    assert!(!record.tokens_estimated, "the server says what it took");
    assert_eq!(record.usage.output_tokens, 3);
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_asked_for_again_from_the_beginning() {
    let (_endpoint, model, records) = scripted([pieces(&["Good "], true), pieces(&["Hello"], false)]).await;
    let (options, heard) = listening();
    let done = model.complete(&Prompt::user("hi"), &options).await.expect("an answer");
    assert_eq!((done.text.as_str(), heard.lock().expect("heard").as_str()), ("Hello", "|Good |Hello"));
    assert_eq!(records.outcomes().len(), 2);
    assert!(matches!(records.outcomes()[0], Outcome::Failed(_)));
}

#[tokio::test]
async fn a_server_that_knows_only_whole_answers_is_asked_for_one() {
    let whole = || Reply::Text("Hello".to_owned());
    for replies in [vec![whole()], vec![Reply::StreamRefused, whole()]] {
        let requests = replies.len();
        let (endpoint, model, _) = scripted(replies).await;
        let (options, heard) = listening();
        let done = model.complete(&Prompt::user("hi"), &options).await.expect("an answer");
        assert_eq!((done.text.as_str(), endpoint.count()), ("Hello", requests));
        assert_eq!(heard.lock().expect("heard").as_str(), "|", "nothing came in pieces");
    }
}

#[tokio::test]
async fn a_typed_answer_in_pieces_is_checked_like_any_other() {
    let form = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    let schema = Schema::new("n", form).expect("a schema");
    let replies = [pieces(&["{\"n\": ", "\"many\"}"], false), pieces(&["{\"n\"", ": 3}"], false)];
    let (_endpoint, model, _) = scripted(replies).await;
    let (options, heard) = listening();
    let found = model.complete_json::<Value>(&Prompt::user("hi"), &schema, &options).await;
    assert_eq!(found.expect("an answer").value, json!({"n": 3}));
    assert_eq!(heard.lock().expect("heard").as_str(), "|{\"n\": \"many\"}|{\"n\": 3}");
}
