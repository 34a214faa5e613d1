"""Answers of the agent, compared with alternatives that were not shown."""

from __future__ import annotations

from pydantic import Field

from reflexio.enums import RegularVsShadow
from reflexio.models.base import Response, WireModel


class ShadowComparison(WireModel):
    """The two answers of one turn, compared.

    ``order`` is ``regular_first`` or ``shadow_first``, as the judge saw them; it and
    ``prompt_version`` are missing when no model was asked (``judged_by`` is ``builtin`` then).
    """

    shadow_comparison_id: int
    interaction_id: int
    request_id: str
    session_id: str
    user_id: str
    agent_version: str
    verdict: RegularVsShadow
    reason: str = ""
    order: str | None = None
    prompt_version: str | None = None
    judged_by: str = ""
    created_at: int


class ShadowRate(WireModel):
    """How often the shadow answers of one agent version won.

    ``win_rate`` is the share of wins among wins and losses, ``win_rate_low`` and
    ``win_rate_high`` its 95 % interval; all three are missing while everything is tied.
    """

    agent_version: str
    comparisons: int = 0
    wins: int = 0
    losses: int = 0
    ties: int = 0
    clear_wins: int = 0
    clear_losses: int = 0
    win_rate: float | None = None
    win_rate_low: float | None = None
    win_rate_high: float | None = None
    net_win: float = 0.0


class GetShadowComparisonsResponse(Response):
    """A page of comparisons, newest first, with the rates of all that match."""

    comparisons: list[ShadowComparison] = Field(default_factory=list)
    has_more: bool = False
    rates: list[ShadowRate] = Field(default_factory=list)
    msg: str | None = None


class RunShadowComparisonsResponse(Response):
    """How many requests' answers will be compared."""

    queued: int = 0
    msg: str | None = None
