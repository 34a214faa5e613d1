response = client.run_playbook_aggregation(
    agent_version="v2.1.0"
)
