//! The fields that a `metadata_definition_prompt` asks for, as far as the cues already know them. A field that
//! would need judgement is left out rather than guessed.

use serde_json::{Map, Value};

use super::output::Signal;

/// Field names in a prompt: `- quality_score: 1-5 rating`.
fn fields(prompt: &str) -> impl Iterator<Item = &str> {
    prompt.lines().filter_map(|line| {
        let (name, _) = line.trim().trim_start_matches(['-', '*', '•', ' ']).split_once(':')?;
        let name = name.trim().trim_matches(['`', '"', '*']);
        let plain = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        plain.then_some(name)
    })
}

pub(super) fn of_rule(
    prompt: Option<&str>,
    signal: Signal,
    instruction: &str,
    pitfall: Option<&str>,
) -> Map<String, Value> {
    let known = |name: &str| -> Option<Value> {
        let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
        if has(&["completed", "succe", "resolved"]) {
            return match signal {
                Signal::Confirmation => Some(Value::Bool(true)),
                Signal::Failure => Some(Value::Bool(false)),
                Signal::Correction
                | Signal::Preference
                | Signal::Fact
                | Signal::Action
                | Signal::ExpertGap => None,
            };
        }
        if has(&["issues", "problems", "mistakes"]) {
            return pitfall.map(|pitfall| Value::Array(vec![Value::String(pitfall.to_owned())]));
        }
        if has(&["strengths", "positive"]) && signal == Signal::Confirmation {
            return Some(Value::Array(vec![Value::String(instruction.to_owned())]));
        }
        has(&["signal", "evidence_kind", "category"]).then(|| Value::String(signal.as_str().to_owned()))
    };
    filled(prompt, known)
}

/// For profiles: the kind of fact, under the name the prompt gives it.
pub(super) fn of_fact(
    prompt: Option<&str>,
    topic: Option<&str>,
    content: &str,
) -> Option<Map<String, Value>> {
    let known = |name: &str| -> Option<Value> {
        let topic = topic?;
        if matches!(name, "category" | "kind" | "topic" | "type") {
            return Some(Value::String(topic.to_owned()));
        }
        (name == topic).then(|| Value::String(content.to_owned()))
    };
    Some(filled(prompt, known)).filter(|features| !features.is_empty())
}

fn filled(prompt: Option<&str>, known: impl Fn(&str) -> Option<Value>) -> Map<String, Value> {
    let names = prompt.into_iter().flat_map(fields);
    names.filter_map(|name| Some((name.to_owned(), known(&name.to_lowercase())?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_cues_know_is_filled_in() {
        let prompt = "Extract metadata:\n- task_completed: boolean\n- attempts_required: number\n- blocking_issues: list";
        let metadata = of_rule(Some(prompt), Signal::Failure, "Do it.", Some("It broke."));
        assert_eq!(
            Value::Object(metadata),
            serde_json::json!({"task_completed": false, "blocking_issues": ["It broke."]})
        );
        assert!(of_rule(None, Signal::Failure, "Do it.", None).is_empty());
        assert_eq!(of_fact(Some("- category: what kind"), Some("health"), "x").map(|map| map.len()), Some(1));
        assert_eq!(of_fact(Some("- mood: ..."), Some("health"), "x"), None);
    }
}
