# Different interaction sources
sources = {
    "chat": "Real-time chat conversations",
    "email": "Email communications",
    "support_ticket": "Formal support requests",
    "product_review": "Product feedback and reviews",
    "onboarding": "New user setup interactions",
    "sales_inquiry": "Sales and purchasing discussions",
    "feature_request": "User suggestions and requests",
    "bug_report": "Issue and problem reports"
}
