"""Which rules agents got for their prompts, and what they did."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from reflexio._call import Call, as_model, given, iso_time, query_of, rows_of
from reflexio._endpoint import endpoint
from reflexio.models.injections import (
    AddInjectionResponse,
    AgentPlaybookImpactResponse,
    GetInjectionsResponse,
)
from reflexio.models.interactions import RetrievedLearning


class InjectionEndpoints:
    """Methods that tell which rules were used, and whether they helped."""

    @endpoint
    def report_injection(
        self,
        session_id: str,
        rules: Iterable[RetrievedLearning | Mapping[str, Any]],
        *,
        user_id: str | None = None,
        agent_version: str | None = None,
        request_id: str | None = None,
        block_version: str | None = None,
    ) -> Call[AddInjectionResponse]:
        """Say which rules an agent put into a prompt by its own choice.

        Not needed for blocks of :meth:`get_context` and for searches that name a session: those
        are recorded by themselves.

        Args:
            session_id: The session as it is published.
            rules: What was used, as ``{"kind": "agent_playbook", "learning_id": "7"}``.
            user_id: Whose session.
            agent_version: The version of the agent.
            request_id: The request that the prompt was for.
            block_version: The ``version`` of the context block that they came from.
        """
        return Call(
            "POST",
            "/api/injections",
            as_model(AddInjectionResponse),
            body=given(
                session_id=session_id,
                rules=rows_of(rules),
                user_id=user_id,
                agent_version=agent_version,
                request_id=request_id,
                block_version=block_version,
            ),
            changes_data=True,
        )

    @endpoint
    def get_injections(
        self,
        session_id: str | None = None,
        user_id: str | None = None,
        agent_playbook_id: int | None = None,
        start_time: datetime | str | None = None,
        end_time: datetime | str | None = None,
        limit: int | None = None,
    ) -> Call[GetInjectionsResponse]:
        """Which rules agents got for their prompts, newest first.

        Args:
            session_id: Only those of this session.
            user_id: Only those of this user.
            agent_playbook_id: Only those that hold this agent playbook.
            start_time: Nothing before this time.
            end_time: Nothing after this time.
            limit: How many (100 unless given, 1000 at most).
        """
        return Call(
            "GET",
            "/api/injections",
            as_model(GetInjectionsResponse),
            query=query_of(
                session_id=session_id,
                user_id=user_id,
                agent_playbook_id=agent_playbook_id,
                start_time=iso_time(start_time),
                end_time=iso_time(end_time),
                limit=limit,
            ),
            repeatable=True,
        )

    @endpoint
    def agent_playbook_impact(
        self, agent_playbook_id: int, compared_with: str | None = None
    ) -> Call[AgentPlaybookImpactResponse]:
        """How often agents got a rule, and how sessions with it ended beside sessions without it.

        Args:
            agent_playbook_id: Which rule.
            compared_with: ``with_rules`` (sessions that got other rules, the default) or ``all``.

        Example:
            >>> impact = client.agent_playbook_impact(17)
            >>> print(impact.summary)
        """
        return Call(
            "GET",
            f"/api/agent_playbooks/{agent_playbook_id}/impact",
            as_model(AgentPlaybookImpactResponse),
            query=query_of(compared_with=compared_with),
            repeatable=True,
        )
