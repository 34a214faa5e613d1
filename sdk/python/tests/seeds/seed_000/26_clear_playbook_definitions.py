# Good: Specific, measurable criteria
good_config = {
    "playbook_name": "response_helpfulness",
    "playbook_definition_prompt": """
    Rate the helpfulness of the agent's response:
    - Does it directly answer the user's question?
    - Is the information actionable?
    - Are next steps clear?
    - Did the user express satisfaction?
    """
}

# Avoid: Vague definitions
# bad_config = {
#     "playbook_name": "quality",
#     "playbook_definition_prompt": "Is the response good?"
# }
