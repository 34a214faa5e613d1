# Organize sources by business function
source_strategy = {
    "customer_facing": ["chat", "email", "phone_support"],
    "product_interaction": ["product_view", "purchase", "review"],
    "engagement": ["newsletter", "social_media", "community"],
    "technical": ["api_usage", "feature_request", "bug_report"]
}
