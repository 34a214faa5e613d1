# Testing a new personalized response approach
shadow_test_interaction = [
    InteractionData(
        role="User",
        content="I need to return this item"
    ),
    InteractionData(
        role="Agent",
        # Production response - standard flow
        content="I can help with that. Please provide your order number.",
        # Shadow response - personalized with user profile data
        shadow_content="I can help with that. I see your recent order #12345 for the wireless headphones. Would you like to return that item?"
    )
]
