state = client.get_stall_state()
if state.stalled:
    print(state.reason, state.error_message)
