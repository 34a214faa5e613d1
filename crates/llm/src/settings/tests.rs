use std::collections::HashMap;

use reflexio_types::config::{AzureOpenAiConfig, CustomEndpointConfig, DashScopeConfig, OpenAiConfig};

use super::*;

fn environment(pairs: &[(&str, &str)]) -> impl Fn(&str) -> Option<String> {
    let pairs: HashMap<String, String> =
        pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    move |name: &str| pairs.get(name).cloned()
}

#[test]
fn the_configuration_wins_over_the_environment() {
    let keys = ApiKeyConfig {
        openai: Some(OpenAiConfig { api_key: Some(Secret::new("from-config")), azure_config: None }),
        ..ApiKeyConfig::default()
    };
    let llm = LlmConfig { generation_model_name: Some("gpt-5-mini".to_owned()), ..LlmConfig::default() };
    let settings = Settings::from_config(Some(&llm), Some(&keys)).or_environment(environment(&[
        ("OPENAI_API_KEY", "from-environment"),
        ("OPENAI_BASE_URL", "http://elsewhere"),
        ("GOOGLE_API_KEY", "google"),
        ("REFLEXIO_MODEL", "other"),
        ("REFLEXIO_MODEL_JUDGE", "claude-haiku-4-5"),
        ("REFLEXIO_FALLBACK_MODELS", "a/b, c/d ,"),
    ]));
    assert_eq!(settings.keys[&Provider::OpenAi].expose(), "from-config");
    assert!(settings.base_urls.is_empty(), "the environment's URL belongs to the environment's key");
    assert_eq!(settings.keys[&Provider::Gemini].expose(), "google");
    assert_eq!(settings.default_model.as_deref(), Some("gpt-5-mini"));
    assert_eq!(settings.roles[&Role::Judge], "claude-haiku-4-5");
    assert_eq!(settings.fallbacks, ["a/b", "c/d"]);
}

#[test]
fn a_key_of_the_operator_never_goes_to_a_server_that_an_org_named() {
    let dashscope = DashScopeConfig { api_key: Secret::new(" "), api_base: Some("http://evil".to_owned()) };
    let azure = AzureOpenAiConfig {
        api_key: Secret::new(""),
        endpoint: "http://evil".to_owned(),
        api_version: "2024-10-21".to_owned(),
        deployment_name: None,
    };
    let keys = ApiKeyConfig {
        dashscope: Some(dashscope),
        openai: Some(OpenAiConfig { api_key: None, azure_config: Some(azure) }),
        ..ApiKeyConfig::default()
    };
    let settings = Settings::from_config(None, Some(&keys)).or_environment(environment(&[
        ("DASHSCOPE_API_KEY", "operator"),
        ("AZURE_OPENAI_API_KEY", "operator"),
    ]));
    assert_eq!(settings.keys[&Provider::DashScope].expose(), "operator");
    assert!(settings.base_urls.is_empty() && settings.azure.is_none());
}

#[test]
fn a_custom_endpoint_alone_serves_every_role() {
    let custom = CustomEndpointConfig {
        model: "meta-llama/Llama-3".to_owned(),
        api_key: Secret::new(""),
        api_base: "http://localhost:8000/v1".to_owned(),
    };
    let keys = ApiKeyConfig { custom_endpoint: Some(custom), ..ApiKeyConfig::default() };
    let settings = Settings::from_config(None, Some(&keys));
    assert_eq!(settings.default_model.as_deref(), Some("custom/meta-llama/Llama-3"));
    assert_eq!(settings.endpoints[CUSTOM_ENDPOINT].key, None);
}

#[test]
fn settings_never_print_a_key() {
    let keys = ApiKeyConfig {
        openai: Some(OpenAiConfig { api_key: Some(Secret::new("sk-very-secret-key")), azure_config: None }),
        ..ApiKeyConfig::default()
    };
    let printed = format!("{:?}", Settings::from_config(None, Some(&keys)));
    assert!(!printed.contains("very-secret"), "{printed}");
}
