"""Answers of the agent, compared with alternatives that were not shown."""

from __future__ import annotations

from datetime import datetime

from reflexio._call import Call, as_model, given, iso_time, query_of
from reflexio._endpoint import endpoint
from reflexio.enums import RegularVsShadow
from reflexio.models.shadow import GetShadowComparisonsResponse, RunShadowComparisonsResponse


class ShadowEndpoints:
    """Methods that tell which answers served users better."""

    @endpoint
    def get_shadow_comparisons(
        self,
        user_id: str | None = None,
        session_id: str | None = None,
        agent_version: str | None = None,
        verdict: RegularVsShadow | str | None = None,
        start_time: datetime | str | None = None,
        end_time: datetime | str | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> Call[GetShadowComparisonsResponse]:
        """Answers compared with their ``shadow_content``, newest first, and win rates.

        Args:
            user_id: Only those of this user.
            session_id: Only those of this session.
            agent_version: Only those of this agent version.
            verdict: Only those with this verdict; the rates count all verdicts.
            start_time: Nothing that was compared before this time.
            end_time: Nothing that was compared after this time.
            limit: How many (100 unless given, 1000 at most).
            offset: How many to pass over.

        Example:
            >>> for rate in client.get_shadow_comparisons().rates:
            ...     print(rate.agent_version, rate.wins, rate.losses, rate.win_rate)
        """
        return Call(
            "GET",
            "/api/shadow_comparisons",
            as_model(GetShadowComparisonsResponse),
            query=query_of(
                user_id=user_id,
                session_id=session_id,
                agent_version=agent_version,
                verdict=verdict,
                start_time=iso_time(start_time),
                end_time=iso_time(end_time),
                limit=limit,
                offset=offset,
            ),
            repeatable=True,
        )

    @endpoint
    def run_shadow_comparisons(
        self,
        user_id: str | None = None,
        session_id: str | None = None,
        agent_version: str | None = None,
        start_time: datetime | str | None = None,
        end_time: datetime | str | None = None,
        again: bool = False,
    ) -> Call[RunShadowComparisonsResponse]:
        """Compare answers that were published before.

        Args:
            user_id: Only those of this user.
            session_id: Only those of this session.
            agent_version: Only those of this agent version.
            start_time: Nothing that was published before this time.
            end_time: Nothing that was published after this time.
            again: Also those that were compared already; the new comparison takes the place of
                the old one.
        """
        return Call(
            "POST",
            "/api/shadow_comparisons/run",
            as_model(RunShadowComparisonsResponse),
            body=given(
                user_id=user_id,
                session_id=session_id,
                agent_version=agent_version,
                start_time=iso_time(start_time),
                end_time=iso_time(end_time),
                again=again,
            ),
            changes_data=True,
            repeatable=True,
        )
