//! What models can do, as far as their names tell. A server that says otherwise is believed and remembered.

use super::{Provider, Wire};
use crate::name::{ModelName, Source};

/// A way to get JSON out of a model, the surest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Rung {
    /// The server holds the model to the schema.
    Schema,
    /// The schema is the input of a tool that the model must call.
    Tool,
    /// JSON mode that is told the schema too, which servers on llama.cpp hold the model to.
    JsonWithSchema,
    /// The server holds the model to JSON; the schema is in the prompt.
    JsonMode,
    /// The schema is in the prompt, and that is all.
    Prompt,
}

impl Rung {
    /// The next way to try when a server refuses this one.
    pub(crate) fn below(self, wire: Wire, source: &Source) -> Option<Self> {
        match (self, wire, source) {
            (Self::Schema, Wire::Anthropic, _) => Some(Self::Tool),
            // Providers say what they offer; a server of one's own may be anything.
            (Self::Schema, Wire::OpenAi, Source::Endpoint(_)) => Some(Self::JsonWithSchema),
            (Self::Schema | Self::JsonWithSchema, _, _) => Some(Self::JsonMode),
            (Self::Tool | Self::JsonMode, _, _) => Some(Self::Prompt),
            (Self::Prompt, _, _) => None,
        }
    }
}

/// The surest way that a model is known to offer.
pub(crate) fn first_rung(name: &ModelName, azure_version: Option<&str>) -> Rung {
    let model = name.model.to_ascii_lowercase();
    let provider = match &name.source {
        Source::Provider(provider) => *provider,
        Source::Endpoint(_) => return Rung::Schema,
        Source::Command => return Rung::Prompt,
    };
    match provider {
        Provider::OpenAi if old_gpt(&model) => Rung::JsonMode,
        // Versions are dates, and schemas came with this one.
        Provider::Azure if azure_version.is_some_and(|version| version < "2024-08-01") => Rung::JsonMode,
        Provider::Anthropic if old_claude(&model) => Rung::Tool,
        Provider::DeepSeek | Provider::Moonshot | Provider::Zai | Provider::DashScope => Rung::JsonMode,
        Provider::MiniMax => Rung::Prompt,
        Provider::OpenAi
        | Provider::Azure
        | Provider::Anthropic
        | Provider::Gemini
        | Provider::OpenRouter
        | Provider::Xai
        | Provider::Ollama => Rung::Schema,
    }
}

fn old_gpt(model: &str) -> bool {
    model.starts_with("gpt-3.5")
        || (model.starts_with("gpt-4") && !model.starts_with("gpt-4o") && !model.starts_with("gpt-4.1"))
}

fn old_claude(model: &str) -> bool {
    let old = ["claude-2", "claude-3", "claude-instant", "claude-opus-4-0", "claude-sonnet-4-0"];
    old.iter().any(|start| model.starts_with(start))
        || model.starts_with("claude-sonnet-4-2025")
        || model.starts_with("claude-opus-4-2025")
}

/// Whether the schema is also told in words although the server was given it: some constrain the output without
/// telling the model why, and gateways drop what they do not know.
pub(crate) fn tells_schema(name: &ModelName) -> bool {
    match &name.source {
        Source::Provider(provider) => matches!(provider, Provider::Ollama | Provider::OpenRouter),
        Source::Endpoint(_) | Source::Command => true,
    }
}

/// Whether a model sees pictures, as far as its name tells.
pub(crate) fn takes_images(name: &ModelName) -> bool {
    let model = name.model.to_ascii_lowercase();
    let any = |words: &[&str]| words.iter().any(|word| model.contains(word));
    let provider = match &name.source {
        Source::Provider(provider) => *provider,
        Source::Endpoint(_) => return true,
        Source::Command => return false,
    };
    match provider {
        Provider::OpenAi => !any(&["gpt-3.5", "o1-mini", "o3-mini"]) && model != "gpt-4",
        Provider::Anthropic => !any(&["claude-2", "claude-instant"]),
        Provider::Azure | Provider::Gemini | Provider::OpenRouter => true,
        Provider::DeepSeek => any(&["vl"]),
        Provider::Xai => any(&["vision", "grok-4"]),
        Provider::Moonshot => any(&["vision", "k2.5", "k2.6", "k2.7", "k3"]),
        Provider::Zai => any(&["4v", "5v", "6v", "vision"]),
        Provider::DashScope => any(&["vl", "omni", "qvq"]),
        Provider::MiniMax => any(&["vl", "minimax-01"]),
        Provider::Ollama => any(&[
            "vision",
            "vl",
            "llava",
            "gemma3",
            "minicpm-v",
            "moondream",
            "llama4",
            "mistral-small3",
            "pixtral",
        ]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> ModelName {
        ModelName::parse(text, ["local"]).expect("a name")
    }

    #[test]
    fn each_provider_starts_at_the_rung_it_offers() {
        for (model, rung) in [
            ("gpt-5-mini", Rung::Schema),
            ("gpt-4o-mini", Rung::Schema),
            ("gpt-4-turbo", Rung::JsonMode),
            ("claude-haiku-4-5", Rung::Schema),
            ("claude-3-5-sonnet-latest", Rung::Tool),
            ("gemini-2.5-flash", Rung::Schema),
            ("deepseek-chat", Rung::JsonMode),
            ("minimax/MiniMax-M2", Rung::Prompt),
            ("ollama/qwen3:4b", Rung::Schema),
            ("local/anything", Rung::Schema),
            ("command:claude -p", Rung::Prompt),
        ] {
            assert_eq!(first_rung(&name(model), None), rung, "{model}");
        }
        let azure = name("azure/my-deployment");
        assert_eq!(first_rung(&azure, Some("2024-02-15-preview")), Rung::JsonMode);
        assert_eq!(first_rung(&azure, Some("2024-10-21")), Rung::Schema);
    }

    #[test]
    fn every_ladder_ends_at_the_prompt() {
        for wire in [Wire::OpenAi, Wire::Anthropic, Wire::Gemini, Wire::Ollama] {
            for source in [Source::Provider(Provider::OpenAi), Source::Endpoint("local".to_owned())] {
                let mut rung = Rung::Schema;
                while let Some(below) = rung.below(wire, &source) {
                    assert!(below > rung);
                    rung = below;
                }
                assert_eq!(rung, Rung::Prompt);
            }
        }
    }

    #[test]
    fn blind_models_are_known_by_name() {
        for (model, sees) in [
            ("gpt-4o-mini", true),
            ("gpt-3.5-turbo", false),
            ("claude-haiku-4-5", true),
            ("deepseek-chat", false),
            ("ollama/llama3.2", false),
            ("ollama/llama3.2-vision", true),
            ("command:claude -p", false),
        ] {
            assert_eq!(takes_images(&name(model)), sees, "{model}");
        }
    }
}
