response = client.rerun_profile_generation(
    user_id="user_123",
    wait_for_response=True
)
