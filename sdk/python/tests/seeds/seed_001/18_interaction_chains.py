# Link related interactions across time
class InteractionChain:
    def __init__(self, user_id, context_name):
        self.user_id = user_id
        self.context_name = context_name
        self.interaction_count = 0

    def add_interaction(self, client, interaction_request, source="default"):
        self.interaction_count += 1
        session_id = f"{self.context_name}_{self.user_id}"
        return client.publish_interaction(
            user_id=self.user_id,
            interactions=[interaction_request],
            source=source,
            session_id=session_id
        )

# Usage
support_chain = InteractionChain("user_123", "technical_support")
support_chain.add_interaction(client, initial_problem, "support")
support_chain.add_interaction(client, agent_response, "support")
support_chain.add_interaction(client, user_clarification, "support")
