"""Better wordings for playbooks, and how much playbooks help."""

from __future__ import annotations

from reflexio._call import Call, as_model, given, query_of
from reflexio._endpoint import endpoint
from reflexio.enums import OptimizationState
from reflexio.models.optimizations import (
    GetOptimizationsResponse,
    LiftResponse,
    OptimizationResponse,
    StartOptimizationResponse,
)


class OptimizationEndpoints:
    """Methods that improve the wording of playbooks and measure what they are worth."""

    @endpoint
    def start_optimization(
        self,
        agent_playbook_id: int | None = None,
        user_playbook_id: int | None = None,
        estimate_only: bool = False,
    ) -> Call[StartOptimizationResponse]:
        """Look for a better wording of a pending playbook by replaying what taught it.

        Args:
            agent_playbook_id: The agent playbook; or
            user_playbook_id: the user playbook.
            estimate_only: Only say what it would cost at most; nothing is started.

        Example:
            >>> run = client.start_optimization(agent_playbook_id=7).optimization
            >>> client.get_optimization(run.optimization_id).optimization.state
        """
        return Call(
            "POST",
            "/api/optimizations",
            as_model(StartOptimizationResponse),
            body=given(
                agent_playbook_id=agent_playbook_id,
                user_playbook_id=user_playbook_id,
                estimate_only=estimate_only,
            ),
            changes_data=True,
        )

    @endpoint
    def get_optimizations(
        self,
        agent_playbook_id: int | None = None,
        user_playbook_id: int | None = None,
        state: OptimizationState | str | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> Call[GetOptimizationsResponse]:
        """Runs that looked for better wordings, newest first.

        Args:
            agent_playbook_id: Only those of this agent playbook.
            user_playbook_id: Only those of this user playbook.
            state: Only those in this state.
            limit: How many (100 unless given, 1000 at most).
            offset: How many to pass over.
        """
        return Call(
            "GET",
            "/api/optimizations",
            as_model(GetOptimizationsResponse),
            query=query_of(
                agent_playbook_id=agent_playbook_id,
                user_playbook_id=user_playbook_id,
                state=state,
                limit=limit,
                offset=offset,
            ),
            repeatable=True,
        )

    @endpoint
    def get_optimization(self, optimization_id: int) -> Call[OptimizationResponse]:
        """One run: the wordings, both conversations of each pair, and the judge's words.

        Args:
            optimization_id: As in ``optimization_id`` of a run.
        """
        return Call(
            "GET",
            f"/api/optimizations/{optimization_id}",
            as_model(OptimizationResponse),
            repeatable=True,
        )

    @endpoint
    def cancel_optimization(self, optimization_id: int) -> Call[OptimizationResponse]:
        """Ask a run to stop; what was tried stays to be seen.

        Args:
            optimization_id: As in ``optimization_id`` of a run.
        """
        return Call(
            "POST",
            f"/api/optimizations/{optimization_id}/cancel",
            as_model(OptimizationResponse),
            changes_data=True,
            repeatable=True,
        )

    @endpoint
    def measure_lift(self, agent_playbook_id: int) -> Call[LiftResponse]:
        """Begin to replay conversations with and without an agent playbook.

        Args:
            agent_playbook_id: The agent playbook.
        """
        return Call(
            "POST",
            f"/api/agent_playbooks/{agent_playbook_id}/lift",
            as_model(LiftResponse),
            changes_data=True,
        )

    @endpoint
    def get_lift(self, agent_playbook_id: int) -> Call[LiftResponse]:
        """The latest measurement of how much an agent playbook helps.

        Args:
            agent_playbook_id: The agent playbook.
        """
        return Call(
            "GET",
            f"/api/agent_playbooks/{agent_playbook_id}/lift",
            as_model(LiftResponse),
            repeatable=True,
        )
