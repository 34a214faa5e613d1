# Force regeneration for an agent version (CURRENT status, fire-and-forget)
client.manual_playbook_generation(agent_version="v2.1.0")
# Regenerate with specific source filter
client.manual_playbook_generation(
    agent_version="v2.1.0",
    source="chat"
)
# Legacy clients may still send playbook_name, but it no longer selects a playbook config.
client.manual_playbook_generation(agent_version="v2.1.0")
