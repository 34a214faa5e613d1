"""User playbooks (one conversation's lesson) and agent playbooks (many users' lesson)."""

from __future__ import annotations

from pydantic import Field

from reflexio.enums import BlockingIssueKind, PlaybookStatus, Status
from reflexio.models.base import WireModel, now_epoch_seconds


class BlockingIssue(WireModel):
    """What kept the agent from doing the right thing."""

    kind: BlockingIssueKind
    details: str


class UserPlaybook(WireModel):
    """A lesson learned from one user's interactions.

    ``learned_by`` tells which learner produced it; ``score`` is set on rows that a search found.
    To add one by hand give at least ``agent_version``, ``request_id`` and ``content`` or
    ``trigger``.
    """

    user_playbook_id: int = 0
    user_id: str | None = None
    agent_version: str
    request_id: str
    playbook_name: str = ""
    created_at: int = Field(default_factory=now_epoch_seconds)
    content: str = ""
    trigger: str | None = None
    instruction: str | None = None
    pitfall: str | None = None
    rationale: str | None = None
    blocking_issue: BlockingIssue | None = None
    playbook_metadata: str = ""
    status: Status | None = None
    source: str | None = None
    source_interaction_ids: list[int] = Field(default_factory=list)
    source_span: str | None = None
    expanded_terms: str | None = None
    tags: list[str] = Field(default_factory=list)
    notes: str | None = None
    reader_angle: str | None = None
    merged_into: int | None = None
    superseded_by: int | None = None
    learned_by: str | None = None
    score: float | None = None
    score_parts: dict[str, float] | None = None


class AgentPlaybook(WireModel):
    """A lesson aggregated from many user playbooks, which a person approves or rejects.

    ``learned_by`` tells which learner produced it; ``score`` is set on rows that a search found.
    """

    agent_playbook_id: int = 0
    playbook_name: str = ""
    agent_version: str
    created_at: int = Field(default_factory=now_epoch_seconds)
    content: str
    trigger: str | None = None
    instruction: str | None = None
    pitfall: str | None = None
    rationale: str | None = None
    blocking_issue: BlockingIssue | None = None
    playbook_status: PlaybookStatus = PlaybookStatus.PENDING
    playbook_metadata: str = ""
    status: Status | None = None
    expanded_terms: str | None = None
    tags: list[str] = Field(default_factory=list)
    merged_into: int | None = None
    superseded_by: int | None = None
    learned_by: str | None = None
    cluster_size: int | None = None
    distinct_users: int | None = None
    agreement: float | None = None
    source_window_count: int | None = None
    successor_of: int | None = None
    author: str | None = None
    reviewed_by: str | None = None
    reviewed_at: int | None = None
    review_reason: str | None = None
    content_hash: str | None = None
    score: float | None = None
    score_parts: dict[str, float] | None = None
