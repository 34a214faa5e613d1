"""How sessions ended, and how they are judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import quote

from reflexio._call import Call, as_list, as_model, epoch_seconds, given, iso_time
from reflexio._endpoint import endpoint
from reflexio.enums import SessionOutcomeKind
from reflexio.models.evaluations import (
    CancelRegenerationResponse,
    GetEvaluationResultsResponse,
    GetRetrievedLearningEvaluationResultsResponse,
    GetSessionOutcomesResponse,
    GradeOnDemandResponse,
    RegenerateStartResponse,
    RegenerateStatusResponse,
    SetSessionOutcomeResponse,
)


class EvaluationEndpoints:
    """Methods that tell and ask how sessions went."""

    @endpoint
    def mark_session_outcome(
        self,
        session_id: str,
        outcome: SessionOutcomeKind | str,
        occurred_at: datetime | int,
        label: str | None = None,
        value: float | None = None,
        metadata: Mapping[str, Any] | None = None,
        user_id: str | None = None,
    ) -> Call[SetSessionOutcomeResponse]:
        """Say how a session ended. The first word stays; saying the same again changes nothing.

        Args:
            session_id: A session with at least one publish.
            outcome: ``success``, ``failure`` or ``unknown``.
            occurred_at: When it showed.
            label: A word for it, at most 128 characters.
            value: A number for it.
            metadata: Anything else, at most 16 KiB as JSON.
            user_id: Whose session, where several users have one of this name.

        Example:
            >>> client.mark_session_outcome("session_1", "success", datetime.now())
        """
        return Call(
            "POST",
            "/api/session_outcome",
            as_model(SetSessionOutcomeResponse),
            body=given(
                session_id=session_id,
                outcome=SessionOutcomeKind(outcome).value,
                occurred_at=epoch_seconds(occurred_at),
                label=label,
                value=value,
                metadata=None if metadata is None else dict(metadata),
                user_id=user_id,
            ),
            changes_data=True,
            repeatable=True,
        )

    @endpoint
    def get_session_outcomes(
        self,
        session_ids: Sequence[str] | None = None,
        user_id: str | None = None,
        source: str | None = None,
        outcome: SessionOutcomeKind | str | None = None,
        label: str | None = None,
        start_time: datetime | int | None = None,
        end_time: datetime | int | None = None,
        top_k: int | None = None,
        offset: int | None = None,
    ) -> Call[GetSessionOutcomesResponse]:
        """How sessions ended, latest first (100 of them unless ``top_k`` says otherwise)."""
        return Call(
            "POST",
            "/api/get_session_outcomes",
            as_model(GetSessionOutcomesResponse),
            body=given(
                session_ids=as_list(session_ids),
                user_id=user_id,
                source=source,
                outcome=None if outcome is None else SessionOutcomeKind(outcome).value,
                label=label,
                start_time=epoch_seconds(start_time),
                end_time=epoch_seconds(end_time),
                top_k=top_k,
                offset=offset,
            ),
            repeatable=True,
        )

    @endpoint
    def get_agent_success_evaluation_results(
        self,
        limit: int | None = None,
        agent_version: str | None = None,
        start_time: datetime | str | None = None,
        end_time: datetime | str | None = None,
        user_id: str | None = None,
        session_id: str | None = None,
    ) -> Call[GetEvaluationResultsResponse]:
        """Judged sessions, latest first.

        Example:
            >>> for row in client.get_agent_success_evaluation_results(
            ...     agent_version="v2"
            ... ).agent_success_evaluation_results:
            ...     print(row.session_id, row.is_success, row.failure_reason)
        """
        return Call(
            "POST",
            "/api/get_agent_success_evaluation_results",
            as_model(GetEvaluationResultsResponse),
            body=given(
                limit=limit,
                agent_version=agent_version,
                start_time=iso_time(start_time),
                end_time=iso_time(end_time),
                user_id=user_id,
                session_id=session_id,
            ),
            repeatable=True,
        )

    @endpoint
    def get_retrieved_learning_evaluation_results(
        self,
        user_id: str | None = None,
        session_id: str | None = None,
        start_time: datetime | str | None = None,
        end_time: datetime | str | None = None,
        limit: int | None = None,
    ) -> Call[GetRetrievedLearningEvaluationResultsResponse]:
        """Which of the learnings that agents were given helped, latest first."""
        return Call(
            "POST",
            "/api/get_retrieved_learning_evaluation_results",
            as_model(GetRetrievedLearningEvaluationResultsResponse),
            body=given(
                user_id=user_id,
                session_id=session_id,
                start_time=iso_time(start_time),
                end_time=iso_time(end_time),
                limit=limit,
            ),
            repeatable=True,
        )

    @endpoint
    def grade_on_demand(
        self,
        session_id: str,
        agent_version: str,
        evaluation_name: str | None = None,
        user_id: str | None = None,
    ) -> Call[GradeOnDemandResponse]:
        """Judge one session now, unless it was judged within a day and has not gone on since.

        Args:
            session_id: The session.
            agent_version: The version of the agent in it.
            evaluation_name: Accepted for older callers.
            user_id: Whose session, where several users have one of this name.
        """
        return Call(
            "POST",
            "/api/evaluations/grade_on_demand",
            as_model(GradeOnDemandResponse),
            body=given(
                session_id=session_id,
                agent_version=agent_version,
                evaluation_name=evaluation_name,
                user_id=user_id,
            ),
            changes_data=True,
            repeatable=True,
        )

    @endpoint
    def regenerate_evaluations(
        self,
        from_ts: datetime | int,
        to_ts: datetime | int,
        evaluation_name: str | None = None,
    ) -> Call[RegenerateStartResponse]:
        """Judge a sample of the sessions of a time anew, in the background."""
        return Call(
            "POST",
            "/api/evaluations/regenerate",
            as_model(RegenerateStartResponse),
            body=given(
                from_ts=epoch_seconds(from_ts),
                to_ts=epoch_seconds(to_ts),
                evaluation_name=evaluation_name,
            ),
            changes_data=True,
        )

    @endpoint
    def get_evaluation_regeneration_status(self, job_id: str) -> Call[RegenerateStatusResponse]:
        """How far a regeneration is."""
        return Call("GET", _job(job_id), as_model(RegenerateStatusResponse), repeatable=True)

    @endpoint
    def cancel_evaluation_regeneration(self, job_id: str) -> Call[CancelRegenerationResponse]:
        """Stop a regeneration; what was judged stays."""
        return Call(
            "DELETE",
            _job(job_id),
            as_model(CancelRegenerationResponse),
            changes_data=True,
            repeatable=True,
        )


def _job(job_id: str) -> str:
    return f"/api/evaluations/regenerate/{quote(job_id, safe='')}"
