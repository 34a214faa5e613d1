use reflexio_llm::endpoint::{Reply, TestEndpoint};
use reflexio_llm::{Error, Options, Prompt, Role, Schema, Truncation, Turn, Violation};
use reflexio_types::MediaType;
use serde_json::{Value, json};

use crate::support::{Facts, facts_schema, models, scripted};

fn tea() -> Value {
    json!({"facts": ["likes tea"]})
}

/// The facts that come of a script, whether they were corrected, and the number of requests.
async fn facts(replies: Vec<Reply>, options: &Options) -> (Result<Vec<String>, Error>, bool, TestEndpoint) {
    let (endpoint, model, _) = scripted(replies).await;
    let done = model.complete_json::<Facts>(&Prompt::user("Facts?"), &facts_schema(), options).await;
    let corrected = done.as_ref().is_ok_and(|done| done.corrected);
    (done.map(|done| done.value.facts), corrected, endpoint)
}

#[tokio::test]
async fn valid_answers_and_answers_in_prose_need_one_call() {
    for reply in [Reply::Json(tea()), Reply::Prose(tea())] {
        let (facts, corrected, endpoint) = facts(vec![reply], &Options::default()).await;
        assert_eq!(facts.expect("facts"), ["likes tea"]);
        assert_eq!((corrected, endpoint.count()), (false, 1));
    }
}

#[tokio::test]
async fn every_wrong_answer_gets_one_correction_that_names_what_is_wrong() {
    for (reply, named) in [
        (Reply::SchemaViolation, "- `facts`: is required"),
        (Reply::Json(json!({"facts": [1]})), "- `facts[0]`: must be string, not number"),
        (Reply::SchemaEcho, "it repeats the JSON Schema"),
        (Reply::Truncated(tea()), "it breaks off before its end. Give the whole corrected answer"),
        (Reply::Empty, "it is empty"),
        (Reply::Text("No idea.".to_owned()), "it holds no JSON object"),
    ] {
        let text = if let Reply::Truncated(_) = reply { "it breaks off" } else { named };
        let (facts, corrected, endpoint) = facts(vec![reply, Reply::Json(tea())], &Options::default()).await;
        assert_eq!(facts.expect("facts"), ["likes tea"]);
        assert_eq!((corrected, endpoint.count()), (true, 2));
        let said = endpoint.requests()[1].prompt();
        assert!(said.contains(text), "{text}: {said}");
        assert!(said.contains("instance of this JSON Schema"), "the form is told again");
    }
}

#[tokio::test]
async fn a_second_wrong_answer_is_the_end_and_is_kept() {
    let (facts, _, endpoint) = facts(vec![Reply::SchemaViolation; 9], &Options::default()).await;
    let Err(Error::InvalidAnswer { reason, raw, .. }) = facts else { panic!("{facts:?}") };
    assert!(reason.contains("`facts`: is required") && raw.contains("surely_not_a_field"), "{reason} {raw}");
    assert_eq!(endpoint.count(), 2, "never more than one correction");
}

#[tokio::test]
async fn complete_items_of_a_cut_answer_are_kept_when_the_caller_wants_them() {
    let options = Options { truncation: Truncation::KeepCompleteItems, ..Options::default() };
    let long = json!({"facts": ["one", "two", "three"]});
    let (facts, corrected, endpoint) = facts(vec![Reply::Truncated(long)], &options).await;
    assert_eq!(facts.expect("facts"), ["one"]);
    assert_eq!((corrected, endpoint.count()), (false, 1));
}

#[tokio::test]
async fn a_cut_answer_gets_twice_the_room() {
    let options = Options { max_output_tokens: Some(100), ..Options::default() };
    let (_, _, endpoint) = facts(vec![Reply::Truncated(tea()), Reply::Json(tea())], &options).await;
    let limits: Vec<Value> = endpoint.requests().iter().map(|seen| seen.body["max_tokens"].clone()).collect();
    assert_eq!(limits, [json!(100), json!(200)]);
}

#[tokio::test]
async fn a_server_without_schemas_steps_down_the_ladder_and_is_remembered() {
    let refused = std::iter::repeat_n(Reply::FormatRefused, 3);
    let (endpoint, model, records) = scripted(refused.chain([Reply::Json(tea()), Reply::Json(tea())])).await;
    for _ in 0..2 {
        let done =
            model.complete_json::<Facts>(&Prompt::user("Facts?"), &facts_schema(), &Options::default()).await;
        assert_eq!(done.expect("facts").value.facts, ["likes tea"]);
    }
    let requests = endpoint.requests();
    let formats: Vec<&Value> = requests.iter().map(|seen| &seen.body["response_format"]).collect();
    let types: Vec<Value> = formats.iter().map(|format| format["type"].clone()).collect();
    let json = json!("json_object");
    assert_eq!(types, [json!("json_schema"), json.clone(), json, Value::Null, Value::Null]);
    assert_eq!(
        formats[1]["schema"], formats[0]["json_schema"]["schema"],
        "servers on llama.cpp want it here"
    );
    assert!(formats[2].get("schema").is_none());
    assert!(endpoint.requests().iter().all(|seen| seen.prompt().contains("instance of this JSON Schema")));
    assert_eq!(records.all().len(), 5, "refused calls are in the ledger too");
}

#[tokio::test]
async fn a_schema_that_is_refused_says_nothing_about_others() {
    let (endpoint, model, _) = scripted([Reply::FormatRefused, Reply::Json(tea()), Reply::Json(tea())]).await;
    let prompt = Prompt::user("Facts?");
    let other = Schema::new("other", facts_schema().as_value().clone()).expect("a schema");
    for schema in [&facts_schema(), &other] {
        model.complete_json::<Facts>(&prompt, schema, &Options::default()).await.expect("facts");
    }
    let last = endpoint.requests().pop().expect("a request");
    assert_eq!(last.body["response_format"]["type"], "json_schema");
}

#[tokio::test]
async fn an_open_schema_is_sent_but_not_strictly() {
    let root = json!({"type": "object", "properties": {"facts": {"type": "array", "items": {"type": "string"}},
        "extra": {"type": "object"}}, "required": ["facts"]});
    let open = Schema::new("open", root).expect("a schema");
    let (endpoint, model, _) = scripted([Reply::Json(tea())]).await;
    model.complete_json::<Facts>(&Prompt::user("Facts?"), &open, &Options::default()).await.expect("facts");
    assert_eq!(endpoint.requests()[0].body["response_format"]["json_schema"]["strict"], false);
}

#[tokio::test]
async fn pictures_that_are_refused_are_left_out_of_this_call_only() {
    let body = json!({"error": {"message": "You uploaded an unsupported image"}}).to_string();
    let refused = Reply::Status { status: 400, headers: Vec::new(), body };
    let (endpoint, model, _) = scripted([refused]).await;
    let prompt = Prompt::user("look").with_image(MediaType::Png, *b"x");
    for _ in 0..2 {
        model.complete(&prompt, &Options::default()).await.expect("an answer");
    }
    let pictures: Vec<bool> =
        endpoint.requests().iter().map(|seen| seen.body.to_string().contains("image_url")).collect();
    assert_eq!(pictures, [true, false, true]);
}

#[tokio::test]
async fn a_refusal_that_speaks_of_images_is_final_when_none_were_sent() {
    let body = json!({"error": {"message": "no model `image-maker`"}}).to_string();
    let refused = Reply::Status { status: 404, headers: Vec::new(), body };
    let (endpoint, model, _) = scripted([refused]).await;
    let error = model.complete(&Prompt::user("hi"), &Options::default()).await.expect_err("refused");
    assert_eq!((error.code(), endpoint.count()), ("bad_request", 1));
}

#[tokio::test]
async fn other_refused_parameters_are_left_out_from_then_on() {
    let refuse = |message: &str| {
        let body = json!({"error": {"message": message}}).to_string();
        Reply::Status { status: 400, headers: Vec::new(), body }
    };
    let (endpoint, model, _) = scripted([
        refuse("Unsupported value: 'temperature' does not support 0.2 with this model"),
        refuse("Unsupported parameter: 'max_tokens' is not supported, use 'max_completion_tokens' instead"),
    ])
    .await;
    let options = Options { temperature: Some(0.2), max_output_tokens: Some(9), ..Options::default() };
    for _ in 0..2 {
        model.complete(&Prompt::user("hi"), &options).await.expect("an answer");
    }
    let last = endpoint.requests().pop().expect("a request").body;
    assert_eq!((&last["temperature"], &last["max_tokens"]), (&Value::Null, &Value::Null));
    assert_eq!(last["max_completion_tokens"], 9);
    assert_eq!(endpoint.count(), 4);
}

#[tokio::test]
async fn the_callers_own_rules_are_told_to_the_model() {
    let (endpoint, model, records) =
        scripted([Reply::Json(json!({"facts": ["x"]})), Reply::Json(tea())]).await;
    let rule = |facts: &Facts| {
        let short = facts.facts.iter().any(|fact| fact.len() < 3);
        let violation = Violation { path: "facts[0]".to_owned(), message: "must quote a turn".to_owned() };
        if short { vec![violation] } else { Vec::new() }
    };
    let prompt = Prompt::user("Facts?").with_version("facts@v1");
    let done = model.complete_json_checked(&prompt, &facts_schema(), &Options::for_run("r"), &rule).await;
    let done = done.expect("facts");
    assert!(done.corrected && done.calls == 2 && done.usage.prompt_tokens > 0);
    assert!(endpoint.requests()[1].prompt().contains("- `facts[0]`: must quote a turn"));
    let records = records.all();
    assert_eq!([records[0].turn, records[1].turn], [Turn::First, Turn::Correction]);
    assert!(records.iter().all(|record| record.prompt_version.as_deref() == Some("facts@v1")));
}

#[tokio::test]
async fn the_short_way_asks_the_model_of_the_role() {
    let (endpoint, _, _) = scripted([Reply::Json(tea())]).await;
    let (models, _) = models(endpoint.settings());
    let prompt = Prompt::user("Facts?");
    let done =
        models.complete_json::<Facts>(Role::Aggregation, &prompt, &facts_schema(), &Options::default()).await;
    assert_eq!(done.expect("facts").value.facts, ["likes tea"]);
}
