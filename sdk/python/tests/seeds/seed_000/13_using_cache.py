# First call - fetches from API
playbooks = client.get_agent_playbooks(playbook_name="response_quality")

# Second call with same params - uses cache
cached_playbooks = client.get_agent_playbooks(playbook_name="response_quality")

# Force refresh to bypass cache
fresh_playbooks = client.get_agent_playbooks(
    playbook_name="response_quality",
    force_refresh=True
)
