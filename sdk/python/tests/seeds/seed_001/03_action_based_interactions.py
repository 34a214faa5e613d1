# E-commerce user journey
shopping_actions = [
    InteractionData(
        user_action=UserActionType.CLICK,
        user_action_description="clicked 'Gaming Laptops' category",
        interacted_image_url="https://store.example.com/gaming-laptops"
    ),
    InteractionData(
        user_action=UserActionType.SCROLL,
        user_action_description="scrolled through product listing page"
    ),
    InteractionData(
        user_action=UserActionType.CLICK,
        user_action_description="clicked on ASUS ROG Strix product page",
        content="Interested in this model for streaming"
    )
]
