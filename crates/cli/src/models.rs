use reflexio_llm::Settings;
use reflexio_types::Config;

/// Models come from the configuration first, then from the environment.
pub(crate) fn settings(config: &Config) -> Settings {
    let settings = Settings::from_config(config.llm_config.as_ref(), config.api_key_config.as_ref());
    settings.or_environment(|name| std::env::var(name).ok())
}
