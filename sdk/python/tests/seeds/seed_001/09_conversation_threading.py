conversation_group = "support_conversation_20241215"
# First exchange
client.publish_interaction(
    user_id="user_123",
    interactions=[initial_message],
    source="support_chat",
    session_id=conversation_group
)
# Follow-up exchange
client.publish_interaction(
    user_id="user_123",
    interactions=[followup_messages],
    source="support_chat",
    session_id=conversation_group
)
