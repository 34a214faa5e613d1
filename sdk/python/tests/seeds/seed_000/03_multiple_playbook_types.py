# Configure multiple playbook types for comprehensive analysis
playbook_configs = [
    {
        "playbook_name": "response_quality",
        "playbook_definition_prompt": """
        Evaluate the quality of the agent's responses:
        - Accuracy: Was the information provided correct?
        - Completeness: Did it fully address the user's question?
        - Clarity: Was the response easy to understand?
        - Relevance: Was the response on-topic?
        """,
        "metadata_definition_prompt": """
        Extract metadata:
        - quality_score: 1-5 rating
        - issues_found: list of specific problems
        - strengths: list of positive aspects
        """
    },
    {
        "playbook_name": "task_completion",
        "playbook_definition_prompt": """
        Determine if the agent successfully helped the user complete their intended task:
        - Did the user achieve their goal?
        - Were there any blockers or failures?
        - How many attempts were needed?
        """,
        "metadata_definition_prompt": """
        Extract metadata:
        - task_completed: boolean
        - attempts_required: number
        - blocking_issues: list of issues that prevented completion
        """
    },
    {
        "playbook_name": "user_sentiment",
        "playbook_definition_prompt": """
        Analyze the user's emotional state throughout the conversation:
        - Starting sentiment (neutral, positive, negative, frustrated)
        - Ending sentiment
        - Key moments that changed sentiment
        """,
        "metadata_definition_prompt": """
        Extract metadata:
        - initial_sentiment: string
        - final_sentiment: string
        - sentiment_change: improved/unchanged/worsened
        """
    }
]

config = client.get_config()
config.playbook_configs = playbook_configs
client.set_config(config)
