from datetime import datetime
from collections import defaultdict

# Get all user playbooks
response = client.get_user_playbooks(limit=500)

# Analyze by playbook type
playbook_by_type = defaultdict(list)
for playbook in response.user_playbooks:
    playbook_by_type[playbook.playbook_name].append(playbook)

print("Playbook Distribution by Type:")
for playbook_name, entries in sorted(
    playbook_by_type.items(), key=lambda x: len(x[1]), reverse=True
):
    print(f"  {playbook_name}: {len(entries)} entries")
