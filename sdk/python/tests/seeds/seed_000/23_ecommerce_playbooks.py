ecommerce_configs = [
    {
        "playbook_name": "order_resolution",
        "playbook_definition_prompt": """
        Evaluate how effectively the agent resolved order-related issues:
        - Order status inquiries
        - Shipping problems
        - Return/refund requests
        - Payment issues
        """,
        "playbook_aggregator_config": {
            "min_cluster_size": 3,
            "reaggregation_trigger_count": 5
        }
    },
    {
        "playbook_name": "product_recommendations",
        "playbook_definition_prompt": """
        Assess the quality of product recommendations:
        - Relevance to user needs
        - Price appropriateness
        - Availability of recommended items
        - User acceptance of recommendations
        """
    },
    {
        "playbook_name": "checkout_assistance",
        "playbook_definition_prompt": """
        Evaluate help provided during checkout:
        - Promo code application
        - Payment method guidance
        - Shipping option explanation
        - Cart management assistance
        """
    }
]

config = client.get_config()
config.playbook_configs = ecommerce_configs
client.set_config(config)
