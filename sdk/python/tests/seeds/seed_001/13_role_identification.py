# Establish clear role conventions
roles = {
    "User": "End user of the application",
    "Agent": "AI assistant or chatbot",
    "Support_Agent": "Human customer service representative",
    "System": "Automated system messages",
    "Admin": "Administrative or moderator actions"
}
