# Get agent playbooks for a specific type
response = client.get_agent_playbooks(
    playbook_name="pain_points",
    limit=50
)

print("Aggregated Pain Points:")
for playbook in response.agent_playbooks:
    print(f"\n[{playbook.playbook_status.value}] {playbook.content}")
