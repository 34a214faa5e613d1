# Configure playbook extraction for customer satisfaction
satisfaction_playbook = {
    "playbook_name": "customer_satisfaction",
    "playbook_definition_prompt": """
    Analyze the user's response to determine their satisfaction level with the agent's help.
    Look for:
    - Explicit expressions of satisfaction or frustration
    - Whether the user's question was answered completely
    - Signs of confusion or repeated questions
    - Positive acknowledgments like "thanks" or "that's helpful"
    """
}

# Apply configuration
config = client.get_config()
config.playbook_configs = [satisfaction_playbook]
client.set_config(config)
