"""What models cost."""

from __future__ import annotations

from pydantic import Field

from reflexio.enums import CostBy
from reflexio.models.base import Response, WireModel


class CostTotals(WireModel):
    """What calls cost together.

    ``calls`` were made, whatever came of them; ``saved`` were not, because an interrupted job had
    got the answer before. ``cost_micros`` is ``cost_usd`` in millionths, exactly.
    """

    calls: int = 0
    failed: int = 0
    cancelled: int = 0
    saved: int = 0
    prompt_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost_usd: float = 0.0
    cost_micros: int = 0
    unpriced_calls: int = 0
    estimated_calls: int = 0
    mean_latency_ms: int = 0


class CostGroup(CostTotals):
    """What the calls of one day, role, model, user, config or run cost."""

    key: str


class BudgetToday(WireModel):
    """How the budget of the current day (UTC) stands; without a limit, ``per_day_usd`` is None."""

    day: str
    spent_usd: float = 0.0
    reserved_usd: float = 0.0
    per_day_usd: float | None = None
    left_usd: float | None = None
    per_run_usd: float | None = None
    server_budget_spent: bool = False
    resets_at: str


class GetCostsResponse(Response):
    """What models cost: ``groups`` and ``rest`` together are ``totals``."""

    # `from` is a word of Python.
    first_day: str | None = Field(default=None, alias="from")
    last_day: str | None = Field(default=None, alias="to")
    by: CostBy | None = None
    totals: CostTotals = Field(default_factory=CostTotals)
    groups: list[CostGroup] = Field(default_factory=list)
    rest: CostTotals | None = None
    today: BudgetToday
    msg: str | None = None
