use std::collections::HashMap;
use std::time::Duration;

use reflexio_llm::endpoint::Reply;
use reflexio_llm::{Azure, Endpoint, Error, Options, Prompt, Provider, Reach, Role, Settings};
use reflexio_types::config::{ApiKeyConfig, CustomEndpointConfig, Secret};

use crate::support::{endpoint, models};

fn names(settings: Settings, role: Role) -> Result<Vec<String>, String> {
    let model = models(settings).0.for_role(role).map_err(|error| error.to_string())?;
    Ok(model.names().map(ToString::to_string).collect())
}

#[test]
fn one_key_is_enough_for_every_role_with_every_provider() {
    for provider in Provider::ALL {
        let mut settings = Settings::default();
        settings.keys.insert(provider, Secret::new("k"));
        let azure = Azure {
            endpoint: "https://x".to_owned(),
            api_version: "v".to_owned(),
            deployment: Some("d".to_owned()),
        };
        settings.azure = (provider == Provider::Azure).then_some(azure);
        if provider == Provider::Ollama {
            settings.default_model = Some("ollama/qwen3:4b".to_owned());
        }
        for role in Role::ALL {
            let names = names(settings.clone(), role).expect("a model");
            assert!(names[0].starts_with(&format!("{}/", provider.as_str())), "{names:?}");
        }
    }
}

#[test]
fn a_role_has_its_own_model_and_fallbacks() {
    let mut settings = Settings { default_model: Some("gpt-5-mini".to_owned()), ..Settings::default() };
    settings.keys.insert(Provider::OpenAi, Secret::new("k"));
    settings.keys.insert(Provider::Anthropic, Secret::new("k"));
    settings.roles.insert(Role::Judge, "claude-haiku-4-5".to_owned());
    settings.fallbacks = vec!["claude-haiku-4-5".to_owned()];
    settings.role_fallbacks.insert(Role::Reflection, vec![]);
    let get = |role| names(settings.clone(), role).expect("models");
    assert_eq!(get(Role::Extraction), ["openai/gpt-5-mini", "anthropic/claude-haiku-4-5"]);
    assert_eq!(get(Role::Judge), ["anthropic/claude-haiku-4-5"]);
    assert_eq!(get(Role::Reflection), ["openai/gpt-5-mini"]);
}

#[test]
fn what_is_missing_is_named() {
    let with_model = |model: &str| Settings { default_model: Some(model.to_owned()), ..Settings::default() };
    for (settings, expected) in [
        (
            Settings::default(),
            "no model for role `extraction`: set a key such as OPENAI_API_KEY, REFLEXIO_MODEL",
        ),
        (
            with_model("gemini-2.5-flash"),
            "needs a key: set GEMINI_API_KEY or GOOGLE_API_KEY, or `api_key_config.gemini.api_key`",
        ),
        (with_model("azure/d"), "needs an endpoint: set AZURE_OPENAI_ENDPOINT"),
        (
            with_model("command:claude -p"),
            "`command:claude -p` is not among the commands that the operator allowed",
        ),
    ] {
        let error = names(settings, Role::Extraction).expect_err("missing");
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn addresses_that_cannot_be_called_are_refused_without_being_printed() {
    for base in ["not a url", "file:///etc/passwd", "http://user:password@host", "", "http://h/?key=secret"] {
        let mut settings = Settings { default_model: Some("e/m".to_owned()), ..Settings::default() };
        settings.endpoints.insert("e".to_owned(), Endpoint { base_url: base.to_owned(), key: None });
        let error = names(settings, Role::Judge).expect_err("refused");
        assert_eq!(error, "the base URL of model `e/m` is not an http or https address");
    }
}

fn custom(base: &str, org_reach: Reach) -> Settings {
    let api_base = base.to_owned();
    let custom = CustomEndpointConfig { model: "m".to_owned(), api_key: Secret::new("k"), api_base };
    let keys = ApiKeyConfig { custom_endpoint: Some(custom), ..ApiKeyConfig::default() };
    let mut settings = Settings { org_reach, ..Settings::from_config(None, Some(&keys)) };
    settings.retry.first_pause = Duration::from_millis(1);
    settings
}

#[tokio::test]
async fn an_org_reaches_no_private_address_where_the_operator_forbids_it() {
    let endpoint = endpoint([]).await;
    let port = endpoint.url().rsplit_once(':').expect("a port").1.to_owned();
    let by_number = format!("http://127.0.0.1:{port}/v1");
    let by_name = format!("http://localhost:{port}/v1");
    assert!(names(custom(&by_number, Reach::Anywhere), Role::Judge).is_ok());
    let error = names(custom(&by_number, Reach::Public), Role::Judge).expect_err("private");
    assert_eq!(error, "the address of model `custom/m` may not be called");
    assert!(names(custom("http://169.254.169.254", Reach::Anywhere), Role::Judge).is_err());
    let (models, _) = models(custom(&by_name, Reach::Public));
    let model = models.for_role(Role::Judge).expect("names are looked up later");
    model.complete(&Prompt::user("hi"), &Options::default()).await.expect_err("private");
    assert_eq!(endpoint.count(), 0);
}

#[test]
fn a_bare_name_of_openai_means_azure_where_only_azure_is_configured() {
    let environment: HashMap<&str, &str> = [
        ("AZURE_OPENAI_API_KEY", "k"),
        ("AZURE_OPENAI_ENDPOINT", "https://x.openai.azure.com/"),
        ("REFLEXIO_MODEL", "gpt-4o-mini"),
    ]
    .into();
    let settings =
        Settings::default().or_environment(|name| environment.get(name).map(|value| (*value).to_owned()));
    assert_eq!(names(settings, Role::Judge), Ok(vec!["azure/gpt-4o-mini".to_owned()]));
}

#[test]
fn a_bare_name_without_a_key_is_a_model_of_the_custom_endpoint() {
    for model in ["llama3.2", "gpt-4o-mini"] {
        let settings = custom("http://localhost:8000/v1", Reach::Anywhere);
        let settings = Settings { default_model: Some(model.to_owned()), ..settings };
        assert_eq!(names(settings, Role::Judge), Ok(vec![format!("custom/{model}")]));
    }
    let mut settings = custom("http://localhost:8000/v1", Reach::Anywhere);
    settings.keys.insert(Provider::OpenAi, Secret::new("k"));
    settings.default_model = Some("gpt-4o-mini".to_owned());
    assert_eq!(names(settings, Role::Judge), Ok(vec!["openai/gpt-4o-mini".to_owned()]));
}

#[tokio::test]
async fn a_probe_tells_a_working_provider_from_one_that_does_not() {
    let endpoint = endpoint([Reply::Text("OK".to_owned()), Reply::Empty, Reply::Unauthorized]).await;
    let (models, records) = models(endpoint.settings());
    for _ in 0..2 {
        assert_eq!(models.probe("test/scripted").await.expect("reachable").to_string(), "test/scripted");
    }
    assert!(matches!(models.probe("test/scripted").await, Err(Error::Auth { .. })));
    assert_eq!(records.all().len(), 3);
    assert!(endpoint.prompt_characters() < 50);
}

#[tokio::test]
async fn a_model_can_be_named_for_one_purpose() {
    let endpoint = endpoint([]).await;
    let (models, _) = models(endpoint.settings());
    let model = models.named(Role::Reflection, "test/other").expect("a model");
    model.complete(&Prompt::user("hi"), &Options::default()).await.expect("an answer");
    assert_eq!(endpoint.requests()[0].body["model"], "other");
    assert!(models.is_configured());
}
