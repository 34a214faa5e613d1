client.manual_playbook_generation(agent_version="v2.1.0")
