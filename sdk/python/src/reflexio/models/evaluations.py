"""How sessions ended, and how they were judged."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from reflexio.enums import SessionOutcomeFailureReason, SessionOutcomeKind
from reflexio.models.base import Response, WireModel


class SetSessionOutcomeResponse(Response):
    """What became of an outcome; ``recorded`` is false for a repetition."""

    recorded: bool = False
    reason: SessionOutcomeFailureReason | None = None
    message: str = ""
    user_id: str | None = None
    source: str | None = None
    outcome_id: str | None = None
    outcome_revision: int | None = None
    outcome_contract_digest: str | None = None
    finalized_trajectory_digest: str | None = None


class SessionOutcome(WireModel):
    """How a session ended, by the word of whoever runs the agent."""

    outcome_id: str | None = None
    outcome_revision: int | None = None
    user_id: str
    session_id: str
    outcome: SessionOutcomeKind
    occurred_at: int
    source: str = ""
    label: str | None = None
    value: float | None = None
    metadata: dict[str, Any] | None = None
    outcome_contract_digest: str | None = None
    finalized_trajectory_digest: str | None = None
    created_at: int
    is_inferred: bool = False


class GetSessionOutcomesResponse(Response):
    """Outcomes, latest first."""

    session_outcomes: list[SessionOutcome] = Field(default_factory=list)
    message: str = ""


class EvaluationResult(WireModel):
    """A judged session."""

    result_id: int = 0
    user_id: str = ""
    agent_version: str
    session_id: str
    is_success: bool
    failure_type: str | None = None
    failure_reason: str | None = None
    evaluation_name: str | None = None
    created_at: int = 0
    number_of_correction_per_session: int = 0
    user_turns_to_resolution: int | None = None
    is_escalated: bool = False
    tags: list[str] | None = None
    evaluated_by: str = ""
    retrieved_learning_status: str = ""


class GetEvaluationResultsResponse(Response):
    """Judged sessions, latest first."""

    agent_success_evaluation_results: list[EvaluationResult] = Field(default_factory=list)
    msg: str | None = None


class RetrievedLearningEvaluationResult(WireModel):
    """Whether a learning that the agent was given was to the point, and whether it helped."""

    result_id: int = 0
    user_id: str
    session_id: str
    agent_version: str = ""
    interaction_id: int | None = None
    interaction_created_at: int | None = None
    kind: str
    learning_id: str
    is_relevant: bool | None = None
    relevance_reason: str = ""
    impact: str | None = None
    impact_reason: str = ""
    created_at: int = 0
    evaluated_by: str = ""


class GetRetrievedLearningEvaluationResultsResponse(Response):
    """Judged learnings, latest first."""

    results: list[RetrievedLearningEvaluationResult] = Field(default_factory=list)
    msg: str | None = None


class GradeOnDemandResponse(WireModel):
    """The judgement of one session, or why there is none."""

    session_id: str
    result_id: int | None = None
    cached: bool = False
    skipped_reason: str | None = None
    retrieved_learning_status: str | None = None


class RegenerateStartResponse(WireModel):
    """A regeneration that was started, and how many sessions it judges."""

    job_id: str
    total: int


class RegenerateFailure(WireModel):
    """A session that could not be judged."""

    session_id: str
    reason: str


class RegenerateStatusResponse(WireModel):
    """How far a regeneration is.

    ``status`` is ``running``, ``completed``, ``cancelled`` or ``error``.
    """

    job_id: str
    status: str
    total: int = 0
    completed: int = 0
    failed: int = 0
    failures: list[RegenerateFailure] = Field(default_factory=list)
    started_at: float = 0.0
    finished_at: float | None = None
    total_candidates: int = 0
    sampled_count: int = 0
    concurrency_limit: int = 0


class CancelRegenerationResponse(WireModel):
    """How a regeneration stands after it was asked to stop."""

    status: str
