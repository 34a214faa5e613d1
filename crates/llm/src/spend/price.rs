use crate::name::{ModelName, Source};
use crate::provider::Provider;
use crate::request::Usage;

/// US dollars per million tokens, which is millionths of a dollar per token.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Price {
    pub input: f64,
    pub output: f64,
    pub cached_input: f64,
}

impl Price {
    pub const FREE: Self = Self { input: 0.0, output: 0.0, cached_input: 0.0 };
    /// What an unknown model is taken to cost: a high price, so that a budget holds.
    pub const UNKNOWN: Self = Self { input: 5.0, output: 25.0, cached_input: 5.0 };

    pub const fn new(input: f64, output: f64, cached_input: f64) -> Self {
        Self { input, output, cached_input }
    }

    /// Millionths of a dollar, rounded up.
    pub fn micros(&self, usage: &Usage) -> u64 {
        let fresh = usage.prompt_tokens.saturating_sub(usage.cached_tokens);
        let cost = fresh as f64 * self.input
            + usage.cached_tokens as f64 * self.cached_input
            + usage.output_tokens as f64 * self.output;
        cost.ceil() as u64
    }
}

/// List prices of November 2026, without surcharges for long prompts; providers change them, and the operator's
/// entries win.
const LIST: &[(&str, Price)] = &[
    ("gpt-5", Price::new(1.25, 10.0, 0.125)),
    ("gpt-5-mini", Price::new(0.25, 2.0, 0.025)),
    ("gpt-5-nano", Price::new(0.05, 0.4, 0.005)),
    ("gpt-5.2", Price::new(1.75, 14.0, 0.175)),
    ("gpt-5.4", Price::new(2.5, 15.0, 0.25)),
    ("gpt-5.4-mini", Price::new(0.75, 4.5, 0.075)),
    ("gpt-5.4-nano", Price::new(0.2, 1.25, 0.02)),
    ("gpt-5.5", Price::new(5.0, 30.0, 0.5)),
    ("gpt-5.6-luna", Price::new(0.2, 1.2, 0.02)),
    ("gpt-5.6-terra", Price::new(2.0, 12.0, 0.2)),
    ("gpt-5.6-sol", Price::new(5.0, 30.0, 0.5)),
    ("gpt-4.1", Price::new(2.0, 8.0, 0.5)),
    ("gpt-4.1-mini", Price::new(0.4, 1.6, 0.1)),
    ("gpt-4.1-nano", Price::new(0.1, 0.4, 0.025)),
    ("gpt-4o", Price::new(2.5, 10.0, 1.25)),
    ("gpt-4o-mini", Price::new(0.15, 0.6, 0.075)),
    ("o3", Price::new(2.0, 8.0, 0.5)),
    ("o3-mini", Price::new(1.1, 4.4, 0.55)),
    ("o4-mini", Price::new(1.1, 4.4, 0.275)),
    ("claude-haiku-4-5", Price::new(1.0, 5.0, 0.1)),
    ("claude-sonnet-4-5", Price::new(3.0, 15.0, 0.3)),
    ("claude-sonnet-4-6", Price::new(3.0, 15.0, 0.3)),
    ("claude-sonnet-5", Price::new(2.0, 10.0, 0.2)),
    ("claude-opus-4-6", Price::new(5.0, 25.0, 0.5)),
    ("claude-opus-4-7", Price::new(5.0, 25.0, 0.5)),
    ("claude-opus-4-8", Price::new(5.0, 25.0, 0.5)),
    ("claude-opus-5", Price::new(5.0, 25.0, 0.5)),
    ("claude-sonnet-4", Price::new(3.0, 15.0, 0.3)),
    ("claude-opus-4-5", Price::new(5.0, 25.0, 0.5)),
    ("claude-opus-4-1", Price::new(15.0, 75.0, 1.5)),
    ("claude-opus-4", Price::new(15.0, 75.0, 1.5)),
    ("claude-3-5-haiku", Price::new(0.8, 4.0, 0.08)),
    ("claude-3-5-sonnet", Price::new(3.0, 15.0, 0.3)),
    ("gemini-2.5-pro", Price::new(1.25, 10.0, 0.125)),
    ("gemini-2.5-flash", Price::new(0.3, 2.5, 0.03)),
    ("gemini-2.5-flash-lite", Price::new(0.1, 0.4, 0.01)),
    ("gemini-3.1-pro", Price::new(2.0, 12.0, 0.2)),
    ("gemini-3.5-flash", Price::new(1.5, 9.0, 0.15)),
    ("gemini-3.6-flash", Price::new(0.75, 3.75, 0.075)),
    ("gemini-3.7-flash", Price::new(0.75, 3.75, 0.075)),
    ("gemini-3.8-flash", Price::new(0.75, 3.75, 0.075)),
    ("gemini-2.0-flash", Price::new(0.1, 0.4, 0.025)),
    ("deepseek-chat", Price::new(0.28, 0.42, 0.028)),
    ("deepseek-reasoner", Price::new(0.28, 0.42, 0.028)),
    ("grok-4", Price::new(3.0, 15.0, 0.75)),
    ("grok-4-fast", Price::new(0.2, 0.5, 0.05)),
    ("grok-4.5", Price::new(2.0, 6.0, 0.5)),
    ("grok-4.6", Price::new(2.0, 6.0, 0.5)),
    ("kimi-k3", Price::new(3.0, 15.0, 0.3)),
    ("kimi-k2", Price::new(0.6, 2.5, 0.15)),
    ("glm-4.6", Price::new(0.6, 2.2, 0.11)),
    ("qwen-plus", Price::new(0.4, 1.2, 0.16)),
    ("qwen-max", Price::new(1.6, 6.4, 0.64)),
    ("minimax-m2", Price::new(0.3, 1.2, 0.03)),
];

/// What models cost.
#[derive(Debug, Clone, Default)]
pub struct PriceTable {
    own: Vec<(String, Price)>,
}

impl PriceTable {
    /// Sets the price of a model, by its full name (`openai/gpt-5-mini`) or its name alone; later entries win.
    pub fn set(&mut self, model: impl Into<String>, price: Price) {
        self.own.push((model.into().to_ascii_lowercase(), price));
    }

    /// The price, or none when nobody knows it.
    pub fn find(&self, name: &ModelName) -> Option<Price> {
        let full = name.to_string().to_ascii_lowercase();
        let model = name.model.to_ascii_lowercase();
        // Gateways put the maker before the model.
        let model = model.rsplit('/').next().unwrap_or(&model);
        let own =
            self.own.iter().rev().find(|(key, _)| is_version_of(&full, key) || is_version_of(model, key));
        if let Some((_, price)) = own {
            return Some(*price);
        }
        if matches!(name.source, Source::Command | Source::Provider(Provider::Ollama)) {
            return Some(Price::FREE);
        }
        LIST.iter().find(|(key, _)| is_version_of(model, key)).map(|(_, price)| *price)
    }
}

/// Whether `model` is `key`, or a dated or preview version of it: `gpt-5-mini` is not a version of `gpt-5`.
fn is_version_of(model: &str, key: &str) -> bool {
    let Some(rest) = model.strip_prefix(key) else { return false };
    let dated = rest.strip_prefix(['-', '@']).is_some_and(|rest| {
        rest.len() >= 4 && rest.starts_with(|c: char| c.is_ascii_digit())
            || ["latest", "preview"].contains(&rest)
    });
    rest.is_empty() || dated || rest.starts_with(':')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> ModelName {
        ModelName::parse(text, ["local"]).expect("a name")
    }

    #[test]
    fn a_price_is_found_for_the_model_and_its_dated_versions_only() {
        let table = PriceTable::default();
        let input = |text: &str| table.find(&name(text)).map(|price| price.input);
        assert_eq!(input("openai/gpt-5-mini"), Some(0.25));
        assert_eq!(input("gpt-4o-mini-2024-07-18"), Some(0.15));
        assert_eq!(input("openrouter/openai/gpt-5-mini"), Some(0.25));
        assert_eq!(input("claude-haiku-4-5-20251001"), Some(1.0));
        assert_eq!(input("gpt-5.5"), Some(5.0));
        assert_eq!(input("gpt-5-codex-max"), None);
        assert_eq!(input("local/mystery"), None);
        assert_eq!(input("ollama/qwen3:4b"), Some(0.0));
    }

    #[test]
    fn the_operators_price_wins() {
        let mut table = PriceTable::default();
        table.set("openai/gpt-5-mini", Price::new(9.0, 9.0, 9.0));
        table.set("mystery", Price::new(1.0, 2.0, 0.5));
        assert_eq!(table.find(&name("gpt-5-mini")).map(|price| price.input), Some(9.0));
        assert_eq!(table.find(&name("local/mystery")).map(|price| price.output), Some(2.0));
    }

    #[test]
    fn cached_tokens_have_their_own_price() {
        let usage = Usage { prompt_tokens: 1_000, output_tokens: 100, cached_tokens: 600 };
        assert_eq!(Price::new(1.0, 10.0, 0.1).micros(&usage), 400 + 60 + 1_000);
    }
}
