session_id = f"shopping_session_{user_id}_{timestamp}"
# Track all interactions in a session
for action in user_actions:
    client.publish_interaction(
        user_id=user_id,
        interactions=[action],
        source="ecommerce",
        session_id=session_id
    )
