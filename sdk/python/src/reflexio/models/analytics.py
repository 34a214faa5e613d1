"""What the playbooks of an org look like from above."""

from __future__ import annotations

from pydantic import Field

from reflexio.models.base import Response, WireModel
from reflexio.models.injections import Difference, Share
from reflexio.models.playbooks import AgentPlaybook


class Count(WireModel):
    """How many of something, in all and recently."""

    key: str
    total: int = 0
    recent: int = 0


class DayCount(WireModel):
    """How many on a day (UTC, ``2026-11-15``)."""

    day: str
    count: int = 0


class UserPlaybookCounts(WireModel):
    """User playbooks, counted; those that live on in another row count only in ``by_status``."""

    total: int = 0
    recent: int = 0
    daily_average: float | None = None
    by_type: list[Count] = Field(default_factory=list)
    by_version: list[Count] = Field(default_factory=list)
    by_status: list[Count] = Field(default_factory=list)
    by_day: list[DayCount] = Field(default_factory=list)


class AgentPlaybookCounts(WireModel):
    """Agent playbooks, counted; those that are not in use count only in ``by_status``."""

    total: int = 0
    recent: int = 0
    by_decision: list[Count] = Field(default_factory=list)
    by_type: list[Count] = Field(default_factory=list)
    by_version: list[Count] = Field(default_factory=list)
    by_status: list[Count] = Field(default_factory=list)


class PlaybookAnalyticsResponse(Response):
    """Counts of playbooks; ``since`` is from when on they count as recent."""

    since: int = 0
    until: int | None = None
    days: float | None = None
    user_playbooks: UserPlaybookCounts = Field(default_factory=UserPlaybookCounts)
    agent_playbooks: AgentPlaybookCounts = Field(default_factory=AgentPlaybookCounts)


class VersionAnalytics(WireModel):
    """What conversations of one version of the agent taught.

    ``taught`` is the share of published requests that taught something.
    """

    agent_version: str
    playbooks: int = 0
    unique_requests: int = 0
    playbooks_per_request: float | None = None
    published_requests: int = 0
    taught: Share = Field(default_factory=Share)
    difference_to_first: Difference | None = None


class VersionAnalyticsResponse(Response):
    """Agent versions beside each other, in the order in which they were asked for."""

    since: int = 0
    versions: list[VersionAnalytics] = Field(default_factory=list)


class WaitingPlaybook(AgentPlaybook):
    """An agent playbook that waits for a person."""

    waiting_days: int = 0


class PlaybookReviewResponse(Response):
    """What is new by type, and which agent playbooks wait longest for a person."""

    since: int = 0
    new_user_playbooks: list[Count] = Field(default_factory=list)
    new_agent_playbooks: list[Count] = Field(default_factory=list)
    waiting: int = 0
    longest_waiting: list[WaitingPlaybook] = Field(default_factory=list)


class HealthCheck(WireModel):
    """One thing that was looked at; ``status`` is ``ok`` or ``attention``."""

    name: str
    status: str
    message: str = ""
    hint: str | None = None


class PlaybookHealthResponse(Response):
    """Whether playbooks come, are learned and reviewed as they should."""

    status: str = "ok"
    checks: list[HealthCheck] = Field(default_factory=list)
