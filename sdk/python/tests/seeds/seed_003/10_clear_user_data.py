response = client.clear_user_data(user_id="user_123")
print(response.deleted_counts)
