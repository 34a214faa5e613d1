# Structured action descriptions for better analysis
action_templates = {
    "click": "clicked '{element_name}' {element_type} in {page_section}",
    "scroll": "scrolled {direction} in {page_section} for {duration}",
    "type": "entered '{input_type}' in {field_name} field",
    "view": "viewed {content_type} '{content_name}' for {duration}"
}
# Example usage
InteractionData(
    user_action=UserActionType.CLICK,
    user_action_description="clicked 'Add to Cart' button in product details section"
)
