# Process related interactions together
def publish_interaction_batch(client, batch_data, wait_for_response=False):
    results = []
    for interaction_data in batch_data:
        result = client.publish_interaction(
            wait_for_response=wait_for_response,
            **interaction_data,
        )
        results.append(result)
    return results

# Usage for high-volume scenarios
batch_results = publish_interaction_batch(client, interaction_batches)
