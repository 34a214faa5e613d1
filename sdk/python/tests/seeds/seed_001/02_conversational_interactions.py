# Customer service conversation
conversation = [
    InteractionData(
        role="User",
        content="My order hasn't arrived yet. It was supposed to be here yesterday."
    ),
    InteractionData(
        role="Agent",
        content="I'm sorry to hear about the delay. Let me look up your order status. Can you provide your order number?"
    ),
    InteractionData(
        role="User",
        content="It's order #12345. I paid for expedited shipping."
    )
]
