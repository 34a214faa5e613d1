InteractionData(
    role="User", # Who is communicating
    content="I'm looking for a gaming laptop under $2000", # What they said
    shadow_content="", # Alternative response for A/B testing (optional)
    user_action=UserActionType.NONE, # What they did
    user_action_description="", # More detail about the action
    interacted_image_url="", # Associated visual content
    image_encoding="" # Base64 encoded image data
)
