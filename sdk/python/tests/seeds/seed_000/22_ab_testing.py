def compare_versions_playbooks(client, version_a, version_b, playbook_name):
    """
    Compare playbook entries between two agent versions for A/B testing.

    Args:
        client: ReflexioClient instance
        version_a: First agent version
        version_b: Second agent version
        playbook_name: Playbook type to compare
    """
    # Get user playbooks for the specific playbook type
    response = client.get_user_playbooks(
        playbook_name=playbook_name,
        limit=500
    )

    # Split by version
    playbooks_a = [f for f in response.user_playbooks if f.agent_version == version_a]
    playbooks_b = [f for f in response.user_playbooks if f.agent_version == version_b]

    print(f"\nA/B Test Comparison: {playbook_name}")
    print(f"{'='*50}")
    print(f"\n{version_a}:")
    print(f"  Total entries: {len(playbooks_a)}")

    print(f"\n{version_b}:")
    print(f"  Total entries: {len(playbooks_b)}")

    # Calculate playbook entries per request (proxy for extraction rate)
    if playbooks_a:
        unique_requests_a = len(set(f.request_id for f in playbooks_a))
        print(f"\n{version_a} unique requests: {unique_requests_a}")

    if playbooks_b:
        unique_requests_b = len(set(f.request_id for f in playbooks_b))
        print(f"{version_b} unique requests: {unique_requests_b}")

    return {
        "version_a": {"version": version_a, "count": len(playbooks_a)},
        "version_b": {"version": version_b, "count": len(playbooks_b)},
    }


# Compare two versions
results = compare_versions_playbooks(client, "v2.0.0", "v2.1.0", "response_quality")
