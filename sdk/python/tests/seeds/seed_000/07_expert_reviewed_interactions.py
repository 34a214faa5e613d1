# Publish interactions with expert ideal responses
# Reflexio automatically detects expert_content and uses a specialized extraction pipeline
client.publish_interaction(
    user_id="user_789",
    interactions=[
        {"role": "User", "content": "How do I reset my password?"},
        {
            "role": "Agent",
            "content": "Go to Settings and click Reset Password.",
            "expert_content": (
                "To reset your password: 1) Go to Settings > Security > Reset Password. "
                "2) Enter your current password for verification. "
                "3) Choose a new password (minimum 12 characters, must include uppercase, "
                "lowercase, number, and special character). "
                "4) You'll receive a confirmation email. If you've forgotten your current "
                "password, use the 'Forgot Password' link on the login page instead."
            )
        }
    ],
    source="expert_review",
    agent_version="v2.1.0",
    session_id="expert_batch_001",
    wait_for_response=True,
)
