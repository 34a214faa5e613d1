"""Interactions: what is published, and what the server gives back."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from reflexio.enums import UserActionType
from reflexio.models.base import WireModel, now_epoch_seconds


class ToolUsed(WireModel):
    """One tool call the agent made."""

    tool_name: str
    tool_data: dict[str, Any] = Field(default_factory=dict)
    status: str = ""


class Citation(WireModel):
    """A learned row that the agent's answer refers to.

    ``kind`` is ``playbook``, ``profile``, ``user_playbook`` or ``agent_playbook``.
    """

    kind: str
    real_id: str
    tag: str = ""
    title: str = ""


class RetrievedLearning(WireModel):
    """A learned row that was put before the agent.

    ``kind`` is ``profile``, ``user_playbook`` or ``agent_playbook``.
    """

    kind: str
    learning_id: str


class InteractionData(WireModel):
    """One turn, action or image to publish. Every field is optional.

    Example:
        >>> InteractionData(role="User", content="How do I reset my password?").role
        'User'
        >>> InteractionData(user_action="click", user_action_description="opened FAQ").user_action
        <UserActionType.CLICK: 'click'>
    """

    created_at: int = Field(default_factory=now_epoch_seconds)
    role: str = "User"
    content: str = ""
    shadow_content: str = ""
    expert_content: str = ""
    user_action: UserActionType = UserActionType.NONE
    user_action_description: str = ""
    interacted_image_url: str = ""
    image_encoding: str = ""
    tools_used: list[ToolUsed] = Field(default_factory=list)
    citations: list[Citation] = Field(default_factory=list)
    retrieved_learnings: list[RetrievedLearning] = Field(default_factory=list)


class Interaction(WireModel):
    """One published interaction as the server stores it.

    ``image_id`` and ``image_media_type`` are set when an image was published with it; fetch the
    bytes with ``client.get_image(image_id)``.
    """

    interaction_id: int = 0
    user_id: str
    request_id: str
    created_at: int = 0
    role: str = "User"
    content: str = ""
    shadow_content: str = ""
    expert_content: str = ""
    user_action: UserActionType = UserActionType.NONE
    user_action_description: str = ""
    interacted_image_url: str = ""
    image_id: str | None = None
    image_media_type: str | None = None
    tools_used: list[ToolUsed] = Field(default_factory=list)
    citations: list[Citation] = Field(default_factory=list)
    retrieved_learnings: list[RetrievedLearning] = Field(default_factory=list)
    score: float | None = None
    score_parts: dict[str, float] | None = None


class Request(WireModel):
    """One publish call, which groups the interactions sent together."""

    request_id: str
    user_id: str
    session_id: str
    created_at: int = 0
    source: str = ""
    agent_version: str = ""
    evaluation_only: bool = False
    retrieval_experiment_id: str | None = None
    retrieval_experiment_arm: str | None = None


class RequestData(WireModel):
    """A request together with its interactions."""

    request: Request
    interactions: list[Interaction] = Field(default_factory=list)


class Session(WireModel):
    """The requests that share one ``session_id``."""

    session_id: str
    requests: list[RequestData] = Field(default_factory=list)


class ConversationTurn(WireModel):
    """One earlier turn, given to a search as context."""

    role: str
    content: str
