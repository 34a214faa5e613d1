"""Answers about interactions, profiles, playbooks and searches.

Names follow the wire contract. ``msg`` and ``message`` differ between endpoints because they do so
on the wire.
"""

from __future__ import annotations

from pydantic import Field

from reflexio.models.base import Response, WireModel
from reflexio.models.interactions import Interaction, RetrievedLearning, Session
from reflexio.models.playbooks import AgentPlaybook, UserPlaybook
from reflexio.models.profiles import ProfileChangeLog, UserProfile


class PublishUserInteractionResponse(Response):
    """What became of a publish call.

    ``learning_status`` is ``done`` when everything learnable was learned before the answer, and
    ``deferred`` when it happens later; ``learning_reason`` says why. ``duplicate`` is true when
    the server already had this ``request_id``.
    """

    message: str = ""
    warnings: list[str] = Field(default_factory=list)
    request_id: str | None = None
    session_id: str | None = None
    duplicate: bool = False
    endpoint_url: str | None = None
    storage_type: str | None = None
    storage_label: str | None = None
    profiles_added: int | None = None
    profiles_updated: int | None = None
    playbooks_added: int | None = None
    playbooks_updated: int | None = None
    learning_status: str | None = None
    learning_reason: str | None = None


class RetrievalExperimentAssignment(WireModel):
    """Which arm of a running retrieval experiment a search belongs to."""

    experiment_id: str
    arm: str


class GetInteractionsViewResponse(Response):
    """Interactions, newest first."""

    interactions: list[Interaction] = Field(default_factory=list)
    msg: str | None = None


class SearchInteractionsViewResponse(Response):
    """Interactions that match a search."""

    interactions: list[Interaction] = Field(default_factory=list)
    msg: str | None = None


class GetRequestsViewResponse(Response):
    """One page of sessions with their requests, newest first."""

    sessions: list[Session] = Field(default_factory=list)
    has_more: bool = False
    msg: str | None = None


class GetProfilesViewResponse(Response):
    """Profiles, most recently changed first."""

    user_profiles: list[UserProfile] = Field(default_factory=list)
    msg: str | None = None


class SearchProfilesViewResponse(Response):
    """Profiles that match a search."""

    user_profiles: list[UserProfile] = Field(default_factory=list)
    msg: str | None = None
    experiment: RetrievalExperimentAssignment | None = None


class AddUserProfileResponse(Response):
    """How many profiles were added."""

    message: str | None = None
    added_count: int = 0


class ProfileChangeLogViewResponse(Response):
    """The history of profile changes."""

    profile_change_logs: list[ProfileChangeLog] = Field(default_factory=list)


class GetUserPlaybooksViewResponse(Response):
    """User playbooks, newest first."""

    user_playbooks: list[UserPlaybook] = Field(default_factory=list)
    msg: str | None = None


class SearchUserPlaybooksViewResponse(Response):
    """User playbooks that match a search."""

    user_playbooks: list[UserPlaybook] = Field(default_factory=list)
    msg: str | None = None
    experiment: RetrievalExperimentAssignment | None = None


class AddUserPlaybookResponse(Response):
    """How many user playbooks were added."""

    message: str | None = None
    added_count: int = 0


class UpdateUserPlaybookResponse(Response):
    """Whether a user playbook was changed."""

    msg: str | None = None


class GetAgentPlaybooksViewResponse(Response):
    """Agent playbooks, newest first."""

    agent_playbooks: list[AgentPlaybook] = Field(default_factory=list)
    msg: str | None = None


class SearchAgentPlaybooksViewResponse(Response):
    """Agent playbooks that match a search.

    ``hidden_unapproved`` counts matches that were left out because nobody approved them yet.
    """

    agent_playbooks: list[AgentPlaybook] = Field(default_factory=list)
    hidden_unapproved: int | None = None
    msg: str | None = None
    experiment: RetrievalExperimentAssignment | None = None


class AddAgentPlaybookResponse(Response):
    """How many agent playbooks were added."""

    message: str | None = None
    added_count: int = 0


class UpdateAgentPlaybookResponse(Response):
    """Whether an agent playbook was changed."""

    msg: str | None = None


class UpdatePlaybookStatusResponse(Response):
    """Whether an agent playbook's approval was changed."""

    msg: str | None = None


class ContextResponse(Response):
    """A block to put into the agent's prompt as it is."""

    context: str = ""
    tokens: int = 0
    version: str = ""
    learnings: list[RetrievedLearning] = Field(default_factory=list)
    left_out: int = 0
    covered: int = 0
    degraded: bool = False


class EmbeddingCounts(WireModel):
    """How many rows of a kind there are, and how many have no vector."""

    kind: str
    rows: int
    waiting: int
    refused: int


class EmbeddingStatusResponse(Response):
    """How far rows are on their way to be found by meaning."""

    model: str | None = None
    dimension: int | None = None
    index: str = "off"
    indexed_rows: int = 0
    index_bytes: int = 0
    kinds: list[EmbeddingCounts] = Field(default_factory=list)
    trouble: str | None = None


class RebuildEmbeddingsResponse(Response):
    """How many rows get new vectors."""

    rows: int = 0


class UnifiedSearchViewResponse(Response):
    """Profiles and playbooks that match one query.

    ``hidden_unapproved`` counts agent playbooks that were left out because nobody approved them,
    ``covered`` user playbooks that were left out because an agent playbook says the same.
    """

    profiles: list[UserProfile] = Field(default_factory=list)
    agent_playbooks: list[AgentPlaybook] = Field(default_factory=list)
    user_playbooks: list[UserPlaybook] = Field(default_factory=list)
    reformulated_query: str | None = None
    msg: str | None = None
    hidden_unapproved: int | None = None
    covered: int | None = None
    agent_trace: str | None = None
    rehydrated_text: str | None = None
    experiment: RetrievalExperimentAssignment | None = None
