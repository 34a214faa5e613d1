# Analyze interactions by source
chat_interactions = client.search_interactions(
    user_id="user_123",
    query="product preferences"
)
# Filter by source for targeted analysis
support_profiles = client.search_profiles(
    user_id="user_123",
    query="technical issues",
    source="support_ticket" # Only support-related profiles
)
