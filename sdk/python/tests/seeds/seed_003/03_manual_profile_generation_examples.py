# Force regeneration for a user (CURRENT status, fire-and-forget)
client.manual_profile_generation(user_id="user_123")
# Regenerate for all users with specific source
client.manual_profile_generation(source="chat")
# Legacy clients may still send extractor_names, but they no longer select extractors.
client.manual_profile_generation(user_id="user_123")
