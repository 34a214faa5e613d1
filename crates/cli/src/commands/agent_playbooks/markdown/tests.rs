use playbook_lang::{Program, Severity, SourceFile};
use proptest::prelude::*;
use reflexio_api_types::{AgentPlaybookView, ImportedAgentPlaybook, Positive};
use reflexio_types::rule_content;
use serde_json::json;

use super::{parse, render};

fn rule(trigger: Option<&str>, instruction: Option<&str>, content: Option<&str>) -> AgentPlaybookView {
    let made = rule_content(trigger.unwrap_or_default(), instruction.unwrap_or_default(), None);
    let row = json!({"agent_playbook_id": 12, "playbook_name": "pain_points", "agent_version": "v2.1.0",
        "created_at": 1, "content": content.unwrap_or(&made), "playbook_status": "pending",
        "playbook_metadata": "", "tags": [], "author": "machine", "content_hash": "0123456789abcdef0123"});
    let mut row: AgentPlaybookView = serde_json::from_value(row).unwrap();
    row.trigger = trigger.map(str::to_owned);
    row.instruction = instruction.map(str::to_owned);
    row
}

/// What a file of the rule has to say.
fn told(rule: &AgentPlaybookView) -> ImportedAgentPlaybook {
    let some = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    let (trigger, instruction, pitfall) = (some(&rule.trigger), some(&rule.instruction), some(&rule.pitfall));
    let made = trigger.as_ref().zip(instruction.as_ref());
    let made = made.map(|(trigger, instruction)| rule_content(trigger, instruction, pitfall.as_deref()));
    ImportedAgentPlaybook {
        agent_playbook_id: Some(Positive(rule.agent_playbook_id)),
        exported_hash: Some(rule.content_hash.clone()),
        playbook_name: Some(rule.playbook_name.clone()),
        agent_version: rule.agent_version.clone(),
        playbook_status: Some(rule.playbook_status),
        trigger,
        instruction,
        pitfall,
        rationale: some(&rule.rationale),
        content: Some(rule.content.clone()).filter(|content| Some(content) != made.as_ref()),
    }
}

fn errors(text: &str) -> Vec<String> {
    let program = Program::parse(vec![SourceFile::new("rule.md", text.to_owned())]);
    let errors = program.diagnostics().iter().filter(|found| found.severity == Severity::Error);
    errors.map(|found| format!("{found:?}")).collect()
}

#[test]
fn a_rule_reads_like_a_playbook() {
    let mut row = rule(
        Some("The user asks for a refund of a damaged parcel"),
        Some("Ask for a photo of the damage\nThen pay the money back"),
        None,
    );
    row.pitfall = Some("Refunding before the photo is there".to_owned());
    row.content = rule_content(
        row.trigger.as_deref().unwrap(),
        row.instruction.as_deref().unwrap(),
        row.pitfall.as_deref(),
    );
    (row.cluster_size, row.distinct_users, row.agreement) = (Some(9), Some(4), Some(0.91));
    let expected = r#"# Agent playbooks

## Ask for a photo of the damage Then
metadata:
  id: 12
  playbook_name: "pain_points"
  agent_version: "v2.1.0"
  status: pending
  cluster_size: 9
  distinct_users: 4
  agreement: 0.91
  exported_hash: "0123456789abcdef0123"
---

### Triggers
- The user asks for a refund of a damaged parcel

### Steps
- Ask for a photo of the damage
- Then pay the money back

### Notes
- Pitfall: Refunding before the photo is there
"#;
    assert_eq!(render::markdown(&row), expected);
    assert_eq!(parse::rules(expected).unwrap(), [told(&row)]);
}

#[test]
fn what_looks_like_markdown_or_code_comes_back_as_it_was() {
    let texts = [
        "## Not a heading\n### Steps\n- no item",
        "```python\nimport os\n```",
        "<!-- hidden -->",
        "Call Refund() and GetOrder($id)",
        "Refund($order)",
        "Otherwise\n- tell the user \"{no placeholder\"",
        "$total = $price *",
        "1. first\n2. second\n   - below",
        " edges \n\n\\ and \\\\",
        "Pitfall: none\r\nmetadata:\n---",
        "日本語 – naïve “quotes” \u{1f600}\u{2028}end",
        "{expression} and }} {{",
        "a | b\n--|--\n1 | 2",
    ];
    for text in texts {
        let mut row = rule(Some(text), Some(text), Some(text));
        (row.pitfall, row.rationale) = (Some(text.to_owned()), Some(text.to_owned()));
        let file = render::markdown(&row);
        assert_eq!(parse::rules(&file).unwrap(), [told(&row)], "{file}");
        assert_eq!(errors(&file), Vec::<String>::new(), "{file}");
        assert_eq!(parse::rules(&render::skill(&row)).unwrap(), [told(&row)]);
    }
}

#[test]
fn what_a_person_writes_by_hand_is_understood() {
    let text = "# Rules\n\n## Be brief\nmetadata:\n  agent_version: v1\n  playbook_name: style\n---\nWhy not.\n\n\
                ### Trigger\n* The user is in a hurry,\n  or says so\n\n### Steps\n1. Answer in one sentence\n\
                2. Offer more\n   - but only once\n\n### Notes\n- Rationale: People said so\n  - twice\n";
    let rules = parse::rules(text).unwrap();
    let rule = &rules[0];
    assert_eq!(rule.trigger.as_deref(), Some("The user is in a hurry, or says so"));
    assert_eq!(
        rule.instruction.as_deref(),
        Some("1. Answer in one sentence\n2. Offer more\n   - but only once")
    );
    assert_eq!(rule.rationale.as_deref(), Some("People said so\ntwice"));
    assert_eq!((rule.agent_version.as_str(), rule.agent_playbook_id), ("v1", None));
}

#[test]
fn what_cannot_be_understood_is_told_with_its_line() {
    let head = "## X\nmetadata:\n  agent_version: v1\n";
    let cases = [
        (format!("{head}  id: twelve\n---\n"), 4, "`id`"),
        (format!("{head}  status: done\n---\n"), 4, "pending, approved or rejected"),
        (format!("{head}  stauts: pending\n---\n"), 4, "`stauts`"),
        (format!("{head}---\n### Setps\n"), 5, "`### Setps`"),
        (format!("{head}---\n### Notes\n- Be nice\n"), 6, "Pitfall:"),
        (format!("{head}---\n### Triggers\n- x\n"), 1, "### Steps"),
        ("\n## X\n### Steps\n- x\n".to_owned(), 2, "agent_version"),
    ];
    for (text, line, reason) in cases {
        let (found, why) = parse::rules(&text).unwrap_err();
        assert!(found == line && why.contains(reason), "{text}: {found}: {why}");
    }
}

/// Pieces that mean something to Markdown, to playbooks or to our files, among others.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[ a-zA-Z0-9,.]{0,8}",
        2 => prop::sample::select(vec![
            "\n", "\n\n", "## ", "### Steps\n", "- ", "  - ", "\n- ", "---\n", "metadata:\n", "```", "`", "<!--", "-->", "\\",
            "\\u{41}", "$x", " = ", "Foo()", "{", "}", "\"", "If ", "Otherwise", "1. ", "|", "*", "_", "#", ":", "\t",
            "\r\n", "Pitfall:", "Content: ", "> ", "@", "!import x", "Return", "\u{feff}", "é", "漢字",
        ]).prop_map(str::to_owned),
        1 => any::<String>(),
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn any_rule_comes_back_from_its_file(
        trigger in prop::option::of(text()),
        instruction in prop::option::of(text()),
        pitfall in prop::option::of(text()),
        rationale in prop::option::of(text()),
        content in text(),
        name in text(),
        made in any::<bool>(),
    ) {
        let mut row = rule(trigger.as_deref(), instruction.as_deref(), Some(&format!("x{content}")));
        (row.pitfall, row.rationale) = (pitfall.filter(|text| !text.is_empty()), rationale);
        row.playbook_name = name.clone();
        row.agent_version = name;
        if let (Some(trigger), Some(instruction), true) = (&row.trigger, &row.instruction, made) {
            row.content = rule_content(trigger, instruction, row.pitfall.as_deref());
        }
        let file = render::markdown(&row);
        let read = parse::rules(&file);
        prop_assert_eq!(read, Ok(vec![told(&row)]), "{}", file);
        prop_assert_eq!(render::markdown(&row), file.clone(), "the same bytes");
        prop_assert_eq!(errors(&file), Vec::<String>::new(), "{}", file);
    }
}
