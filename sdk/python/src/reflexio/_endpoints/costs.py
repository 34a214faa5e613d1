"""What models cost."""

from __future__ import annotations

from datetime import date

from reflexio._call import Call, as_model, query_of
from reflexio._endpoint import endpoint
from reflexio.enums import CostBy
from reflexio.models.costs import GetCostsResponse


class CostEndpoints:
    """Methods that show what models cost."""

    @endpoint
    def get_costs(
        self,
        by: CostBy | str | None = None,
        first_day: date | str | None = None,
        last_day: date | str | None = None,
        role: str | None = None,
        model: str | None = None,
        user_id: str | None = None,
        config: str | None = None,
        run: str | None = None,
        limit: int | None = None,
    ) -> Call[GetCostsResponse]:
        """What models cost, and how the day's budget stands.

        Args:
            by: What to put together: ``day``, ``role``, ``model``, ``user``, ``config`` or ``run``.
            first_day: Only from this day (UTC) on.
            last_day: Only up to and with this day.
            role: Only calls of this role, such as ``extraction``.
            model: Only calls of this model, with its provider: ``openai/gpt-5-mini``.
            user_id: Only calls about this user.
            config: Only what this asked for: ``profile``, ``playbook:NAME``.
            run: Only calls of this run: ``job-17``.
            limit: How many groups (100 unless given, 1000 at most).

        Example:
            >>> for group in client.get_costs(by="model").groups:
            ...     print(group.key, group.calls, group.cost_usd)
        """
        days = {
            name: day.isoformat() if isinstance(day, date) else day
            for name, day in (("from", first_day), ("to", last_day))
        }
        return Call(
            "GET",
            "/api/costs",
            as_model(GetCostsResponse),
            query=query_of(
                **days,
                by=by,
                role=role,
                model=model,
                user_id=user_id,
                config=config,
                run=run,
                limit=limit,
            ),
            repeatable=True,
        )
