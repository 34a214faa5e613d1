# Complex product feedback interaction
product_feedback = [
    InteractionData(
        role="User",
        content="I love this product, but there's one issue...",
        image_encoding=encode_image("product_issue_photo.jpg")
    ),
    InteractionData(
        role="User",
        content="The button placement makes it hard to use with one hand",
        user_action=UserActionType.CLICK,
        user_action_description="demonstrated problematic button interaction"
    )
]
