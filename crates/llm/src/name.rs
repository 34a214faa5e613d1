//! Names of models: `provider/model`, a bare name that everybody knows, or `command:PROGRAM args`.

use std::fmt;

use crate::error::{Error, Result};
use crate::provider::Provider;

/// Who answers.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Source {
    Provider(Provider),
    /// An OpenAI-compatible server that the settings name.
    Endpoint(String),
    /// A local program.
    Command,
}

/// A model and who serves it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ModelName {
    pub source: Source,
    /// The model as its server calls it; the command line of a program.
    pub model: String,
}

/// What bare names begin with.
const FAMILIES: [(&str, Provider); 16] = [
    ("gpt-", Provider::OpenAi),
    ("chatgpt-", Provider::OpenAi),
    ("o1", Provider::OpenAi),
    ("o3", Provider::OpenAi),
    ("o4", Provider::OpenAi),
    ("claude-", Provider::Anthropic),
    ("gemini-", Provider::Gemini),
    ("deepseek-", Provider::DeepSeek),
    ("grok-", Provider::Xai),
    ("kimi-", Provider::Moonshot),
    ("moonshot-", Provider::Moonshot),
    ("glm-", Provider::Zai),
    ("qwen", Provider::DashScope),
    ("qwq", Provider::DashScope),
    ("minimax-", Provider::MiniMax),
    ("abab", Provider::MiniMax),
];

impl ModelName {
    /// Reads a name; `endpoints` are the OpenAI-compatible servers that the settings name.
    pub fn parse<'a>(text: &str, endpoints: impl IntoIterator<Item = &'a str>) -> Result<Self> {
        let text = text.trim();
        if let Some(line) = text.strip_prefix("command:") {
            return named(Source::Command, line.trim(), text);
        }
        let Some((prefix, model)) = text.split_once('/') else { return bare(text) };
        if endpoints.into_iter().any(|endpoint| endpoint == prefix) {
            return named(Source::Endpoint(prefix.to_owned()), model, text);
        }
        let Some(provider) = Provider::parse(prefix) else {
            let known: Vec<&str> = Provider::ALL.into_iter().map(Provider::as_str).collect();
            return Err(Error::Misconfigured(format!(
                "model `{text}` names no known provider; use one of {}, a configured endpoint, or `command:`",
                known.join(", ")
            )));
        };
        named(Source::Provider(provider), model.trim_start_matches("models/"), text)
    }

    /// The name of who answers, as the ledger and the limits know it.
    pub fn provider(&self) -> &str {
        match &self.source {
            Source::Provider(provider) => provider.as_str(),
            Source::Endpoint(name) => name,
            Source::Command => "command",
        }
    }
}

fn named(source: Source, model: &str, text: &str) -> Result<ModelName> {
    if model.is_empty() {
        return Err(Error::Misconfigured(format!("`{text}` names no model")));
    }
    Ok(ModelName { source, model: model.to_owned() })
}

fn bare(text: &str) -> Result<ModelName> {
    let lower = text.to_ascii_lowercase();
    if let Some((_, provider)) = FAMILIES.into_iter().find(|(start, _)| lower.starts_with(start)) {
        return named(Source::Provider(provider), text, text);
    }
    Err(Error::Misconfigured(format!(
        "model `{text}` needs its provider before it, for example `ollama/{text}`"
    )))
}

impl fmt::Display for ModelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.source {
            Source::Command => write!(f, "command:{}", self.model),
            Source::Provider(_) | Source::Endpoint(_) => write!(f, "{}/{}", self.provider(), self.model),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let name =
            ModelName::parse(text, ["local"]).map_or_else(|error| error.to_string(), |name| name.to_string());
        assert_eq!(name, expected);
    }

    #[test]
    fn names_with_a_provider_keep_the_rest_as_it_is() {
        check("openai/gpt-5-mini", "openai/gpt-5-mini");
        check("openrouter/anthropic/claude-sonnet-4.5", "openrouter/anthropic/claude-sonnet-4.5");
        check("google/models/gemini-2.5-flash", "gemini/gemini-2.5-flash");
        check("local/meta-llama/Llama-3", "local/meta-llama/Llama-3");
        check(" ollama/qwen3:4b ", "ollama/qwen3:4b");
        check("command: claude -p", "command:claude -p");
    }

    #[test]
    fn bare_names_of_known_families_find_their_provider() {
        check("gpt-4o-mini", "openai/gpt-4o-mini");
        check("o3-mini", "openai/o3-mini");
        check("claude-haiku-4-5", "anthropic/claude-haiku-4-5");
        check("gemini-2.5-pro", "gemini/gemini-2.5-pro");
        check("MiniMax-M2", "minimax/MiniMax-M2");
    }

    #[test]
    fn other_names_are_refused_with_what_to_write() {
        check("llama3.2", "model `llama3.2` needs its provider before it, for example `ollama/llama3.2`");
        check("openai/", "`openai/` names no model");
        check("command:", "`command:` names no model");
        let error = ModelName::parse("acme/model", []).expect_err("unknown").to_string();
        assert!(error.contains("openai, azure, anthropic"), "{error}");
    }
}
