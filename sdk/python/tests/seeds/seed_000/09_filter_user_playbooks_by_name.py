# Get user playbooks for a specific playbook type
response = client.get_user_playbooks(
    playbook_name="response_quality",
    limit=100
)

print(f"Found {len(response.user_playbooks)} response quality playbook entries")

# Analyze the entries
quality_scores = []
for playbook in response.user_playbooks:
    print(f"Request: {playbook.request_id}")
    print(f"Content: {playbook.content[:200]}...")
    print("-" * 30)
