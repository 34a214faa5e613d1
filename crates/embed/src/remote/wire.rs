//! The three wire formats: what is sent, and where the vectors are in the answer.

use serde::Deserialize;
use serde_json::{Value, json};

use super::settings::{Provider, Settings};

/// Where a request goes.
pub(super) fn url(settings: &Settings) -> String {
    let Settings { base_url, model, .. } = settings;
    match settings.provider {
        Provider::OpenAi => format!("{base_url}/embeddings"),
        Provider::Gemini => {
            format!("{base_url}/v1beta/models/{}:batchEmbedContents", model.trim_start_matches("models/"))
        }
        Provider::Ollama => format!("{base_url}/api/embed"),
    }
}

/// The header that carries the key.
pub(super) fn key_header(settings: &Settings) -> Option<(&'static str, String)> {
    let key = settings.key.as_ref()?.expose();
    Some(match settings.provider {
        Provider::OpenAi | Provider::Ollama => ("authorization", format!("Bearer {key}")),
        Provider::Gemini => ("x-goog-api-key", key.to_owned()),
    })
}

pub(super) fn body(settings: &Settings, texts: &[&str]) -> Value {
    let model = &settings.model;
    let mut body = match settings.provider {
        Provider::OpenAi => json!({"model": model, "input": texts, "encoding_format": "float"}),
        Provider::Ollama => json!({"model": model, "input": texts, "truncate": true}),
        Provider::Gemini => {
            let name = format!("models/{}", model.trim_start_matches("models/"));
            let one = |text: &&str| {
                let mut one = json!({"model": name, "content": {"parts": [{"text": text}]}});
                if let Some(length) = settings.shorten_to {
                    one["outputDimensionality"] = json!(length);
                }
                one
            };
            json!({"requests": texts.iter().map(one).collect::<Vec<_>>()})
        }
    };
    if let (Some(length), Provider::OpenAi | Provider::Ollama) = (settings.shorten_to, settings.provider) {
        body["dimensions"] = json!(length);
    }
    body
}

#[derive(Deserialize)]
struct OpenAiAnswer {
    data: Vec<OpenAiVector>,
}

#[derive(Deserialize)]
struct OpenAiVector {
    index: Option<usize>,
    embedding: Vec<f32>,
}

#[derive(Deserialize)]
struct GeminiAnswer {
    embeddings: Vec<GeminiVector>,
}

#[derive(Deserialize)]
struct GeminiVector {
    values: Vec<f32>,
}

#[derive(Deserialize)]
struct OllamaAnswer {
    embeddings: Vec<Vec<f32>>,
}

/// The vectors of an answer, in the order of the texts.
pub(super) fn vectors(provider: Provider, answer: &[u8]) -> Result<Vec<Vec<f32>>, serde_json::Error> {
    Ok(match provider {
        Provider::OpenAi => {
            let mut data = serde_json::from_slice::<OpenAiAnswer>(answer)?.data;
            data.sort_by_key(|vector| vector.index);
            data.into_iter().map(|vector| vector.embedding).collect()
        }
        Provider::Gemini => {
            let answer: GeminiAnswer = serde_json::from_slice(answer)?;
            answer.embeddings.into_iter().map(|vector| vector.values).collect()
        }
        Provider::Ollama => serde_json::from_slice::<OllamaAnswer>(answer)?.embeddings,
    })
}

/// What a provider says about a failure: `error.message`, `error`, or the beginning of whatever it sent.
pub(super) fn failure(answer: &[u8]) -> String {
    let parsed: Value = serde_json::from_slice(answer).unwrap_or_default();
    let error = &parsed["error"];
    let text = error["message"].as_str().or_else(|| error.as_str()).map(str::to_owned);
    let text = text.unwrap_or_else(|| String::from_utf8_lossy(answer).into_owned());
    let short: String = text.trim().chars().take(300).collect();
    if short.is_empty() { "no explanation".to_owned() } else { short }
}
