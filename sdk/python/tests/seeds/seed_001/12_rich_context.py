# Good: Rich contextual information
InteractionData(
    role="User",
    content="I need a laptop for machine learning workloads, preferably with at least 32GB RAM",
    user_action=UserActionType.CLICK,
    user_action_description="clicked 'High Performance Laptops' filter",
    interacted_image_url="https://store.example.com/filters/high-performance"
)
# Less ideal: Minimal context
InteractionData(
    content="need laptop"
)
