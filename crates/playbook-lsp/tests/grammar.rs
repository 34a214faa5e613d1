//! The TextMate grammar: its expressions compile, its parts exist, and it sees in a line what stands there.
#![expect(clippy::panic, reason = "a helper of a test fails the test")]

use fancy_regex::Regex;
use serde_json::Value;

fn grammar() -> Value {
    serde_json::from_str(include_str!("../../../editors/textmate/playbook.tmLanguage.json"))
        .unwrap_or_else(|error| panic!("{error}"))
}

/// Every rule of the grammar, however deep.
fn rules(value: &Value, found: &mut Vec<Value>) {
    match value {
        Value::Object(map) => {
            found.push(value.clone());
            map.values().for_each(|inner| rules(inner, found));
        }
        Value::Array(items) => items.iter().for_each(|inner| rules(inner, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn compiled(expression: &str) -> Regex {
    // The end of a block may name what its beginning caught.
    let alone = expression.replace(r"\2", "```");
    Regex::new(&alone).unwrap_or_else(|error| panic!("{expression}: {error}"))
}

#[test]
fn every_expression_compiles_and_every_part_exists() {
    let grammar = grammar();
    let mut all = Vec::new();
    rules(&grammar, &mut all);
    let mut expressions = 0;
    for rule in &all {
        for key in ["match", "begin", "end"] {
            if let Some(expression) = rule[key].as_str() {
                compiled(expression);
                expressions += 1;
            }
        }
        if let Some(part) = rule["include"].as_str().and_then(|name| name.strip_prefix('#')) {
            assert!(grammar["repository"][part].is_object(), "#{part} is missing");
        }
    }
    assert!(expressions > 25, "{expressions}");
}

/// What a rule catches in a line, by the scope it gives.
#[track_caller]
fn catches(rule: &str, line: &str, expected: &[(&str, &str)]) {
    let grammar = grammar();
    let rule = &grammar["repository"][rule];
    let (key, captures) =
        if rule["match"].is_string() { ("match", "captures") } else { ("begin", "beginCaptures") };
    let regex = compiled(rule[key].as_str().unwrap_or_default());
    let caught = regex.captures(line).unwrap_or_else(|error| panic!("{error}"));
    let Some(caught) = caught else { panic!("nothing caught in {line:?}") };
    let found: Vec<(&str, &str)> = (1..caught.len())
        .filter_map(|number| {
            let text = caught.get(number)?.as_str();
            let scope = rule[captures][number.to_string().as_str()]["name"].as_str().unwrap_or_default();
            (!text.is_empty()).then_some((scope.rsplit(' ').next().unwrap_or(scope), text))
        })
        .filter(|(scope, _)| !scope.starts_with("punctuation") && !scope.is_empty())
        .collect();
    let found: Vec<_> =
        found.iter().map(|(scope, text)| (scope.trim_end_matches(".playbook"), *text)).collect();
    assert_eq!(found, expected, "{line}");
}

#[test]
fn lines_are_seen_as_what_they_are() {
    catches("agent", "# Order desk", &[("entity.name.type.class.agent", "Order desk")]);
    catches(
        "agent",
        "# Ann:Human",
        &[("entity.name.type.class.agent", "Ann"), ("storage.type.agent", "Human")],
    );
    catches(
        "agent",
        "# R:Machine",
        &[("entity.name.type.class.agent", "R"), ("invalid.illegal.agent-type", "Machine")],
    );
    catches(
        "playbook",
        "## Ship($order: dict, fast=False) -> bool",
        &[
            ("entity.name.function", "Ship"),
            ("meta.function.parameters", "$order: dict, fast=False"),
            ("keyword.operator.arrow", "->"),
            ("support.type", "bool"),
        ],
    );
    catches("playbook", "## Greet the customer", &[("entity.name.function", "Greet the customer")]);
    catches("triggers", "### Trigger", &[("keyword.other.section.triggers", "Trigger")]);
    catches("steps", "### STEPS:", &[("keyword.other.section.steps", "STEPS")]);
    catches("notes", "### Notes", &[("keyword.other.section.notes", "Notes")]);
    catches("trigger", "- When $balance becomes negative", &[("keyword.control.trigger", "When")]);
    catches("trigger", "- At the beginning", &[("keyword.control.trigger", "At the beginning")]);
    catches("step", "  - Else if $a > 1", &[("keyword.control.conditional", "Else if")]);
    catches("step", "- For each $x in $xs", &[("keyword.control.conditional", "For each")]);
    catches("step", "1. Return $x", &[("keyword.control.flow", "Return")]);
    catches("step", "- Ask user for $x", &[("keyword.other.verb", "Ask")]);
    catches("step", "- Iffy things", &[]);
    catches(
        "step",
        "- 01:QUE Say(user, x)",
        &[("constant.other.code", "01:QUE"), ("keyword.other.verb", "Say")],
    );
    catches("placeholder", "Hi {f(\"}\")} there", &[("meta.embedded.line.python", "f(\"}\")")]);
    catches("python", "```python", &[("fenced_code.block.language", "python")]);
    catches(
        "import",
        "  !import parts/a.md # shared",
        &[
            ("keyword.control.import", "!import"),
            ("string.unquoted.path", "parts/a.md"),
            ("comment.line.number-sign", "# shared"),
        ],
    );
    catches(
        "metadata",
        "public: true",
        &[("entity.other.attribute-name", "public"), ("constant.language.boolean", "true")],
    );
    catches(
        "call",
        "$x = Books.Tax(1)",
        &[("entity.name.type.class.agent", "Books"), ("entity.name.function.call", "Tax")],
    );
}
