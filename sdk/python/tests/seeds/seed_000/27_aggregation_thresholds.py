# For high-volume use cases
high_volume_config = {
    "min_cluster_size": 10,  # Need enough data for patterns
    "reaggregation_trigger_count": 20  # Update frequently with new data
}

# For low-volume or critical playbook entries
low_volume_config = {
    "min_cluster_size": 3,  # Aggregate sooner
    "reaggregation_trigger_count": 5  # Refresh more often
}
