use reflexio_llm::endpoint::{Reply, TestEndpoint};
use reflexio_llm::{Azure, Finish, Model, Options, Prompt, Provider, Role, Settings, Speaker};
use reflexio_types::MediaType;
use reflexio_types::config::Secret;
use serde_json::{Value, json};

use crate::support::{Facts, endpoint, facts_schema, models};

const KEY: &str = "sk-very-secret-key";

fn prompt() -> Prompt {
    Prompt::user("What is this?")
        .with_system("Be brief.")
        .with(Speaker::Assistant, "A cup.")
        .with(Speaker::User, "And that?")
}

fn options() -> Options {
    Options { temperature: Some(0.2), max_output_tokens: Some(500), ..Options::default() }
}

fn model(endpoint: &TestEndpoint, provider: Provider, name: &str) -> Model {
    let mut settings = Settings { default_model: Some(name.to_owned()), ..endpoint.settings() };
    settings.keys.insert(provider, Secret::new(KEY));
    settings.base_urls.insert(provider, endpoint.url());
    let api_version = "2024-10-21".to_owned();
    settings.azure = Some(Azure { endpoint: endpoint.url(), api_version, deployment: None });
    models(settings).0.for_role(Role::Judge).expect("a model")
}

/// What the last request was, the key's header without the key.
fn sent(endpoint: &TestEndpoint) -> Value {
    let seen = endpoint.requests().pop().expect("a request");
    let interesting = ["authorization", "x-api-key", "x-goog-api-key", "api-key", "anthropic-version"];
    let headers: Vec<String> = interesting
        .iter()
        .filter_map(|name| Some(format!("{name}: {}", seen.header(name)?.replace(KEY, "KEY"))))
        .collect();
    json!({"path": seen.path, "headers": headers, "body": seen.body})
}

fn openai_answer(text: &str) -> Value {
    let usage =
        json!({"prompt_tokens": 100, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 40}});
    json!({"choices": [{"message": {"content": text}, "finish_reason": "stop"}], "usage": usage})
}

fn anthropic_answer(text: &str) -> Value {
    let usage = json!({"input_tokens": 50, "cache_creation_input_tokens": 10, "cache_read_input_tokens": 40, "output_tokens": 7});
    json!({"content": [{"type": "text", "text": text}], "stop_reason": "end_turn", "usage": usage})
}

fn gemini_answer(text: &str) -> Value {
    let parts = json!([{"text": "thinking", "thought": true}, {"text": text}]);
    let usage = json!({"promptTokenCount": 100, "candidatesTokenCount": 5, "thoughtsTokenCount": 2, "cachedContentTokenCount": 40});
    json!({"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}], "usageMetadata": usage})
}

fn ollama_answer(text: &str) -> Value {
    json!({"message": {"role": "assistant", "content": text}, "done": true, "done_reason": "stop",
        "prompt_eval_count": 100, "eval_count": 7})
}

struct Format {
    name: &'static str,
    provider: Provider,
    model: &'static str,
    answer: fn(&str) -> Value,
    cached: u64,
}

const FORMATS: [Format; 5] = [
    Format {
        name: "openai",
        provider: Provider::OpenAi,
        model: "openai/gpt-4o-mini",
        answer: openai_answer,
        cached: 40,
    },
    Format {
        name: "azure",
        provider: Provider::Azure,
        model: "azure/my-deployment",
        answer: openai_answer,
        cached: 40,
    },
    Format {
        name: "anthropic",
        provider: Provider::Anthropic,
        model: "claude-haiku-4-5",
        answer: anthropic_answer,
        cached: 40,
    },
    Format {
        name: "gemini",
        provider: Provider::Gemini,
        model: "gemini-2.5-flash",
        answer: gemini_answer,
        cached: 40,
    },
    Format {
        name: "ollama",
        provider: Provider::Ollama,
        model: "ollama/qwen2.5-vl",
        answer: ollama_answer,
        cached: 0,
    },
];

#[tokio::test]
async fn text_is_sent_and_counted_in_every_format() {
    for format in FORMATS {
        let endpoint = endpoint([Reply::Body((format.answer)("A plate."))]).await;
        let model = model(&endpoint, format.provider, format.model);
        let done = model.complete(&prompt(), &options()).await.expect("an answer");
        assert_eq!((done.text.as_str(), done.finish, done.calls), ("A plate.", Finish::Complete, 1));
        let usage = (done.usage.prompt_tokens, done.usage.output_tokens, done.usage.cached_tokens);
        assert_eq!(usage, (100, 7, format.cached), "{}", format.name);
        insta::assert_json_snapshot!(format!("{}_text", format.name), sent(&endpoint));
    }
}

#[tokio::test]
async fn every_image_is_sent_in_every_format() {
    for format in FORMATS {
        let endpoint = endpoint([Reply::Body((format.answer)("Two."))]).await;
        let model = model(&endpoint, format.provider, format.model);
        let prompt = Prompt::user("How many?")
            .with_image(MediaType::Png, *b"one")
            .with_image(MediaType::Jpeg, *b"two");
        model.complete(&prompt, &Options::default()).await.expect("an answer");
        insta::assert_json_snapshot!(format!("{}_images", format.name), sent(&endpoint));
    }
}

#[tokio::test]
async fn a_schema_is_sent_in_every_format() {
    for format in FORMATS {
        let endpoint = endpoint([Reply::Body((format.answer)(r#"{"facts":["tea"],"note":null}"#))]).await;
        let model = model(&endpoint, format.provider, format.model);
        let done =
            model.complete_json::<Facts>(&Prompt::user("Facts?"), &facts_schema(), &Options::default()).await;
        let done = done.expect("facts");
        assert_eq!(done.value, Facts { facts: vec!["tea".to_owned()], note: None });
        assert!(!done.corrected && done.whole);
        insta::assert_json_snapshot!(format!("{}_schema", format.name), sent(&endpoint));
    }
}

#[tokio::test]
async fn an_older_claude_answers_through_a_tool() {
    let input = json!({"facts": ["tea"], "note": null});
    let answer = json!({"content": [{"type": "text", "text": "Here."}, {"type": "tool_use", "name": "facts", "input": input}],
        "stop_reason": "tool_use", "usage": {"input_tokens": 1, "output_tokens": 1}});
    let endpoint = endpoint([Reply::Body(answer)]).await;
    let model = model(&endpoint, Provider::Anthropic, "claude-3-5-haiku-latest");
    let done =
        model.complete_json::<Facts>(&Prompt::user("Facts?"), &facts_schema(), &Options::default()).await;
    assert_eq!(done.expect("facts").value.facts, ["tea"]);
    insta::assert_json_snapshot!("anthropic_tool", sent(&endpoint));
}

#[tokio::test]
async fn json_mode_and_the_bare_prompt_tell_the_schema_in_words() {
    for (name, provider, model_name) in [
        ("deepseek_json_mode", Provider::DeepSeek, "deepseek-chat"),
        ("minimax_prompt", Provider::MiniMax, "MiniMax-M2"),
    ] {
        let endpoint = endpoint([Reply::Json(json!({"facts": []}))]).await;
        let model = model(&endpoint, provider, model_name);
        let done =
            model.complete_json::<Facts>(&Prompt::user("Facts?"), &facts_schema(), &Options::default()).await;
        assert!(done.expect("facts").value.facts.is_empty());
        insta::assert_json_snapshot!(name, sent(&endpoint));
    }
}

#[tokio::test]
async fn a_blind_model_gets_a_note_instead_of_each_image() {
    let endpoint = endpoint([]).await;
    let model = model(&endpoint, Provider::DeepSeek, "deepseek-chat");
    let prompt =
        Prompt::user("How many?").with_image(MediaType::Png, *b"one").with_image(MediaType::Jpeg, *b"two");
    model.complete(&prompt, &Options::default()).await.expect("an answer");
    insta::assert_json_snapshot!("blind_images", sent(&endpoint));
}

#[tokio::test]
async fn a_model_that_declines_is_told_apart() {
    for (provider, name, body) in [
        (
            Provider::OpenAi,
            "gpt-4o-mini",
            json!({"choices": [{"message": {"refusal": "I can't"}, "finish_reason": "stop"}]}),
        ),
        (Provider::Anthropic, "claude-haiku-4-5", json!({"content": [], "stop_reason": "refusal"})),
        (Provider::Gemini, "gemini-2.5-flash", json!({"promptFeedback": {"blockReason": "SAFETY"}})),
    ] {
        let endpoint = endpoint([Reply::Body(body)]).await;
        let error =
            model(&endpoint, provider, name).complete(&prompt(), &Options::default()).await.expect_err("no");
        assert_eq!((error.code(), endpoint.count()), ("declined", 1), "{error}");
    }
}

#[tokio::test]
async fn an_error_with_status_200_is_an_error() {
    for (body, code) in [
        (json!({"error": {"code": 402, "message": "Insufficient credits"}}), "billing"),
        (json!({"error": {"code": 400, "message": "no such model"}}), "bad_request"),
        (json!({"base_resp": {"status_code": 1008, "status_msg": "insufficient balance"}}), "billing"),
        (json!({"base_resp": {"status_code": 1004, "status_msg": "login fail"}}), "auth"),
    ] {
        let endpoint = endpoint([Reply::Body(body)]).await;
        let model = model(&endpoint, Provider::OpenRouter, "openrouter/openai/gpt-5-mini");
        let error = model.complete(&prompt(), &Options::default()).await.expect_err("no");
        assert_eq!(error.code(), code, "{error}");
    }
}
