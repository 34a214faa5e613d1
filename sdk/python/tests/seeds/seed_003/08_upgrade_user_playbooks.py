response = client.upgrade_user_playbooks(agent_version="v2.1.0")
