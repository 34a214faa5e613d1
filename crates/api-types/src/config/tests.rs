use reflexio_types::config::BudgetConfig;

use super::*;

fn two_playbooks() -> Config {
    let mut first = PlaybookConfig::named("response_quality", "Was it good?");
    first.metadata_definition_prompt = Some("quality_score: 1-5".to_owned());
    Config {
        playbook_configs: vec![first, PlaybookConfig::named("task_completion", "Was it done?")],
        ..Config::default()
    }
}

/// What the public client sends back after `get_config`: our list is not a field it knows.
fn as_public_client(config: &Config) -> Value {
    let mut document = render(config);
    let fields = document.as_object_mut().unwrap();
    fields.retain(|name, _| name != LIST && !OURS.contains(&name.as_str()));
    document
}

#[test]
fn a_document_that_is_sent_back_changes_nothing() {
    let current = two_playbooks();
    let (window, stride) = current.window_and_stride();
    let read = parse_full(&render(&current), &current).unwrap();
    assert_eq!(read, Config { window_size: Some(window), stride_size: Some(stride), ..current });
}

#[test]
fn a_client_without_the_list_does_not_erase_it() {
    let current = two_playbooks();
    let read = parse_full(&as_public_client(&current), &current).unwrap();
    assert_eq!(read.playbook_configs, current.playbook_configs);
}

#[test]
fn a_client_that_knows_no_budget_does_not_lift_it() {
    let budget_config = BudgetConfig { per_day_usd: Some(5.0), per_run_usd: None };
    let current = Config { budget_config, ..two_playbooks() };
    let mut document = as_public_client(&current);
    assert_eq!(parse_full(&document, &current).unwrap().budget_config, budget_config);
    document["budget_config"] = Value::Null;
    assert_eq!(parse_full(&document, &current).unwrap().budget_config, BudgetConfig::default());
}

#[test]
fn the_public_object_edits_the_first_playbook_and_keeps_what_it_cannot_express() {
    let current = two_playbooks();
    let mut document = as_public_client(&current);
    document[ALIAS]["extraction_definition_prompt"] = json!("Was it excellent?");
    document[ALIAS]["aggregation_config"]["min_cluster_size"] = json!(7);
    let read = parse_full(&document, &current).unwrap();
    assert_eq!(read.playbook_configs.len(), 2);
    assert_eq!(read.playbook_configs[0].playbook_definition_prompt, "Was it excellent?");
    assert_eq!(read.playbook_configs[0].playbook_aggregator_config.min_cluster_size, 7);
    assert_eq!(
        read.playbook_configs[0].metadata_definition_prompt,
        current.playbook_configs[0].metadata_definition_prompt
    );
}

#[test]
fn a_changed_list_wins_over_the_object_beside_it() {
    let current = two_playbooks();
    let mut document = render(&current);
    document[LIST] = json!([{"playbook_name": "pain_points", "playbook_definition_prompt": "What hurts?"}]);
    let read = parse_full(&document, &current).unwrap();
    assert_eq!(read.playbook_configs, [PlaybookConfig::named("pain_points", "What hurts?")]);
}

#[test]
fn a_changed_object_wins_over_an_unchanged_list_beside_it() {
    let current = two_playbooks();
    let mut document = render(&current);
    document[ALIAS]["extractor_name"] = json!("renamed");
    let read = parse_full(&document, &current).unwrap();
    assert_eq!(read.playbook_configs[0].playbook_name, "renamed");
    assert_eq!(read.playbook_configs[1].playbook_name, "task_completion");
}

#[test]
fn unknown_keys_are_named_with_a_suggestion() {
    let current = Config::default();
    let sent = json!({"playbok_configs": [], "profile_extractor_config": {
        "extraction_definition_prompt": "x", "windw_size_override": 3}});
    let violations = parse_partial(&sent, &current).unwrap_err();
    let messages: Vec<&str> = violations.iter().map(|violation| violation.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "Extra inputs are not permitted; did you mean `playbook_configs`?",
            "Extra inputs are not permitted; did you mean `window_size_override`?",
        ]
    );
    assert_eq!(violations[1].path, ["profile_extractor_config".into(), "windw_size_override".into()]);
}

#[test]
fn a_partial_document_changes_only_what_it_names() {
    let current = two_playbooks();
    let read = parse_partial(&json!({"agent_context_prompt": "a shop"}), &current).unwrap();
    assert_eq!(read, Config { agent_context_prompt: Some("a shop".to_owned()), ..current });
}

#[test]
fn choosing_a_preset_sets_the_window_that_was_only_shown() {
    let current = Config::default();
    let mut document = as_public_client(&current);
    document["extraction_preset"] = json!("long_form");
    assert_eq!(parse_full(&document, &current).unwrap().window_and_stride(), (25, 10));
    document["window_size"] = json!(12);
    assert_eq!(parse_full(&document, &current).unwrap().window_and_stride(), (12, 10));
}

#[test]
fn a_full_document_needs_its_storage() {
    let violations = parse_full(&json!({}), &Config::default()).unwrap_err();
    assert_eq!(violations[0].kind, "missing");
}
