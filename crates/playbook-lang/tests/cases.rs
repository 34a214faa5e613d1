//! The cases recorded from the public implementation. Where we differ on purpose, the test says so.
#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

mod support;

use playbook_lang::placeholder::Limits;
use playbook_lang::placeholder::conformance::{self, Verdict};
use playbook_lang::{AgentKind, Playbook, Step, StepKind, coded_line, name};
use serde_json::{Value, json};

fn cases(name: &str) -> Vec<Value> {
    let path = format!("{}/tests/cases/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

#[test]
fn placeholders_give_what_they_give_there() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases/placeholders.json");
    let outcomes = conformance::run(&std::fs::read_to_string(path).unwrap(), &Limits::default()).unwrap();
    let failed: Vec<String> =
        outcomes.iter().filter(|found| found.verdict == Verdict::Failed).map(ToString::to_string).collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    let documented = outcomes.iter().filter(|found| matches!(found.verdict, Verdict::Documented(_))).count();
    assert_eq!((outcomes.len(), documented), (50, 6));
}

/// Expressions with what CPython 3 makes of them.
#[test]
fn expressions_give_what_python_gives() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases/cpython.json");
    let outcomes = conformance::run(&std::fs::read_to_string(path).unwrap(), &Limits::default()).unwrap();
    let different: Vec<String> =
        outcomes.iter().filter(|found| found.verdict != Verdict::Passed).map(ToString::to_string).collect();
    assert!(different.is_empty(), "{}", different.join("\n"));
}

#[test]
fn agent_headings_are_read_alike() {
    for case in cases("headers") {
        let (found, kind) = name::agent_header(text(&case["in"]));
        assert_eq!(name::camel(found), text(&case["camel"]), "{case}");
        match case["out"].as_array() {
            Some(out) => {
                let kind_name = match kind.unwrap() {
                    AgentKind::Ai => "AI",
                    AgentKind::Human => "Human",
                    AgentKind::Mcp => "MCP",
                };
                assert_eq!([found, kind_name], [text(&out[0]), text(&out[1])], "{case}");
            }
            None => assert!(kind.is_err(), "{case}"),
        }
    }
}

#[test]
fn signatures_are_read_alike() {
    for case in cases("signatures") {
        let program = support::parse(&format!("# A\n## {}\n", text(&case["in"])));
        let playbook = &program.agents[0].playbooks[0];
        let names: Vec<&str> = playbook.params.iter().map(|param| param.name.value.as_str()).collect();
        let expected = match text(&case["in"]) {
            // A name of two words has parameters too, and what follows `*` is a parameter.
            "bad name($a)" => json!(["a"]),
            "H($a:List[str], *, k=1)" => json!(["a", "k"]),
            _ => case["names"].clone(),
        };
        assert_eq!(json!(names), expected, "{case}");
        for (name, value) in case["defaults"].as_object().unwrap() {
            let default = playbook.param(name).unwrap().default.as_ref().unwrap();
            assert_eq!(default.value.as_ref(), Some(value), "{case}");
        }
    }
}

#[test]
fn calls_are_read_alike() {
    for case in cases("calls") {
        let program = support::parse(&format!("# A\n## B\n### Steps\n- {}\n", text(&case["in"])));
        let kind = &program.agents[0].playbooks[0].steps[0].kind;
        let StepKind::Call { target: None, call } = kind else {
            assert!(case.get("error").is_some(), "{case}: {kind:?}");
            continue;
        };
        assert_eq!(call.callee, text(&case["name"]), "{case}");
        let positional: Vec<_> = call.args.iter().filter(|arg| arg.name.is_none()).collect();
        let expected = case["args"].as_array().unwrap();
        assert_eq!(positional.len(), expected.len(), "{case}");
        for (arg, expected) in positional.iter().zip(expected) {
            check_argument(&arg.value, expected);
        }
        for arg in call.args.iter().filter(|arg| arg.name.is_some()) {
            check_argument(&arg.value, &case["kwargs"][arg.name.as_ref().unwrap()]);
        }
    }
}

/// References are kept as they are written; there they are printed anew.
fn check_argument(found: &playbook_lang::Expr, expected: &Value) {
    let plain = |source: &str| source.replace([' ', '"', '\''], "");
    match expected.get("ref") {
        Some(source) => assert_eq!(plain(&found.source), plain(text(source))),
        None => assert_eq!(found.literal.as_ref(), expected.get("lit")),
    }
}

#[test]
fn metadata_is_read_alike() {
    for case in cases("metadata") {
        let program = support::parse(&format!("# A\n## B\n{}\n", text(&case["in"])));
        let playbook = &program.agents[0].playbooks[0];
        let found: serde_json::Map<String, Value> =
            playbook.meta.entries.iter().map(|entry| (entry.key.clone(), entry.value.clone())).collect();
        if text(&case["in"]) == "public: true\nDesc" {
            // There a model gathers such lines before the runtime sees them.
            assert_eq!((json!(found), playbook.description.text.as_str()), (json!({"public": true}), "Desc"));
            continue;
        }
        assert_eq!(json!(found), case["metadata"], "{case}");
        assert_eq!(playbook.description.text, text(&case["description"]), "{case}");
    }
}

#[test]
fn compiled_steps_are_read_alike() {
    for case in cases("steps") {
        let found = coded_line(text(&case["in"]));
        match case["step"].as_object() {
            Some(step) => {
                let found = found.unwrap();
                assert_eq!((found.number, found.code), (text(&step["line"]), text(&step["type"])), "{case}");
                assert_eq!(found.content, text(&step["content"]), "{case}");
            }
            None => assert_eq!(found, None, "{case}"),
        }
    }
}

#[test]
fn compiled_playbooks_are_read_alike() {
    for case in cases("compiled_playbooks") {
        let program = support::parse(&compiled(&case));
        let playbook = program.playbook(text(&case["name"])).unwrap();
        assert_eq!(program.agents[0].class, text(&case["agent"]));
        assert_eq!(playbook.title.value, text(&case["signature"]));
        assert_eq!(playbook.description.text, text(&case["description"]));
        let names: Vec<&str> = playbook.params.iter().map(|param| param.name.value.as_str()).collect();
        assert_eq!(json!(names), case["params"]);
        for (trigger, expected) in playbook.triggers.iter().zip(case["triggers"].as_array().unwrap()) {
            assert_eq!(trigger.text, text(&expected["text"]));
            assert_eq!(trigger.kind == playbook_lang::TriggerKind::Begin, expected["bgn"].as_bool().unwrap());
        }
        check_steps(&program, playbook, case["steps"].as_array().unwrap());
    }
}

fn check_steps(program: &playbook_lang::Program, playbook: &Playbook, expected: &[Value]) {
    let found: Vec<&Step> = playbook.all_steps().collect();
    assert_eq!(found.len(), expected.len());
    for (step, expected) in found.iter().zip(expected) {
        assert_eq!(step.id, text(&expected["line"]));
        assert_eq!(step.code.as_deref(), Some(text(&expected["type"])));
        assert_eq!(step.text, text(&expected["content"]));
        let line = program.sources().start(step.span).line;
        assert_eq!(json!(line), expected["source_line"], "{expected}");
    }
}

/// The file the case was recorded from, as far as the case shows it: things stand on the lines they stood on.
fn compiled(case: &Value) -> String {
    let mut lines = vec![
        format!("# {}", text(&case["agent"])),
        String::new(),
        format!("## {}", text(&case["signature"])),
    ];
    if case["metadata"] != json!({}) {
        lines.extend(["metadata:", "  public: true", "---"].map(str::to_owned));
    }
    lines.push(text(&case["description"]).to_owned());
    for trigger in case["triggers"].as_array().unwrap() {
        if !lines.contains(&"### Triggers".to_owned()) {
            lines.push("### Triggers".to_owned());
        }
        lines.push(format!("- {} {}", text(&trigger["name"]), text(&trigger["text"])));
    }
    let steps = case["steps"].as_array().unwrap();
    let first = usize::try_from(steps[0]["source_line"].as_u64().unwrap()).unwrap();
    lines.resize(first - 2, String::new());
    lines.push("### Steps".to_owned());
    for step in steps {
        let depth = text(&step["line"]).matches('.').count();
        let words = format!("{}:{} {}", text(&step["line"]), text(&step["type"]), text(&step["content"]));
        lines.push(format!("{}- {words}", "  ".repeat(depth)));
    }
    lines.join("\n")
}
