# Publish interaction with agent version for playbook tracking
response = client.publish_interaction(
    user_id="user_123",
    interactions=[
        {"role": "User", "content": "How do I reset my password?"},
        {"role": "Agent", "content": "To reset your password, go to Settings > Security > Reset Password. You'll receive an email with a reset link."},
        {"role": "User", "content": "Perfect, that worked! Thanks!"}
    ],
    source="support_chat",
    agent_version="v2.1.0",  # Important for tracking playbook entries by version
    wait_for_response=True,
)
