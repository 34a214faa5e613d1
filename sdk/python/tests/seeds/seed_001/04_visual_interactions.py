# Design feedback with image
import base64

def encode_image(image_path):
    with open(image_path, "rb") as image_file:
        return base64.b64encode(image_file.read()).decode("utf-8")

visual_feedback = InteractionData(
    content="The color scheme in this mockup doesn't feel quite right",
    image_encoding=encode_image("./design_mockup.png"),
    user_action=UserActionType.NONE
)
