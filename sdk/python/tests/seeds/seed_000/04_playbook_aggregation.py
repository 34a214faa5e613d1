# Configure how user playbooks are aggregated into agent playbooks
aggregator_config = {
    "min_cluster_size": 5,  # Minimum user playbooks before aggregation
    "reaggregation_trigger_count": 10  # Re-aggregate after this many new playbooks
}

# Apply aggregator to specific playbook type
playbook_with_aggregator = {
    "playbook_name": "pain_points",
    "playbook_definition_prompt": """
    Identify user pain points and frustrations:
    - Features that don't work as expected
    - Missing capabilities users ask for
    - Confusing interactions or workflows
    - Repeated user complaints
    """,
    "playbook_aggregator_config": aggregator_config
}

config = client.get_config()
config.playbook_configs = [playbook_with_aggregator]
client.set_config(config)
