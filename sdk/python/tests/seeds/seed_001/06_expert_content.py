# Providing expert ideal responses for agent learning
expert_reviewed_interaction = [
    InteractionData(
        role="User",
        content="What is your return policy for electronics?"
    ),
    InteractionData(
        role="Agent",
        content="You can return electronics within 30 days of purchase.",
        # Expert's comprehensive ideal response
        expert_content=(
            "Electronics can be returned within 30 days of purchase with the original receipt. "
            "Items must be in original packaging and include all accessories. "
            "Opened software and personal care electronics are final sale. "
            "For defective items, the return window extends to 90 days. "
            "Refunds are processed to the original payment method within 5-7 business days."
        ),
    )
]
