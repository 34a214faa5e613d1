response = client.rerun_playbook_generation(
    agent_version="v2.1.0",
    wait_for_response=True
)
