response = client.upgrade_profiles(user_id="user_123")
