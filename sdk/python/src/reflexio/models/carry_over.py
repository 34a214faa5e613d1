"""Rules carried over from one agent version to another."""

from __future__ import annotations

from pydantic import Field

from reflexio.models.base import Response, WireModel


class CarriedPlaybook(WireModel):
    """A rule that is proposed for the new version; without an id in a dry run."""

    carried_from: int
    agent_playbook_id: int | None = None


class LeftOutPlaybook(WireModel):
    """A rule that is not proposed, and why."""

    agent_playbook_id: int
    reason: str


class CarryAgentPlaybooksResponse(Response):
    """What was carried over, or with ``dry_run`` would be."""

    dry_run: bool = False
    carried: list[CarriedPlaybook] = Field(default_factory=list)
    left_out: list[LeftOutPlaybook] = Field(default_factory=list)
    run_id: str | None = None
    msg: str | None = None
