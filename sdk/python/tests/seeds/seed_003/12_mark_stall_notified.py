result = client.mark_stall_notified()
