client.manual_profile_generation(user_id="user_123")
