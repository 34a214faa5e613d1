# Organize by feature or workflow
request_patterns = {
    "onboarding": "onboard_{user_id}",
    "checkout": "checkout_{session_id}",
    "support": "support_{ticket_id}",
    "feedback": "feedback_{feature}_{user_id}_{date}"
}
