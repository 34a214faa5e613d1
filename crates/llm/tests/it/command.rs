use std::time::{Duration, Instant};

use reflexio_llm::{Error, Options, Prompt, Role, Settings, Speaker};
use reflexio_types::MediaType;

use crate::support::{Facts, Records, facts_schema, models};

/// Settings that allow `sh -c SCRIPT` and ask it.
fn settings(script: &str) -> Settings {
    let line = format!("sh -c '{script}'");
    let mut settings = Settings { default_model: Some(format!("command:{line}")), ..Settings::default() };
    settings.commands.allowed = vec![line];
    settings.commands.environment = vec![("PATH".to_owned(), "/usr/bin:/bin".to_owned())];
    settings.retry.first_pause = Duration::from_millis(1);
    settings
}

async fn ask(settings: Settings, prompt: &Prompt) -> (Result<String, Error>, std::sync::Arc<Records>) {
    let (models, records) = models(settings);
    let model = models.for_role(Role::Extraction).expect("a model");
    let done = model.complete(prompt, &Options::default()).await;
    (done.map(|done| done.text), records)
}

#[tokio::test]
async fn a_program_reads_the_prompt_and_prints_the_answer() {
    let prompt = Prompt::user("Look").with_image(MediaType::Png, *b"x").with_system("Be brief.");
    let (text, records) = ask(settings("cat"), &prompt).await;
    let text = text.expect("an answer");
    assert!(text.starts_with("Be brief.\n\nLook\n[a picture (image/png)"), "{text}");
    let record = records.all().remove(0);
    assert!(record.tokens_estimated && record.price_known && record.cost_micros == 0);
    let talk = Prompt::user("one").with(Speaker::Assistant, "two").with(Speaker::User, "three");
    assert_eq!(
        ask(settings("cat"), &talk).await.0.expect("an answer"),
        "[user]\none\n\n[assistant]\ntwo\n\n[user]\nthree"
    );
}

#[tokio::test]
async fn a_program_gives_typed_values_too() {
    let script = r#"cat >/dev/null; echo "Here: {\"facts\": [\"tea\"]}""#;
    let model = models(settings(script)).0.for_role(Role::Extraction).expect("a model");
    let done =
        model.complete_json::<Facts>(&Prompt::user("Facts?"), &facts_schema(), &Options::default()).await;
    assert_eq!(done.expect("facts").value.facts, ["tea"]);
}

#[tokio::test]
async fn a_program_sees_only_the_environment_it_was_given() {
    let mut settings = settings("env");
    settings.commands.environment.push(("TOKEN".to_owned(), "mine".to_owned()));
    let text = ask(settings, &Prompt::user("x")).await.0.expect("an answer");
    let names: Vec<&str> =
        text.lines().filter_map(|line| line.split_once('=')).map(|(name, _)| name).collect();
    assert!(names.contains(&"TOKEN"), "{text}");
    assert!(!names.contains(&"CARGO_MANIFEST_DIR") && !names.contains(&"HOME"), "{text}");
}

#[tokio::test]
async fn a_program_that_is_not_logged_in_or_out_of_credit_stalls_learning() {
    for (script, code) in [
        ("echo \"Invalid API key · Please run /login\" >&2; exit 1", "auth"),
        ("echo \"Claude AI usage limit reached|1800000000\"; exit 1", "billing"),
        ("echo broken >&2; exit 3", "unavailable"),
    ] {
        let error = ask(settings(script), &Prompt::user("x")).await.0.expect_err("it fails");
        assert_eq!(error.code(), code, "{error}");
    }
}

#[tokio::test]
async fn a_program_that_hangs_or_floods_is_stopped() {
    let mut hanging = settings("sleep 60");
    hanging.http.total = Duration::from_millis(100);
    let started = Instant::now();
    assert_eq!(ask(hanging, &Prompt::user("x")).await.0.expect_err("hangs").code(), "timeout");
    let mut flooding = settings("yes");
    flooding.http.largest_answer = 10_000;
    assert_eq!(ask(flooding, &Prompt::user("x")).await.0.expect_err("floods").code(), "invalid_answer");
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[tokio::test]
async fn a_program_that_is_not_there_is_a_matter_of_settings() {
    let mut settings =
        Settings { default_model: Some("command:no-such-program-here".to_owned()), ..Settings::default() };
    settings.commands.allowed = vec!["no-such-program-here".to_owned()];
    assert_eq!(ask(settings, &Prompt::user("x")).await.0.expect_err("missing").code(), "misconfigured");
}
