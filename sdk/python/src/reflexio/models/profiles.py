"""User profiles: what Reflexio knows about one user."""

from __future__ import annotations

import uuid
from typing import Any

from pydantic import Field

from reflexio.enums import ProfileTimeToLive, Status
from reflexio.models.base import WireModel, now_epoch_seconds

NEVER_EXPIRES = 4102444800
ADDED_BY_HAND = "cli-manual"


class UserProfile(WireModel):
    """One fact or preference of one user.

    Only ``user_id`` and ``content`` are needed to add one by hand. ``learned_by`` tells which
    learner produced it; ``score`` is set on rows that a search found.
    """

    profile_id: str = Field(default_factory=lambda: f"cli-{uuid.uuid4().hex[:12]}")
    user_id: str
    content: str
    last_modified_timestamp: int = Field(default_factory=now_epoch_seconds)
    generated_from_request_id: str = ADDED_BY_HAND
    profile_time_to_live: ProfileTimeToLive = ProfileTimeToLive.INFINITY
    expiration_timestamp: int = NEVER_EXPIRES
    custom_features: dict[str, Any] | None = None
    source: str | None = None
    status: Status | None = None
    extractor_names: list[str] | None = None
    expanded_terms: str | None = None
    source_span: str | None = None
    source_interaction_ids: list[int] = Field(default_factory=list)
    tags: list[str] = Field(default_factory=list)
    notes: str | None = None
    reader_angle: str | None = None
    merged_into: str | None = None
    superseded_by: str | None = None
    learned_by: str | None = None
    score: float | None = None
    score_parts: dict[str, float] | None = None


class ProfileChangeLog(WireModel):
    """What one request changed in a user's profiles."""

    id: int
    user_id: str
    request_id: str
    created_at: int = 0
    added_profiles: list[UserProfile] = Field(default_factory=list)
    removed_profiles: list[UserProfile] = Field(default_factory=list)
